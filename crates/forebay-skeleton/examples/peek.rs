//! Shows the skeleton of a file, or with `--tree` its syntax tree.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use forebay_skeleton::*;
fn main() {
    let mut options = Options::default();
    let mut tree = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "-m" => options.verbosity = Verbosity::Minimal,
            "-v" => options.verbosity = Verbosity::Verbose,
            "-n" => options.line_numbers = true,
            "-p" => options.private = true,
            "--tree" => tree = true,
            path => {
                let bytes = std::fs::read(path).unwrap();
                let language = language_of(path, &bytes);
                let text = String::from_utf8_lossy(&bytes);
                if tree {
                    let document = Document::parse(text, language.unwrap()).unwrap();
                    println!("{}", document.sexp());
                    continue;
                }
                print!("{}", skeleton(&text, language, options).with_head(path));
            }
        }
    }
}
