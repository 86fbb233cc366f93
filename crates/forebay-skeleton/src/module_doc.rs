//! Summary of what a file says about itself in its header.

use crate::doc_text;
use crate::language::Language;
use crate::outline::{Item, Outline, Trivia};
use crate::skeleton::Verbosity;

/// Returns the documentation of a file, cut according to the verbosity.
pub(crate) fn module_doc(
    language: &Language,
    source: &str,
    outline: &Outline,
    verbosity: Verbosity,
) -> Option<String> {
    let doc = from_module_doc_comments(language, source, outline)
        .or_else(|| from_captured_node(source, outline))
        .or_else(|| from_header_comment(language, source, outline))?;
    Some(truncate(&doc, verbosity)).filter(|text| !text.is_empty())
}

/// Phrases of license lines; everything after them is ignored.
const LICENSE_PHRASES: &[&str] = &[
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

/// Phrases of lines with directives for tools or with authors.
const DIRECTIVES: &[&str] = &[
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

/// Phrases of comments that do not describe the file.
const NOT_A_SUMMARY: &[&str] = &["@generated", "do not edit", "@private", "module dependencies"];

fn from_module_doc_comments(
    language: &Language,
    source: &str,
    outline: &Outline,
) -> Option<Vec<String>> {
    let prefixes = language.spec.comment_syntax.module_doc_prefixes;
    let comments = outline.trivia.iter().map(|trivia| &source[trivia.range.clone()]);
    // Only at the start of the file: inner modules have their own docs.
    let first_item = outline.items.first().map_or(source.len(), |item| item.range.start);
    let at_head =
        comments.zip(&outline.trivia).filter(|(_, trivia)| trivia.range.end <= first_item);
    let marked = at_head.filter(|(text, _)| prefixes.iter().any(|prefix| text.starts_with(prefix)));
    let lines: Vec<String> =
        marked.flat_map(|(text, _)| lines_or_gap(text)).map(str::to_owned).collect();
    (!lines.is_empty()).then_some(lines)
}

fn from_captured_node(source: &str, outline: &Outline) -> Option<Vec<String>> {
    let texts = outline.module_docs.iter().filter_map(|range| source.get(range.clone()));
    let doc = texts.map(|text| {
        let lines = front_matter_description(text).unwrap_or_else(|| doc_text::lines(text));
        lines.into_iter().map(str::to_owned).collect::<Vec<String>>()
    });
    doc.into_iter().find(|lines| !lines.is_empty())
}

/// Returns the description in front matter, which has no other documentation.
fn front_matter_description(text: &str) -> Option<Vec<&str>> {
    let lines = text.strip_prefix("---")?.lines();
    let described = lines.filter_map(|line| line.strip_prefix("description:"));
    Some(described.map(|text| text.trim().trim_matches(['"', '\''])).take(1).collect())
}

/// Returns the first group of comments that has a summary and does not document the first item.
fn from_header_comment(
    language: &Language,
    source: &str,
    outline: &Outline,
) -> Option<Vec<String>> {
    let first_item = outline.items.first();
    let is_data = language.spec.is_data;
    // The first comment of a data file describes the file.
    let start = |item: &Item| {
        if is_data { item.range.start } else { outline.full_start(source, item) }
    };
    let end = first_item.map_or(source.len(), start);
    let mut groups = groups(source, outline, end);
    let precedes_item =
        |group: &Vec<&Trivia>| group.last().is_some_and(|last| last.range.end <= end);
    let doc = groups.find(|group| precedes_item(group) && is_summary(source, group));
    doc.or_else(|| tagged_file_doc(language, source, outline, end))
        .map(|group| group_lines(source, &group))
}

/// Returns the docs before the first item if a tag refers them to the file.
fn tagged_file_doc<'a>(
    language: &Language,
    source: &str,
    outline: &'a Outline,
    start: usize,
) -> Option<Vec<&'a Trivia>> {
    const FILE_TAGS: &[&str] = &["@file", "@module", "@packageDocumentation", "\\file"];
    if language.spec.is_data {
        return None;
    }
    let docs: Vec<&Trivia> =
        outline.trivia.iter().filter(|trivia| trivia.range.start == start).collect();
    let text = &source[docs.first()?.range.clone()];
    FILE_TAGS.iter().any(|tag| text.contains(tag)).then_some(docs)
}

/// Groups the comments before an offset; empty lines and code separate groups.
fn groups<'a>(
    source: &'a str,
    outline: &'a Outline,
    end: usize,
) -> impl Iterator<Item = Vec<&'a Trivia>> {
    let is_comment = |trivia: &&Trivia| {
        !trivia.is_attribute
            && !["#!", "# syntax="]
                .iter()
                .any(|prefix| source[trivia.range.clone()].starts_with(prefix))
    };
    let head = outline.trivia.iter().filter(is_comment);
    let mut head = head.take_while(move |trivia| trivia.range.start < end).peekable();
    std::iter::from_fn(move || {
        let mut group = vec![head.next()?];
        while let Some(next) =
            head.next_if(|next| is_adjacent(source, group[group.len() - 1], next))
        {
            group.push(next);
        }
        Some(group)
    })
}

fn is_adjacent(source: &str, one: &Trivia, next: &Trivia) -> bool {
    let between = source.get(one.range.end..next.range.start).unwrap_or("x");
    let trailing = usize::from(source[..one.range.end].ends_with('\n'));
    between.trim().is_empty() && between.matches('\n').count() + trailing <= 1
}

fn is_summary(source: &str, group: &[&Trivia]) -> bool {
    let text = group_lines(source, group).join("\n");
    let is_excluded =
        group.iter().any(|trivia| contains_any(&source[trivia.range.clone()], NOT_A_SUMMARY));
    text.chars().any(char::is_alphanumeric) && !is_excluded && !text.starts_with('!')
}

/// Returns the lines of a group up to the license, without directives.
fn group_lines(source: &str, group: &[&Trivia]) -> Vec<String> {
    let texts = group.iter().map(|trivia| &source[trivia.range.clone()]);
    let lines =
        texts.flat_map(lines_or_gap).take_while(|line| !contains_any(line, LICENSE_PHRASES));
    lines.filter(|line| !contains_any(line, DIRECTIVES)).map(without_tag).collect()
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    let text = text.to_lowercase();
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// Strips the tag that refers a line to the file.
fn without_tag(line: &str) -> String {
    const TAGS: &[&str] = &["@fileoverview", "@file", "@packageDocumentation", "\\file"];
    let text = TAGS.iter().find_map(|tag| line.strip_prefix(tag)).unwrap_or(line);
    text.trim().to_owned()
}

/// Returns the lines of a comment; an empty comment separates paragraphs.
fn lines_or_gap(text: &str) -> Vec<&str> {
    let lines = doc_text::lines(text);
    if lines.is_empty() { vec![""] } else { lines }
}

fn truncate(lines: &[String], verbosity: Verbosity) -> String {
    let lines: Vec<&str> =
        lines.iter().skip_while(|line| line.is_empty()).map(String::as_str).collect();
    match verbosity {
        Verbosity::Minimal => doc_text::first_sentence(&lines).unwrap_or_default(),
        Verbosity::Standard => first_paragraph(&lines),
        Verbosity::Verbose => lines.join("\n").trim_end().to_owned(),
    }
}

/// Returns the first paragraph; a long one ends with the last sentence that fits.
fn first_paragraph(lines: &[&str]) -> String {
    let paragraph: Vec<&str> = lines.iter().take_while(|line| !line.is_empty()).copied().collect();
    let text = paragraph[..paragraph.len().min(MAX_LINES)].join("\n").trim_end().to_owned();
    if paragraph.len() <= MAX_LINES {
        return text;
    }
    match doc_text::last_sentence_end(&text) {
        Some(end) => text[..end].to_owned(),
        None => format!("{text} ..."),
    }
}

/// Lines of a summary at standard verbosity.
const MAX_LINES: usize = 6;

#[cfg(test)]
mod tests {
    use crate::{SkeletonOptions, language_by_name, skeleton};

    #[track_caller]
    fn check(language: &str, source: &str, expected: Option<&str>) {
        let skeleton = skeleton(source, language_by_name(language), SkeletonOptions::default());
        assert_eq!(skeleton.summary.as_deref(), expected);
    }

    #[test]
    fn a_long_paragraph_ends_with_a_sentence() {
        let lines = "//! One. Two\n//! goes on. Three\n//! a\n//! b\n//! c\n//! d\n//! e.\n";
        check("Rust", &format!("{lines}\npub fn a() {{}}\n"), Some("One. Two\ngoes on."));
        let endless = "//! word\n".repeat(9);
        let shown = format!("{} ...", ["word"; 6].join("\n"));
        check("Rust", &format!("{endless}\npub fn a() {{}}\n"), Some(&shown));
    }

    #[test]
    fn ignores_licenses_and_directives() {
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
