//! A parsed file: what everything else is read from.

mod elements;

use std::ops::{ControlFlow, Range};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

use crate::language::Language;
use crate::surface::Surface;

/// A source text with its syntax tree.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) source: String,
    pub(crate) language: &'static Language,
    pub(crate) tree: Tree,
    /// What was parsed, where that is not all of the source.
    pub(crate) surface: Option<Surface>,
}

/// Why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotParsed {
    #[error("it is larger than {} MB", LARGEST / (1024 * 1024))]
    TooLarge,
    #[error("parsing it takes too long")]
    TooLong,
    #[error("it nests too deep")]
    TooDeep,
    #[error("the grammar does not fit the parser")]
    Grammar,
}

/// Larger texts are not parsed: nobody wrote them by hand, and a tree takes twenty times their size.
pub(crate) const LARGEST: usize = 8 * 1024 * 1024;
/// More open elements are nothing that a browser shows.
const DEEPEST_ELEMENT: usize = 1_000;
/// How often the parser may report progress before it is stopped: a second or two of work. A count,
/// not a clock, so that the same text always gives the same answer.
const STEPS_AT_LEAST: usize = 20_000;
const STEPS_PER_KILOBYTE: usize = 40;

impl Document {
    pub fn parse(
        source: impl Into<String>,
        language: &'static Language,
    ) -> Result<Self, NotParsed> {
        let source = source.into();
        let tree = tree_of(&source, language, None)?;
        Ok(Self { source, language, tree, surface: None })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// The document after `range` was replaced by `text`; what did not change is not parsed again.
    ///
    /// `range` must lie on character boundaries within the source; it is moved to the next ones.
    pub fn edited(&self, range: Range<usize>, text: &str) -> Result<Self, NotParsed> {
        let start = self.source.floor_char_boundary(range.start);
        let end = self.source.ceil_char_boundary(range.end).max(start);
        let mut source = String::with_capacity(self.source.len() + text.len());
        source.push_str(&self.source[..start]);
        source.push_str(text);
        source.push_str(&self.source[end..]);
        let mut old = self.tree.clone();
        old.edit(&replacement(&self.source, start..end, &source));
        let old = self.surface.is_none().then_some(&old);
        let tree = tree_of(&source, self.language, old)?;
        Ok(Self { source, language: self.language, tree, surface: None })
    }

    /// The syntax tree as text, for those who write queries.
    pub fn sexp(&self) -> String {
        self.tree.root_node().to_sexp()
    }

    /// Where the parser stopped; some grammars give up before the end without a word.
    pub(crate) fn read_to(&self) -> usize {
        let root = self.tree.root_node();
        let last = root.child_count().checked_sub(1).and_then(|last| root.child(last));
        last.map_or(root.start_byte(), |last| last.end_byte())
    }

    /// The text that the tree is of.
    pub(crate) fn parsed_text(&self) -> &str {
        self.surface.as_ref().map_or(&self.source, |surface| &surface.text)
    }

    /// Whether every byte fits the grammar.
    pub fn is_whole(&self) -> bool {
        let unread = &self.parsed_text()[self.read_to()..];
        !self.tree.root_node().has_error() && !unread.contains(char::is_alphanumeric)
    }
}

/// Parses, within bounds.
pub(crate) fn tree_of(
    source: &str,
    language: &Language,
    old: Option<&Tree>,
) -> Result<Tree, NotParsed> {
    tree_by(Parser::new(), source, language, old)
}

/// The same with a parser that may have a log.
pub(crate) fn tree_by(
    mut parser: Parser,
    source: &str,
    language: &Language,
    old: Option<&Tree>,
) -> Result<Tree, NotParsed> {
    if source.len() > LARGEST {
        return Err(NotParsed::TooLarge);
    }
    if language.name() == "HTML" && elements::deepest(source) > DEEPEST_ELEMENT {
        return Err(NotParsed::TooDeep);
    }
    let masked = (language.table.masked)(source);
    let text = masked.as_deref().unwrap_or(source);
    parser.set_language(&language.grammar()).map_err(|_| NotParsed::Grammar)?;
    let mut steps = STEPS_AT_LEAST + source.len() / 1024 * STEPS_PER_KILOBYTE;
    let mut count = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut read = |offset: usize, _: Point| text.as_bytes().get(offset..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut count);
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    let mut tree = tree.ok_or(NotParsed::TooLong)?;
    if text.len() > source.len() {
        tree.edit(&replacement(text, source.len()..text.len(), source));
    }
    Ok(tree)
}

/// Tells a tree that `range` of the text `old` was replaced, which made it `new`.
fn replacement(old: &str, range: Range<usize>, new: &str) -> InputEdit {
    let new_end = range.end + new.len() - old.len();
    InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: new_end,
        start_position: point(old, range.start),
        old_end_position: point(old, range.end),
        new_end_position: point(new, new_end),
    }
}

fn point(source: &str, offset: usize) -> Point {
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Point { row: before.matches('\n').count(), column: offset - line_start }
}
