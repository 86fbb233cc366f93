//! Symbols by their path, languages by file, errors by place, and edits.

use forebay_skeleton::{Document, language_named, language_of};

use crate::samples;

fn check(file: &str, path: &str, expected: &[&str]) {
    let sample = samples::named(file);
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let found = document.symbol(path);
    let first_lines: Vec<&str> = found
        .iter()
        .map(|range| sample.text[range.clone()].lines().next().unwrap().trim())
        .collect();
    assert_eq!(first_lines, expected, "{file} {path}");
}

#[test]
fn a_symbol_is_found_by_its_path() {
    check("rust.rs", "Room::open", &["/// Opens a room."]);
    check(
        "rust.rs",
        "Room",
        &[
            "/// A room of the house.",
            "impl<T: Clone> Room<T> {",
            "impl<T: Clone> fmt::Display for Room<T> {",
        ],
    );
    check("rust.rs", "open", &["/// Opens a room."]);
    check("rust.rs", "cellar::rats", &["fn rats() -> usize {"]);
    check("rust.rs", "Room::rats", &[]);
    check("python.py", "Bird.song", &["@property"]);
    check("python.py", "Bird.Nest.hatch", &["def hatch(self): ..."]);
    check("python.py", "count", &["@overload", "@overload", "def count(birds, day=0):"]);
    check("go.go", "Ferry.Load", &["// Load takes a car on board."]);
    check("go.go", "List.Len", &["func (l List[T]) Len() int { return len(l.Items) }"]);
    check("java.java", "Lamp#turnOn", &["/** Turns it on. */", "public void turnOn() {"]);
    check("javascript.js", "tocks", &["export let ticks = 0, tocks = 1;"]);
    check("markdown.md", "Wheat", &["## Wheat"]);
    check(
        "sql.sql",
        "books_title",
        &["CREATE UNIQUE INDEX books_title ON books (title, author_id)"],
    );
    check("rust.rs", "", &[]);
}

#[test]
fn a_symbol_has_its_whole_body() {
    let sample = samples::named("rust.rs");
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let found = document.symbol("Room::sweep");
    assert!(sample.text[found[0].clone()].ends_with("inner()\n    }"));
}

#[test]
fn a_signature_has_its_equations() {
    let sample = samples::named("open.hs");
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let text = |path: &str| -> Vec<&str> {
        document.symbol(path).into_iter().map(|range| &sample.text[range]).collect()
    };
    assert_eq!(
        text("turns"),
        [
            "-- | How many turns.\nturns :: Int -> Int\nturns 0 = 1\nturns x\n  | x > 3 = 2\n  | otherwise = x"
        ]
    );
    assert_eq!(text("(+++)"), ["infixl 6 +++", "(+++) :: Int -> Int -> Int\na +++ b = a"]);
}

#[test]
fn a_language_is_known_by_name_ending_or_interpreter() {
    let of = |path: &str, first: &str| {
        language_of(path, first.as_bytes()).map(forebay_skeleton::Language::name)
    };
    assert_eq!(of("src/a.rs", ""), Some("Rust"));
    assert_eq!(of("A.TSX", ""), Some("TSX"));
    assert_eq!(of("a.d.ts", ""), Some("TypeScript"));
    assert_eq!(of("Makefile", ""), Some("Makefile"));
    assert_eq!(of("Dockerfile.dev", ""), Some("Dockerfile"));
    assert_eq!(of("run", "#!/usr/bin/env python3\n"), Some("Python"));
    assert_eq!(of("run", "#!/bin/bash -e\n"), Some("Bash"));
    assert_eq!(of("run", "#!/usr/bin/env -S node --x\n"), Some("JavaScript"));
    assert_eq!(of("a.unknown", "text"), None);
    assert_eq!(of("", ""), None);
}

#[test]
fn an_edit_reports_the_errors_it_brings() {
    let rust = language_named("Rust").unwrap();
    let before = Document::parse("fn a() {}\n\nfn b() { 1 + }\n", rust).unwrap();
    assert_eq!(before.syntax_errors().len(), 1);
    let at = before.source().find("{}").unwrap();
    let after = before.edited(at..at + 2, "{ let = 3; }").unwrap();
    let new = after.new_errors(&before);
    assert_eq!(new.len(), 1, "{new:?}");
    assert_eq!(new[0].line, 1);
    assert_eq!(before.new_errors(&before), []);
}

#[test]
fn an_edited_document_is_as_if_parsed_anew() {
    for sample in samples::all() {
        let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
        let middle = sample.text.floor_char_boundary(sample.text.len() / 2);
        let line = sample.text[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = sample.text[line..].find('\n').map_or(sample.text.len(), |at| line + at + 1);
        let edited = document.edited(line..end, "").unwrap();
        let anew = Document::parse(edited.source(), sample.language).unwrap();
        assert_eq!(edited.symbols(), anew.symbols(), "{}", sample.file);
        let back = edited.edited(line..line, &sample.text[line..end]).unwrap();
        assert_eq!(back.symbols(), document.symbols(), "{}", sample.file);
    }
}
