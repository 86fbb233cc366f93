//! Shows skeletons, or with `--tree` the syntax trees that queries are written for.
#![allow(clippy::print_stdout, reason = "it is a program for people")]

use std::fs;

use forebay_skeleton::{Document, Options, Verbosity, language_of, skeleton};

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
            path => show(path, tree, options),
        }
    }
}

fn show(path: &str, tree: bool, options: Options) {
    let Ok(bytes) = fs::read(path) else { return println!("{path}: cannot be read") };
    let text = String::from_utf8_lossy(&bytes);
    let language = language_of(path, &bytes);
    match language.filter(|_| tree).map(|language| Document::parse(text.as_ref(), language)) {
        Some(Ok(document)) => println!("{}", document.sexp()),
        Some(Err(fault)) => println!("{path}: {fault}"),
        None => print!("{}", skeleton(&text, language, options).with_head(path)),
    }
}
