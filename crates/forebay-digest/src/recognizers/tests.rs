//! Checks every format against recorded outputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{EmbeddedRecognizers, FORMATS, Format, ReportContext, UNCLAIMED};
use crate::command::Command;
use crate::lines::Line;
use crate::salience;
use crate::{Budget, Hint};

/// Minimum number of recorded outputs per format.
const MIN_SAMPLES: usize = 2;

#[test]
fn every_format_has_recorded_outputs() {
    let mut counts: BTreeMap<&str, usize> = FORMATS.iter().map(|format| (format.name, 0)).collect();
    for card in cards() {
        let text: toml::Table = fs::read_to_string(&card).unwrap().parse().unwrap();
        let raw = crate::clean(&fs::read(card.with_extension("txt")).unwrap());
        for name in readers(text["command"].as_str().unwrap(), &raw) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count < MIN_SAMPLES);
    assert_eq!(counts, BTreeMap::new(), "formats with too few recorded outputs");
}

#[test]
fn recorded_outputs_fit_tiny_budgets() {
    for card in cards() {
        let text: toml::Table = fs::read_to_string(&card).unwrap().parse().unwrap();
        let raw = fs::read(card.with_extension("txt")).unwrap();
        let hint = Hint { command: text["command"].as_str(), ..Hint::default() };
        for tokens in [1, 6, 20] {
            let shown = crate::digest(&raw, hint, None, Budget::exactly(tokens)).text;
            assert!(shown.len() as u64 <= tokens * 4, "{}: {shown}", card.display());
        }
    }
}

/// Returns the formats that report something for an output.
fn readers(command: &str, raw: &str) -> Vec<&'static str> {
    let command = Command::parse(command);
    if let Some(whole) = Format::detect(&command, raw) {
        return vec![whole.name];
    }
    let mut embedded = EmbeddedRecognizers::for_command(&command);
    let mut unclaimed = (UNCLAIMED.create)();
    for (number, text) in (1..).zip(raw.lines()) {
        let line = Line { number, text, cut: 0, has_newline: true }.without_timestamp();
        embedded.push_line(line);
        embedded.wake_for(line, salience::weigh(line.text).1);
        unclaimed.push_line(line);
    }
    let context = ReportContext::new(raw.lines().count() as u64, 1_200);
    let mut reporting = embedded.reporting_formats(&context);
    if reporting.is_empty() {
        reporting.extend(unclaimed.report(&context).map(|_| UNCLAIMED.name));
    }
    reporting
}

/// Returns the cards of all recorded outputs.
fn cards() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["samples", "tests/recorded"].map(|folder| entries(&root.join(folder)));
    let tools = folders.into_iter().flatten().filter(|path| path.is_dir());
    let is_card = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
    tools.flat_map(|tool| entries(&tool)).filter(is_card).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
