//! A parsed source file.

mod html_depth;

use std::ops::{ControlFlow, Range};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

use crate::elision::ElidedSource;
use crate::language::Language;

/// A source text with its syntax tree.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) source: String,
    pub(crate) language: &'static Language,
    pub(crate) tree: Tree,
    /// The text that was parsed, if it is not the whole source.
    pub(crate) elided: Option<ElidedSource>,
}

/// Why a text cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("larger than {} MB", MAX_SOURCE_BYTES / (1024 * 1024))]
    TooLarge,
    #[error("parsing takes too long")]
    TooLong,
    #[error("nested too deeply")]
    TooDeep,
    #[error("incompatible grammar version")]
    Grammar,
}

/// Larger texts are not parsed: they are not handwritten, and a tree takes twenty times their size.
pub(crate) const MAX_SOURCE_BYTES: usize = 8 * 1024 * 1024;
/// Browsers do not render more levels either.
const MAX_HTML_DEPTH: usize = 1_000;
/// Progress callbacks before the parser is stopped: a second or two of work. A count instead of a clock, so that the
/// same text always gives the same result.
const MIN_STEPS: usize = 20_000;
const STEPS_PER_KILOBYTE: usize = 40;

impl Document {
    pub fn parse(
        source: impl Into<String>,
        language: &'static Language,
    ) -> Result<Self, ParseError> {
        let source = source.into();
        let tree = parse_tree(&source, language, None)?;
        Ok(Self { source, language, tree, elided: None })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Returns the document after replacing `range` by `text`; unchanged parts are not parsed again.
    ///
    /// `range` is extended to character boundaries.
    pub fn edited(&self, range: Range<usize>, text: &str) -> Result<Self, ParseError> {
        let start = self.source.floor_char_boundary(range.start);
        let end = self.source.ceil_char_boundary(range.end).max(start);
        let mut source = String::with_capacity(self.source.len() + text.len());
        source.push_str(&self.source[..start]);
        source.push_str(text);
        source.push_str(&self.source[end..]);
        let mut old = self.tree.clone();
        old.edit(&input_edit(&self.source, start..end, &source));
        let old = self.elided.is_none().then_some(&old);
        let tree = parse_tree(&source, self.language, old)?;
        Ok(Self { source, language: self.language, tree, elided: None })
    }

    /// Returns the syntax tree as an S-expression, for writing queries.
    pub fn sexp(&self) -> String {
        self.tree.root_node().to_sexp()
    }

    /// Returns where the parser stopped; some grammars silently give up before the end.
    pub(crate) fn parsed_end(&self) -> usize {
        let root = self.tree.root_node();
        let last = root.child_count().checked_sub(1).and_then(|last| root.child(last));
        last.map_or(root.start_byte(), |last| last.end_byte())
    }

    /// Returns the text that the tree describes.
    pub(crate) fn parsed_text(&self) -> &str {
        self.elided.as_ref().map_or(&self.source, |elided| &elided.text)
    }

    /// Returns whether the whole text parsed without errors.
    pub fn is_error_free(&self) -> bool {
        let unread = &self.parsed_text()[self.parsed_end()..];
        !self.tree.root_node().has_error() && !unread.contains(char::is_alphanumeric)
    }
}

/// Parses within the bounds on size, depth and steps.
pub(crate) fn parse_tree(
    source: &str,
    language: &Language,
    old: Option<&Tree>,
) -> Result<Tree, ParseError> {
    parse_tree_with(Parser::new(), source, language, old)
}

/// As [`parse_tree`], with a configured parser.
pub(crate) fn parse_tree_with(
    mut parser: Parser,
    source: &str,
    language: &Language,
    old: Option<&Tree>,
) -> Result<Tree, ParseError> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(ParseError::TooLarge);
    }
    if language.name() == "HTML" && html_depth::max_element_depth(source) > MAX_HTML_DEPTH {
        return Err(ParseError::TooDeep);
    }
    let normalize = (language.spec.normalize)(source);
    let text = normalize.as_deref().unwrap_or(source);
    parser.set_language(&language.grammar()).map_err(|_| ParseError::Grammar)?;
    let mut steps = MIN_STEPS + source.len() / 1024 * STEPS_PER_KILOBYTE;
    let mut count = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut read = |offset: usize, _: Point| text.as_bytes().get(offset..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut count);
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    let mut tree = tree.ok_or(ParseError::TooLong)?;
    if text.len() > source.len() {
        tree.edit(&input_edit(text, source.len()..text.len(), source));
    }
    Ok(tree)
}

/// Describes the replacement of `range` of `old`, which resulted in `new`.
fn input_edit(old: &str, range: Range<usize>, new: &str) -> InputEdit {
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
