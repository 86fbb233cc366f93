//! Files with syntax errors: deleting any line loses few other items.

use std::collections::HashMap;
use std::fmt::Write as _;

use forebay_skeleton::{Document, SkeletonOptions, Symbol, language_by_name, skeleton};

use crate::samples::{self, Sample};

/// Percentage of the items on other lines that must remain.
const MIN_KEPT_PERCENT: f64 = 90.0;

#[test]
fn deleting_any_line_keeps_the_other_items() {
    let mut failures = String::new();
    for sample in samples::all() {
        let worst = losses(&sample);
        let is_failure =
            |loss: &&Loss| loss.kept < MIN_KEPT_PERCENT && !changes_meaning(&sample, loss);
        for loss in worst.iter().filter(is_failure) {
            writeln!(
                failures,
                "{}:{}: {:.0} % kept without `{}`, lost {:?}",
                sample.file, loss.line, loss.kept, loss.text, loss.lost
            )
            .unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Skeletons of longer files are parsed without bodies; that must not hide errors.
#[test]
fn elision_does_not_lose_items_of_broken_files() {
    let mut failures = String::new();
    for sample in samples::all() {
        let symbols_of =
            |text: &str| skeleton(text, Some(sample.language), SkeletonOptions::default()).symbols;
        let is_among = |symbols: &[Symbol], name: &str| symbols.iter().any(|one| one.name == name);
        let intact = symbols_of(&sample.text);
        let lines: Vec<&str> = sample.text.split_inclusive('\n').collect();
        for deleted in 0..lines.len() {
            let broken = without(&lines, deleted);
            let elided = symbols_of(&broken);
            let whole = Document::parse(broken, sample.language).unwrap().symbols();
            let public = whole.iter().filter(|symbol| symbol.is_public);
            let lost = public.map(|symbol| symbol.name.as_str()).find(|name| {
                // Items that are never shown cannot get lost.
                is_among(&intact, name) && !is_among(&elided, name)
            });
            if let Some(lost) = lost {
                let (file, text) = (&sample.file, lines[deleted].trim());
                writeln!(failures, "{file}:{}: lost {lost} without `{text}`", deleted + 1).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Lines without which the file parses, but has another meaning.
fn changes_meaning(sample: &Sample, loss: &Loss) -> bool {
    match sample.file.as_str() {
        // An unclosed code fence extends to the end.
        "markdown.md" => loss.text.starts_with("```"),
        // An unclosed string ends at the next one.
        "elixir.ex" => loss.text == "\"\"\"",
        // Without its opening tag, the file is plain text.
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
    // A method that lost its class counts as a function.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for symbol in &left {
        *counts.entry(symbol.name.as_str()).or_default() += 1;
    }
    // Items lose their first line, or the second of two.
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
fn unnamed_items_appear_once() {
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
    let elided = skeleton(text, language_by_name(language), SkeletonOptions::default()).text;
    assert_eq!(elided.lines().collect::<Vec<_>>(), expected);
}
