//! Symbol lookup, language detection, syntax errors and edits.

use forebay_skeleton::{Document, detect_language, language_by_name};

use crate::samples;

fn check(file: &str, path: &str, expected: &[&str]) {
    let sample = samples::named(file);
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let found = document.find_symbol(path, file);
    let first_lines: Vec<&str> = found
        .iter()
        .map(|located| sample.text[located.bytes.clone()].lines().next().unwrap().trim())
        .collect();
    assert_eq!(first_lines, expected, "{file} {path}");
}

#[test]
fn finds_symbols_by_path() {
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

/// Looks up a path in a text and compares the first line of each match.
#[track_caller]
fn check_text(file: &str, text: &str, path: &str, expected: &[&str]) {
    let document = Document::parse(text, detect_language(file, b"").unwrap()).unwrap();
    let found = document.find_symbol(path, file);
    let first_lines: Vec<&str> =
        found.iter().map(|located| text[located.start..].lines().next().unwrap().trim()).collect();
    assert_eq!(first_lines, expected, "{path}");
}

const IMPLEMENTED: &str = "pub struct A;\nimpl A {\n    pub fn next(&self) {}\n}\nimpl Iterator for A {\n    type Item = u8;\n    fn next(&mut self) -> Option<u8> {\n        fn inner() {}\n        None\n    }\n}\nmacro_rules! mac {\n    () => {};\n}\n";

#[test]
fn finds_trait_implementations() {
    let both = ["pub fn next(&self) {}", "fn next(&mut self) -> Option<u8> {"];
    check_text("src/a.rs", IMPLEMENTED, "next", &both);
    check_text("src/a.rs", IMPLEMENTED, "A::next", &both);
    check_text("src/a.rs", IMPLEMENTED, "B::next", &[]);
    check_text("src/a.rs", IMPLEMENTED, "A::Item", &["type Item = u8;"]);
}

#[test]
fn finds_items_in_bodies_only_as_a_last_resort() {
    check_text("src/a.rs", IMPLEMENTED, "inner", &["fn inner() {}"]);
    check_text("src/a.rs", IMPLEMENTED, "A::next::inner", &["fn inner() {}"]);
    let script = "export function outer() {\n  function inner() {\n    return 1;\n  }\n  return inner();\n}\n";
    check_text("a.ts", script, "inner", &["function inner() {"]);
    check_text("a.ts", script, "outer.inner", &["function inner() {"]);
    let snake = "class A:\n    def m(self):\n        def nested(x):\n            return x\n        return nested\n";
    check_text("a.py", snake, "nested", &["def nested(x):"]);
}

#[test]
fn accepts_the_path_syntax_of_each_language() {
    for path in ["crate::A", "a::A", "src::a::A", "A<T>"] {
        check_text(
            "src/a.rs",
            IMPLEMENTED,
            path,
            &["pub struct A;", "impl A {", "impl Iterator for A {"],
        );
    }
    check_text("src/a.rs", IMPLEMENTED, "mac!", &["macro_rules! mac {"]);
    check_text(
        "src/a.rs",
        IMPLEMENTED,
        "A::next(&mut self)",
        &["pub fn next(&self) {}", "fn next(&mut self) -> Option<u8> {"],
    );
    let sheet = ".btn { color: red; }\n#main { color: blue; }\n";
    check_text("a.css", sheet, ".btn", &[".btn { color: red; }"]);
    check_text("a.css", sheet, "main", &["#main { color: blue; }"]);
    let tables = "CREATE TABLE app.users (id INT);\nCREATE TABLE orders (id INT);\n";
    check_text("a.sql", tables, "app.users", &["CREATE TABLE app.users (id INT);"]);
    check_text("a.sql", tables, "users", &["CREATE TABLE app.users (id INT);"]);
    let lua =
        "local M = {}\nfunction M.add(a) return a end\nfunction M:go() return 1 end\nreturn M\n";
    check_text("a.lua", lua, "M.add", &["function M.add(a) return a end"]);
    check_text("a.lua", lua, "M:go", &["function M:go() return 1 end"]);
    check_text("a.cpp", "void Foo::bar() {\n}\n", "Foo::bar", &["void Foo::bar() {"]);
    let go = "package a\n\ntype S struct{}\n\nfunc (s *S) Method() {}\n";
    check_text("a.go", go, "(*S).Method", &["func (s *S) Method() {}"]);
    let elixir = "defmodule A.B do\n  def f(x, y) do\n    x + y\n  end\nend\n";
    check_text("a.ex", elixir, "A.B.f", &["def f(x, y) do"]);
    check_text("a.ex", elixir, "f/2", &["def f(x, y) do"]);
    let sharp = "namespace N.M {\n  public class A {\n    public void Go() {}\n  }\n}\n";
    check_text("a.cs", sharp, "N.M.A.Go", &["public void Go() {}"]);
    let old =
        "function Foo() {}\nFoo.prototype.go = function () {};\nexports.other = function () {};\n";
    check_text("a.js", old, "Foo.prototype.go", &["Foo.prototype.go = function () {};"]);
    check_text("a.js", old, "Foo.go", &["Foo.prototype.go = function () {};"]);
    check_text("a.js", old, "exports.other", &["exports.other = function () {};"]);
}

#[test]
fn a_symbol_includes_its_body() {
    let sample = samples::named("rust.rs");
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let found = document.find_symbol("Room::sweep", "");
    assert!(sample.text[found[0].bytes.clone()].ends_with("inner()\n    }"));
}

#[test]
fn a_signature_includes_its_equations() {
    let sample = samples::named("open.hs");
    let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
    let text = |path: &str| -> Vec<&str> {
        let found = document.find_symbol(path, "open.hs");
        found.into_iter().map(|found| &sample.text[found.bytes]).collect()
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
fn detects_languages_by_name_extension_or_interpreter() {
    let of = |path: &str, first: &str| {
        detect_language(path, first.as_bytes()).map(forebay_skeleton::Language::name)
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
fn reports_errors_introduced_by_an_edit() {
    let rust = language_by_name("Rust").unwrap();
    let before = Document::parse("fn a() {}\n\nfn b() { 1 + }\n", rust).unwrap();
    assert_eq!(before.syntax_errors().len(), 1);
    let at = before.source().find("{}").unwrap();
    let after = before.edited(at..at + 2, "{ let = 3; }").unwrap();
    let new = after.introduced_errors(&before, at..at + 12);
    assert_eq!(new.len(), 1, "{new:?}");
    assert_eq!(new[0].line, 1);
    assert_eq!(before.introduced_errors(&before, 0..0), []);
}

#[test]
fn an_edited_document_equals_a_reparsed_one() {
    for sample in samples::all() {
        let document = Document::parse(sample.text.as_str(), sample.language).unwrap();
        let middle = sample.text.floor_char_boundary(sample.text.len() / 2);
        let line = sample.text[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = sample.text[line..].find('\n').map_or(sample.text.len(), |at| line + at + 1);
        let edited = document.edited(line..end, "").unwrap();
        let reparsed = Document::parse(edited.source(), sample.language).unwrap();
        assert_eq!(edited.symbols(), reparsed.symbols(), "{}", sample.file);
        let back = edited.edited(line..line, &sample.text[line..end]).unwrap();
        assert_eq!(back.symbols(), document.symbols(), "{}", sample.file);
    }
}
