//! The skeleton of a file: its public API as text and as a list of symbols.

use std::fmt;
use std::ops::RangeInclusive;

use forebay_text::number;

use crate::document::{Document, ParseError};
use crate::file_class;
use crate::language::Language;
use crate::outline::{Item, Outline};
use crate::recover;
use crate::render::{self, LeftOut};
use crate::symbol_kind::SymbolKind;
use crate::{elision, fallback, module_doc};

/// How much of each item is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Signatures only.
    Minimal,
    /// Also the first sentence of docs, and relevant attributes.
    #[default]
    Standard,
    /// Also all docs.
    Verbose,
}

/// What a skeleton shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkeletonOptions {
    pub verbosity: Verbosity,
    /// Appends the lines of each item, for reading it next.
    pub line_numbers: bool,
    /// Includes private items.
    pub include_private: bool,
}

/// A source file reduced to its public API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// Items in source order, as code without bodies; `...` marks omissions.
    pub text: String,
    /// Summary of the file's own documentation.
    pub summary: Option<String>,
    /// All items, including those that the text omits.
    pub symbols: Vec<Symbol>,
    pub status: SkeletonStatus,
    left_out: LeftOut,
    comment: (&'static str, &'static str),
}

/// A symbol and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub kind: SymbolKind,
    /// Counted from 1, without docs and attributes.
    pub lines: RangeInclusive<usize>,
    pub is_public: bool,
    /// Name of the enclosing item or owning type.
    pub parent: Option<String>,
}

/// How a skeleton was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkeletonStatus {
    Parsed,
    /// The file has syntax errors; some items may be missing.
    Partial {
        /// Line of the first error, counted from 1.
        line: usize,
    },
    /// No grammar was used; the outline follows the indentation.
    Fallback(Option<ParseError>),
    /// Minified: no items are shown.
    Minified,
    /// Generated code, complete.
    Generated,
}

/// Fewer lines of private items are not worth a remark.
const MIN_LINES_LEFT_OUT: usize = 20;

/// Makes the skeleton of a text; without a language, an outline by indentation.
pub fn skeleton(
    source: &str,
    language: Option<&'static Language>,
    options: SkeletonOptions,
) -> Skeleton {
    let Some(language) = language else { return fallback::skeleton(source, None) };
    if !language.spec.is_data && file_class::is_minified(source) {
        return minified(source, language);
    }
    // Private items may be in test modules, which elision omits.
    let elided = if options.include_private { None } else { elision::parse(source, language) };
    if let Some(document) = elided {
        return document.skeleton(options);
    }
    match Document::parse(source, language) {
        Ok(document) => document.skeleton(options),
        Err(reason) => fallback::skeleton(source, Some((language, reason))),
    }
}

impl Document {
    pub fn skeleton(&self, options: SkeletonOptions) -> Skeleton {
        let source = &self.source;
        let (outline, status) = self.outline();
        if outline.items.is_empty() && self.is_tangled() {
            return fallback::skeleton(source, Some((self.language, ParseError::TooLong)));
        }
        let is_generated = file_class::is_generated(source) && !file_class::is_minified(source);
        let status = match status {
            SkeletonStatus::Parsed if is_generated => SkeletonStatus::Generated,
            status => status,
        };
        let render::Rendered { text, left_out } =
            render::render(self.language, source, &outline, options);
        Skeleton {
            text,
            left_out,
            summary: module_doc::module_doc(self.language, source, &outline, options.verbosity),
            symbols: symbols(source, &outline),
            status,
            comment: self.language.spec.comment_syntax.comment,
        }
    }

    /// Returns the items, recovered as far as possible from syntax errors.
    pub(crate) fn outline(&self) -> (Outline, SkeletonStatus) {
        let outline = Outline::new(self);
        let Some(error) = self.syntax_errors().into_iter().next() else {
            return (outline, SkeletonStatus::Parsed);
        };
        (recover::recover(self, outline), SkeletonStatus::Partial { line: error.line })
    }

    pub fn symbols(&self) -> Vec<Symbol> {
        symbols(&self.source, &self.outline().0)
    }
}

impl Skeleton {
    pub(crate) fn new(text: String, symbols: Vec<Symbol>, status: SkeletonStatus) -> Self {
        let left_out = LeftOut::default();
        Self { text, summary: None, symbols, status, left_out, comment: ("// ", "") }
    }

    /// Returns the full answer: path, file summary, note on the status, and the items.
    pub fn with_header(&self, path: &str) -> String {
        let mut text = self.commented(&format!("=== {path} ==="));
        if let Some(summary) = &self.summary {
            text.push_str(&self.commented(&format!("Purpose: {summary}")));
        }
        if let Some(note) = self.status.note() {
            text.push_str(&self.commented(&note));
        }
        if !self.text.is_empty() {
            text.push('\n');
            text.push_str(&self.text);
        }
        if self.left_out.lines >= MIN_LINES_LEFT_OUT {
            text.push_str(&self.commented(&self.left_out.to_string()));
        }
        text
    }

    fn commented(&self, text: &str) -> String {
        let (open, close) = self.comment;
        text.lines()
            .map(|line| format!("{}\n", format!("{open}{line}{close}").trim_end()))
            .collect()
    }
}

impl SkeletonStatus {
    /// Returns what limits the skeleton, if anything.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Parsed => None,
            Self::Partial { line } => {
                Some(format!("syntax error at line {line}: nearby items may be missing"))
            }
            Self::Fallback(Some(reason)) => {
                Some(format!("{reason}: outline by indentation, items may be missing"))
            }
            Self::Fallback(None) => {
                Some("no grammar for this file: outline by indentation".to_owned())
            }
            Self::Minified => Some("minified: no items shown".to_owned()),
            Self::Generated => Some("generated code".to_owned()),
        }
    }
}

fn minified(source: &str, language: &'static Language) -> Skeleton {
    let mut skeleton = Skeleton::new(String::new(), Vec::new(), SkeletonStatus::Minified);
    skeleton.comment = language.spec.comment_syntax.comment;
    let counted = |count: usize, noun| number::counted(count as u64, noun);
    let (bytes, lines) = (counted(source.len(), "byte"), counted(source.lines().count(), "line"));
    skeleton.summary = Some(format!("{bytes} in {lines}"));
    skeleton
}

fn symbols(source: &str, outline: &Outline) -> Vec<Symbol> {
    let lines = LineIndex::new(source);
    let mut symbols = Vec::with_capacity(outline.items.len());
    for item in &outline.items {
        let names = std::iter::once(&item.name).chain(&item.more_names);
        symbols.extend(names.map(|name| symbol(outline, &lines, item, name)));
    }
    symbols
}

fn symbol(outline: &Outline, lines: &LineIndex, item: &Item, name: &str) -> Symbol {
    let parent = item.parent.map(|parent| outline.items[parent].name.clone());
    Symbol {
        name: name.to_owned(),
        kind: item.kind,
        lines: lines.range(&item.range),
        is_public: item.is_public,
        parent: item.owner.clone().or(parent),
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, noun| number::counted(count as u64, noun);
        let (items, lines) = (counted(self.items, "private item"), counted(self.lines, "line"));
        write!(f, "not shown: {items} with {lines}; option `private` shows them")
    }
}

/// Maps offsets to lines.
pub(crate) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub(crate) fn new(source: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', source.as_bytes()).collect())
    }

    /// Returns the line of an offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|line_break| *line_break < offset) + 1
    }

    pub(crate) fn range(&self, range: &std::ops::Range<usize>) -> RangeInclusive<usize> {
        let last = range.end.saturating_sub(1).max(range.start);
        self.line(range.start)..=self.line(last)
    }
}
