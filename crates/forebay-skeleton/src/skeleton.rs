//! The skeleton of a file: its public surface, as text and as a list.

use std::ops::RangeInclusive;

use forebay_text::number;

use crate::document::{Document, NotParsed};
use crate::kind::Kind;
use crate::language::Language;
use crate::nature;
use crate::outline::{Item, Outline};
use crate::recover;
use crate::render;
use crate::{fallback, purpose, surface};

/// How much of each item is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Signatures alone.
    Minimal,
    /// And the first line of docs, and attributes that matter.
    #[default]
    Standard,
    /// And all docs.
    Verbose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub verbosity: Verbosity,
    /// Each item tells its lines, so that it can be read next.
    pub line_numbers: bool,
    /// Private items are shown as well.
    pub private: bool,
}

/// A source file reduced to its public surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// Items in source order, as code that leaves out bodies; `...` stands for what is left out.
    pub text: String,
    /// What the file says it is for.
    pub purpose: Option<String>,
    /// All items, also those that the text leaves out.
    pub symbols: Vec<Symbol>,
    pub state: State,
    remark: (&'static str, &'static str),
}

/// An item with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub kind: Kind,
    /// Counted from 1, docs and attributes not included.
    pub lines: RangeInclusive<usize>,
    pub public: bool,
    /// The name of what it stands in or belongs to.
    pub parent: Option<String>,
}

/// How a skeleton came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Parsed,
    /// The file does not parse; these are the items that could be told apart.
    Partial {
        /// The first line that does not fit, counted from 1.
        line: usize,
    },
    /// No grammar was used; the outline follows the indentation.
    Fallback(Option<NotParsed>),
    /// Written by a program to be short; nothing of it is shown.
    Minified,
    /// Written by a program, and complete.
    Generated,
}

/// The skeleton of a text; without a language, an outline by indentation.
pub fn skeleton(source: &str, language: Option<&'static Language>, options: Options) -> Skeleton {
    let Some(language) = language else { return fallback::skeleton(source, None) };
    if !language.table.is_data && nature::is_minified(source) {
        return minified(source, language);
    }
    // Private items may stand in tests, which the quick way leaves out.
    let quick = if options.private { None } else { surface::parsed(source, language) };
    if let Some(document) = quick {
        return document.skeleton(options);
    }
    match Document::parse(source, language) {
        Ok(document) => document.skeleton(options),
        Err(reason) => fallback::skeleton(source, Some((language, reason))),
    }
}

impl Document {
    pub fn skeleton(&self, options: Options) -> Skeleton {
        let source = &self.source;
        let (outline, state) = self.outline();
        if outline.items.is_empty() && self.is_tangled() {
            return fallback::skeleton(source, Some((self.language, NotParsed::TooLong)));
        }
        let is_generated = nature::is_generated(source) && !nature::is_minified(source);
        let state = match state {
            State::Parsed if is_generated => State::Generated,
            state => state,
        };
        Skeleton {
            text: render::render(self.language, source, &outline, options),
            purpose: purpose::purpose(self.language, source, &outline, options.verbosity),
            symbols: symbols(source, &outline),
            state,
            remark: self.language.table.notation.remark,
        }
    }

    /// The items, recovered as far as possible where the text does not parse.
    pub(crate) fn outline(&self) -> (Outline, State) {
        let outline = Outline::of(self);
        let Some(error) = self.syntax_errors().into_iter().next() else {
            return (outline, State::Parsed);
        };
        (recover::recovered(self, outline), State::Partial { line: error.line })
    }

    pub fn symbols(&self) -> Vec<Symbol> {
        symbols(&self.source, &self.outline().0)
    }
}

impl Skeleton {
    pub(crate) fn new(text: String, symbols: Vec<Symbol>, state: State) -> Self {
        Self { text, purpose: None, symbols, state, remark: ("// ", "") }
    }

    /// The whole answer: path line, purpose, a word on how it came about, and the items.
    pub fn with_head(&self, path: &str) -> String {
        let mut text = self.remarked(&format!("=== {path} ==="));
        if let Some(purpose) = &self.purpose {
            text.push_str(&self.remarked(&format!("Purpose: {purpose}")));
        }
        if let Some(note) = self.state.note() {
            text.push_str(&self.remarked(&note));
        }
        if !self.text.is_empty() {
            text.push('\n');
            text.push_str(&self.text);
        }
        text
    }

    fn remarked(&self, words: &str) -> String {
        let (open, close) = self.remark;
        words
            .lines()
            .map(|line| format!("{}\n", format!("{open}{line}{close}").trim_end()))
            .collect()
    }
}

impl State {
    /// What a reader must know before trusting the items to be all.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Parsed => None,
            Self::Partial { line } => {
                Some(format!("does not parse at line {line}: items near it may be missing"))
            }
            Self::Fallback(Some(reason)) => {
                Some(format!("{reason}: an outline by indentation, items may be missing"))
            }
            Self::Fallback(None) => {
                Some("no grammar for this file: an outline by indentation".to_owned())
            }
            Self::Minified => Some("minified: nothing of it is shown".to_owned()),
            Self::Generated => Some("generated by a program".to_owned()),
        }
    }
}

fn minified(source: &str, language: &'static Language) -> Skeleton {
    let mut skeleton = Skeleton::new(String::new(), Vec::new(), State::Minified);
    skeleton.remark = language.table.notation.remark;
    let counted = |count: usize, noun| number::counted(count as u64, noun);
    let (bytes, lines) = (counted(source.len(), "byte"), counted(source.lines().count(), "line"));
    skeleton.purpose = Some(format!("{bytes} in {lines}"));
    skeleton
}

fn symbols(source: &str, outline: &Outline) -> Vec<Symbol> {
    let lines = LineIndex::of(source);
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
        public: item.public,
        parent: item.owner.clone().or(parent),
    }
}

/// Finds the line of an offset.
pub(crate) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub(crate) fn of(source: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', source.as_bytes()).collect())
    }

    /// Counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|line_break| *line_break < offset) + 1
    }

    pub(crate) fn range(&self, range: &std::ops::Range<usize>) -> RangeInclusive<usize> {
        let last = range.end.saturating_sub(1).max(range.start);
        self.line(range.start)..=self.line(last)
    }
}
