//! Every format is proven by recorded outputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{End, FORMATS, Format, Parts};
use crate::command::Command;
use crate::lines::Line;
use crate::salience;
use crate::{Budget, Hint};

/// Recorded outputs of each format, at least.
const FEWEST: usize = 2;

#[test]
fn every_format_has_recorded_outputs() {
    let mut counts: BTreeMap<&str, usize> = FORMATS.iter().map(|format| (format.name, 0)).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let outputs =
        entries(&folder).into_iter().filter(|path| path.is_dir()).flat_map(|tool| entries(&tool));
    for card in outputs.filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let text: toml::Table = fs::read_to_string(&card).unwrap().parse().unwrap();
        let raw = crate::clean(&fs::read(card.with_extension("txt")).unwrap());
        for name in readers(text["command"].as_str().unwrap(), &raw) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count < FEWEST);
    assert_eq!(counts, BTreeMap::new(), "formats with too few recorded outputs");
}

#[test]
fn no_budget_is_too_small_for_any_recorded_output() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let outputs =
        entries(&folder).into_iter().filter(|path| path.is_dir()).flat_map(|tool| entries(&tool));
    for card in outputs.filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let text: toml::Table = fs::read_to_string(&card).unwrap().parse().unwrap();
        let raw = fs::read(card.with_extension("txt")).unwrap();
        let hint = Hint { command: text["command"].as_str(), ..Hint::default() };
        for tokens in [1, 6, 20] {
            let shown = crate::digest(&raw, hint, None, Budget::exactly(tokens)).text;
            assert!(shown.len() as u64 <= tokens * 4, "{}: {shown}", card.display());
        }
    }
}

/// The formats that know something of an output.
fn readers(command: &str, raw: &str) -> Vec<&'static str> {
    let command = Command::read(command);
    if let Some(whole) = Format::of(&command, raw) {
        return vec![whole.name];
    }
    let mut parts = Parts::for_command(&command);
    for (number, text) in (1..).zip(raw.lines()) {
        let line = Line { number, text, cut: 0, ended: true }.without_stamp();
        parts.take(line);
        parts.wake_for(line, salience::weigh(line.text).1);
    }
    parts.knowing(&End { lines: raw.lines().count() as u64, room: 1_200 })
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
