//! What a file is for, in its own words.

use crate::docs;
use crate::language::Language;
use crate::outline::{Item, Outline, Trivia};
use crate::skeleton::Verbosity;

/// The purpose that a file states, cut to what the verbosity asks for.
pub(crate) fn purpose(
    language: &Language,
    source: &str,
    outline: &Outline,
    verbosity: Verbosity,
) -> Option<String> {
    let stated = stated_by_mark(language, source, outline)
        .or_else(|| stated_by_node(source, outline))
        .or_else(|| stated_by_header(language, source, outline))?;
    Some(cut(&stated, verbosity)).filter(|text| !text.is_empty())
}

/// Words of lines that say who may use the file; nothing after them says what it is for.
const TERMS: &[&str] = &[
    "copyright",
    "license",
    "licence",
    "spdx-",
    "all rights reserved",
    "(c) ",
    "permission is hereby",
    "redistribution and use",
    "source code form",
    "this file is part of",
];

/// Words of lines that tell a program how to read the file, or who wrote it.
const ASIDES: &[&str] = &[
    "@author",
    "written by",
    "-*-",
    "vim:",
    "eslint",
    "prettier-ignore",
    "@ts-",
    "tslint",
    "pylint",
    "noqa",
    "frozen_string_literal",
    "shellcheck",
    "clang-format",
    "usr/bin/",
    "<reference ",
    "use strict",
    "coding:",
    "coding=",
    "go:build",
    "+build",
    "nolint",
    "type: ignore",
    "mypy:",
    "flake8",
    "istanbul",
    "@flow",
];

/// Words of comments that are about something else than what the file is for.
const NO_PURPOSE: &[&str] = &["@generated", "do not edit", "@private", "module dependencies"];

fn stated_by_mark(language: &Language, source: &str, outline: &Outline) -> Option<Vec<String>> {
    let marks = language.table.notation.file_marks;
    let comments = outline.trivia.iter().map(|trivia| &source[trivia.range.clone()]);
    // Only those at the head of the file: a module further in has its own.
    let first_item = outline.items.first().map_or(source.len(), |item| item.range.start);
    let at_head =
        comments.zip(&outline.trivia).filter(|(_, trivia)| trivia.range.end <= first_item);
    let marked = at_head.filter(|(text, _)| marks.iter().any(|mark| text.starts_with(mark)));
    let lines: Vec<String> =
        marked.flat_map(|(text, _)| docs_or_gap(text)).map(str::to_owned).collect();
    (!lines.is_empty()).then_some(lines)
}

fn stated_by_node(source: &str, outline: &Outline) -> Option<Vec<String>> {
    let texts = outline.purposes.iter().filter_map(|range| source.get(range.clone()));
    let stated = texts.map(|text| {
        let lines = front_matter(text).unwrap_or_else(|| docs::lines(text));
        lines.into_iter().map(str::to_owned).collect::<Vec<String>>()
    });
    stated.into_iter().find(|lines| !lines.is_empty())
}

/// What front matter describes; nothing in it is a purpose but that.
fn front_matter(text: &str) -> Option<Vec<&str>> {
    let lines = text.strip_prefix("---")?.lines();
    let described = lines.filter_map(|line| line.strip_prefix("description:"));
    Some(described.map(|words| words.trim().trim_matches(['"', '\''])).take(1).collect())
}

/// The first group of comments that states something and is not the first item's docs.
fn stated_by_header(language: &Language, source: &str, outline: &Outline) -> Option<Vec<String>> {
    let first_item = outline.items.first();
    let is_data = language.table.is_data;
    // The head of a file of data speaks of the file.
    let start = |item: &Item| {
        if is_data { item.range.start } else { outline.full_start(source, item) }
    };
    let end = first_item.map_or(source.len(), start);
    let mut groups = groups(source, outline, end);
    let is_own = |group: &Vec<&Trivia>| group.last().is_some_and(|last| last.range.end <= end);
    let stated = groups.find(|group| is_own(group) && states_something(source, group));
    stated
        .or_else(|| whole_file_docs(language, source, outline, end))
        .map(|group| words(source, &group))
}

/// Docs before the first item that speak of the file.
fn whole_file_docs<'a>(
    language: &Language,
    source: &str,
    outline: &'a Outline,
    start: usize,
) -> Option<Vec<&'a Trivia>> {
    const SPEAKS_OF_FILE: &[&str] = &["@file", "@module", "@packageDocumentation", "\\file"];
    if language.table.is_data {
        return None;
    }
    let docs: Vec<&Trivia> =
        outline.trivia.iter().filter(|trivia| trivia.range.start == start).collect();
    let text = &source[docs.first()?.range.clone()];
    SPEAKS_OF_FILE.iter().any(|word| text.contains(word)).then_some(docs)
}

/// Comments before an offset, in groups that empty lines or code set apart.
fn groups<'a>(
    source: &'a str,
    outline: &'a Outline,
    end: usize,
) -> impl Iterator<Item = Vec<&'a Trivia>> {
    let is_remark = |trivia: &&Trivia| {
        !trivia.is_attribute
            && !["#!", "# syntax="]
                .iter()
                .any(|mark| source[trivia.range.clone()].starts_with(mark))
    };
    let head = outline.trivia.iter().filter(is_remark);
    let mut head = head.take_while(move |trivia| trivia.range.start < end).peekable();
    std::iter::from_fn(move || {
        let mut group = vec![head.next()?];
        while let Some(next) = head.next_if(|next| adjoins(source, group[group.len() - 1], next)) {
            group.push(next);
        }
        Some(group)
    })
}

fn adjoins(source: &str, one: &Trivia, next: &Trivia) -> bool {
    let between = source.get(one.range.end..next.range.start).unwrap_or("x");
    let own = usize::from(source[..one.range.end].ends_with('\n'));
    between.trim().is_empty() && between.matches('\n').count() + own <= 1
}

fn states_something(source: &str, group: &[&Trivia]) -> bool {
    let text = words(source, group).join("\n");
    let is_set_apart = group.iter().any(|trivia| says(&source[trivia.range.clone()], NO_PURPOSE));
    text.chars().any(char::is_alphanumeric) && !is_set_apart && !text.starts_with('!')
}

/// The lines of a group before it comes to who may use the file, without what is said aside.
fn words(source: &str, group: &[&Trivia]) -> Vec<String> {
    let texts = group.iter().map(|trivia| &source[trivia.range.clone()]);
    let lines = texts.flat_map(docs_or_gap).take_while(|line| !says(line, TERMS));
    lines.filter(|line| !says(line, ASIDES)).map(without_tag).collect()
}

fn says(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// A line without the tag that says it speaks of the file.
fn without_tag(line: &str) -> String {
    const TAGS: &[&str] = &["@fileoverview", "@file", "@packageDocumentation", "\\file"];
    let words = TAGS.iter().find_map(|tag| line.strip_prefix(tag)).unwrap_or(line);
    words.trim().to_owned()
}

/// The lines of one comment; an empty one parts paragraphs.
fn docs_or_gap(text: &str) -> Vec<&str> {
    let lines = docs::lines(text);
    if lines.is_empty() { vec![""] } else { lines }
}

fn cut(lines: &[String], verbosity: Verbosity) -> String {
    let lines = lines.iter().skip_while(|line| line.is_empty()).map(String::as_str);
    let kept: Vec<&str> = match verbosity {
        Verbosity::Minimal => lines.take(1).collect(),
        Verbosity::Standard => lines.take_while(|line| !line.is_empty()).take(MOST_LINES).collect(),
        Verbosity::Verbose => lines.collect(),
    };
    kept.join("\n").trim_end().to_owned()
}

/// The first paragraph of a header may be its last; so many lines of it are a purpose.
const MOST_LINES: usize = 6;

#[cfg(test)]
mod tests {
    use crate::{Options, language_named, skeleton};

    #[track_caller]
    fn check(language: &str, source: &str, expected: Option<&str>) {
        let told = skeleton(source, language_named(language), Options::default());
        assert_eq!(told.purpose.as_deref(), expected);
    }

    #[test]
    fn terms_and_directives_are_no_purpose() {
        check(
            "JavaScript",
            "/*!\n * web\n * Copyright(c) 2009 A\n */\n\n/**\n * Module dependencies.\n * @private\n */\n\nvar a = require('a');\n",
            Some("web"),
        );
        check("JavaScript", "/**\n * Module dependencies.\n */\n\nvar a = require('a');\n", None);
        check("Ruby", "# frozen_string_literal: true\n# Birds.\n\nclass A\nend\n", Some("Birds."));
        check(
            "JavaScript",
            "/**\n * @file Sums.\n * @author A\n * @license MIT\n */\n\nvar a = 1;\n",
            Some("Sums."),
        );
        check("C", "/* Copyright 2024 A.\n * All of it. */\n\nint a;\n", None);
        check("Go", "// Code generated by b. DO NOT EDIT.\n// source: a\n\npackage a\n", None);
    }
}
