//! Python, compared with the `ast` module.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_skeleton::{SkeletonOptions, Verbosity, language_by_name, skeleton};

use super::{Count, files};
use crate::samples;

/// Output of `public_names.py` for the sample, with CPython 3.11.
const SAMPLE_NAMES: &str = "__all__ T LIMIT SEASONS Bird wings kind __init__ song of fly Nest eggs \
    hatch Sighting bird place day count count count quick quick";

/// Counts names as words of a skeleton, each word at most once.
fn count(path: &str, text: &str, names: &[&str]) -> Count {
    let options = SkeletonOptions { verbosity: Verbosity::Minimal, ..SkeletonOptions::default() };
    let found = skeleton(text, language_by_name("Python"), options);
    let mut words: HashMap<&str, usize> = HashMap::new();
    for word in found.text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        *words.entry(word).or_default() += 1;
    }
    let mut count = Count { items: names.len(), missing: Vec::new() };
    for name in names {
        match words.get_mut(name) {
            Some(left) if *left > 0 => *left -= 1,
            _ => count.missing.push(format!("{path}: {name} ({:?})", found.status)),
        }
    }
    count
}

#[test]
fn sample_is_complete() {
    let sample = samples::named("python.py");
    let names: Vec<&str> = SAMPLE_NAMES.split_whitespace().collect();
    let count = count("python.py", &sample.text, &names);
    assert!(count.missing.is_empty(), "{:#?}", count.missing);
}

/// `cargo test -p forebay-skeleton --release --test it -- --ignored --nocapture python`
#[test]
#[ignore = "runs python3 over its standard library"]
fn standard_library_is_complete() {
    let library = python(&["-c", "import os; print(os.path.dirname(os.__file__), end='')"]);
    let paths: Vec<PathBuf> = files(Path::new(&library), "py")
        .into_iter()
        .filter(|path| !path.to_string_lossy().contains("site-packages"))
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus/public_names.py");
    let mut total = Count::default();
    for batch in paths.chunks(500) {
        let mut arguments = vec![script.to_str().unwrap()];
        arguments.extend(batch.iter().map(|path| path.to_str().unwrap()));
        for file in python(&arguments).split("= ").skip(1) {
            let (path, names) = file.split_once('\n').unwrap();
            let names: Vec<&str> = names.lines().collect();
            total.add(count(path, &fs::read_to_string(path).unwrap(), &names));
        }
    }
    total.print(&format!("{} files", paths.len()));
    assert!(total.percent() >= 99.0);
}

#[expect(clippy::disallowed_methods, reason = "the reference parser is a separate program")]
fn python(arguments: &[&str]) -> String {
    let done = std::process::Command::new("python3").args(arguments).output().unwrap();
    String::from_utf8(done.stdout).unwrap()
}
