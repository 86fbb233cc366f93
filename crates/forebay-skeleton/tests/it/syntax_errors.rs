//! Files that do not parse at the moment: one missing line costs few other items.

use std::collections::HashMap;
use std::fmt::Write as _;

use forebay_skeleton::{Document, Options, Symbol, language_named, skeleton};

use crate::samples::{self, Sample};

/// Of the items that do not stand on the deleted line, so many percent must stay.
const KEPT_EACH: f64 = 90.0;

#[test]
fn deleting_any_line_keeps_the_other_items() {
    let mut faults = String::new();
    for sample in samples::all() {
        let worst = losses(&sample);
        let is_fault = |loss: &&Loss| loss.kept < KEPT_EACH && !means_something_else(&sample, loss);
        for loss in worst.iter().filter(is_fault) {
            writeln!(
                faults,
                "{}:{}: {:.0} % kept without `{}`, lost {:?}",
                sample.file, loss.line, loss.kept, loss.text, loss.lost
            )
            .unwrap();
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// What is shown of files of some length is parsed without bodies; that must not hide what is broken.
#[test]
fn a_broken_file_is_told_as_if_it_were_parsed_whole() {
    let mut faults = String::new();
    for sample in samples::all() {
        let shown = |text: &str| skeleton(text, Some(sample.language), Options::default()).symbols;
        let is_among = |symbols: &[Symbol], name: &str| symbols.iter().any(|one| one.name == name);
        let sound = shown(&sample.text);
        let lines: Vec<&str> = sample.text.split_inclusive('\n').collect();
        for deleted in 0..lines.len() {
            let broken = without(&lines, deleted);
            let told = shown(&broken);
            let whole = Document::parse(broken, sample.language).unwrap().symbols();
            let public = whole.iter().filter(|symbol| symbol.public);
            let lost = public.map(|symbol| symbol.name.as_str()).find(|name| {
                // What is never shown cannot be lost.
                is_among(&sound, name) && !is_among(&told, name)
            });
            if let Some(lost) = lost {
                let (file, text) = (&sample.file, lines[deleted].trim());
                writeln!(faults, "{file}:{}: lost {lost} without `{text}`", deleted + 1).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Files that parse without the line, and then say something else.
fn means_something_else(sample: &Sample, loss: &Loss) -> bool {
    match sample.file.as_str() {
        // A fence that is not closed reaches to the end.
        "markdown.md" => loss.text.starts_with("```"),
        // A text that is not closed ends where the next one does.
        "elixir.ex" => loss.text == "\"\"\"",
        // Without its opening tag it is a page of text.
        "php.php" => loss.text == "<?php",
        _ => false,
    }
}

struct Loss {
    line: usize,
    text: String,
    kept: f64,
    lost: Vec<String>,
}

fn losses(sample: &Sample) -> Vec<Loss> {
    let whole = Document::parse(sample.text.as_str(), sample.language).unwrap().symbols();
    let lines: Vec<&str> = sample.text.split_inclusive('\n').collect();
    (0..lines.len()).map(|deleted| loss(sample, &whole, &lines, deleted)).collect()
}

fn loss(sample: &Sample, whole: &[Symbol], lines: &[&str], deleted: usize) -> Loss {
    let left = Document::parse(without(lines, deleted), sample.language).unwrap().symbols();
    // A method that lost its class is a function, and still told.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for symbol in &left {
        *counts.entry(symbol.name.as_str()).or_default() += 1;
    }
    // An item whose first line is gone is gone, and so is one of two lines without its second.
    let is_other = |symbol: &&Symbol| {
        let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
        first != deleted + 1 && !(last == first + 1 && last == deleted + 1)
    };
    let others: Vec<&Symbol> = whole.iter().filter(is_other).collect();
    let mut lost = Vec::new();
    for symbol in &others {
        match counts.get_mut(symbol.name.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => lost.push(symbol.name.clone()),
        }
    }
    let kept = 100.0 * (others.len() - lost.len()) as f64 / others.len().max(1) as f64;
    Loss { line: deleted + 1, text: lines[deleted].trim().to_owned(), kept, lost }
}

fn without(lines: &[&str], deleted: usize) -> String {
    let others = lines.iter().enumerate().filter(|(index, _)| *index != deleted);
    others.map(|(_, line)| *line).collect()
}

#[test]
fn what_has_no_name_is_told_once() {
    check(
        "C++",
        "template <typename T>\nT g(T x) {\n    if (x) {\n        return x;\n    return x;\n}\n\nnamespace {\n    int hidden;\n}\nenum { E1, E2 };\n\ntemplate <typename T>\nT h(T x) {\n    return x;\n}\n",
        &[
            "template <typename T> T g(T x)",
            "",
            "namespace {",
            "    int hidden;",
            "}",
            "",
            "enum { E1, E2 };",
            "template <typename T> T h(T x)",
        ],
    );
}

#[test]
fn a_class_without_its_colon_keeps_its_methods() {
    check(
        "Python",
        "class Broken\n    def a(self):\n        return 1\n\n    async def b(self):\n        return 2\n\n\nasync def c():\n    return (1\n",
        &[
            "class Broken",
            "    def a(self): ...",
            "    async def b(self): ...",
            "",
            "async def c(): ...",
        ],
    );
}

#[track_caller]
fn check(language: &str, text: &str, expected: &[&str]) {
    let told = skeleton(text, language_named(language), Options::default()).text;
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
}
