//! The sample file of each language.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_skeleton::{Language, detect_language, languages};

pub(crate) struct Sample {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) language: &'static Language,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// Returns all samples, sorted by name.
pub(crate) fn all() -> Vec<Sample> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| sample(file)).collect()
}

pub(crate) fn named(file: &str) -> Sample {
    sample(&folder().join(file))
}

fn sample(path: &Path) -> Sample {
    let file = path.file_name().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let language = detect_language(&file, text.as_bytes()).unwrap_or_else(|| panic!("{file}"));
    Sample { file, text, language }
}

#[test]
fn every_language_has_a_sample() {
    let samples = all();
    for language in languages() {
        assert!(samples.iter().any(|sample| sample.language == language), "{language:?}");
    }
}
