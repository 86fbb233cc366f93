//! Writes an outline as code without bodies.

mod header;
mod visible;

use std::borrow::Cow;

use crate::doc_text;
use crate::language::Language;
use crate::outline::{Item, Outline};
use crate::skeleton::{LineIndex, SkeletonOptions, Verbosity};
pub(crate) use visible::LeftOut;
use visible::VisibleItems;

/// An outline as text, and what it leaves out.
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) left_out: LeftOut,
}

pub(crate) fn render(
    language: &Language,
    source: &str,
    outline: &Outline,
    options: SkeletonOptions,
) -> Rendered {
    let visible = VisibleItems::new(language, source, outline, options.include_private);
    let lines = LineIndex::new(source);
    let left_out = visible.left_out(outline, &lines);
    let mut writer =
        Writer { language, source, outline, options, visible, lines, out: String::new() };
    writer.write_block(None, 0);
    Rendered { text: writer.out, left_out }
}

/// Returns an item on one line, without its members, with the keyword of its group.
pub(crate) fn signature(
    language: &Language,
    source: &str,
    outline: &Outline,
    item: &Item,
) -> String {
    header::with_keyword(
        language,
        item,
        header::build(language, source, outline, item, header::MAX_HEAD).head,
    )
}

struct Writer<'a> {
    language: &'a Language,
    source: &'a str,
    outline: &'a Outline,
    options: SkeletonOptions,
    visible: VisibleItems,
    lines: LineIndex,
    out: String,
}

/// Marks omitted text.
pub(crate) const ELLIPSIS: &str = "...";
const INDENT: &str = "    ";
/// Members are written on one line up to this width.
const MAX_LINE_WIDTH: usize = 100;
/// Longer signatures are cut at minimal verbosity.
const MAX_MINIMAL_HEAD: usize = 160;

impl<'a> Writer<'a> {
    /// Writes the members of an item, or the top-level items.
    fn write_block(&mut self, parent: Option<usize>, depth: usize) {
        let mut was_large = false;
        let mut section = None;
        let children: Vec<usize> = self.visible_children(parent);
        for (position, index) in children.into_iter().enumerate() {
            let label = self.section_label(index);
            if let Some(new) = label.filter(|_| label != section) {
                self.write_line(depth.saturating_sub(1), new);
            }
            section = label;
            let start = self.out.len();
            self.write_item(index, depth);
            let is_large = self.out[start..].trim_end().contains('\n');
            // Top-level items of several lines are separated by empty lines.
            if position > 0 && depth == 0 && (was_large || is_large) {
                self.out.insert(start, '\n');
            }
            was_large = is_large;
        }
    }

    /// Returns the section label of an item, in languages whose labels are shown.
    fn section_label(&self, index: usize) -> Option<&'a str> {
        let end = self.language.spec.section_end;
        let (start, _) = self.outline.section(index).filter(|_| !end.is_empty())?;
        let length = self.source[start..].find(end)? + end.len();
        Some(&self.source[start..start + length])
    }

    fn visible_children(&self, parent: Option<usize>) -> Vec<usize> {
        self.outline.children(parent).filter(|index| self.visible.contains(*index)).collect()
    }

    fn write_item(&mut self, index: usize, depth: usize) {
        let item: &'a Item = &self.outline.items[index];
        let docs = self.docs(item);
        if !self.language.spec.comment_syntax.doc_in_body {
            self.write_docs_before(&docs, depth);
        }
        self.write_attributes(item, depth);
        let header = self.header(item);
        match &item.members {
            Some(_) => self.write_container(index, &header, &docs, depth),
            None => self.write_leaf(item, &header, &docs, depth),
        }
    }

    fn header(&self, item: &Item) -> header::Header {
        let max_head = match self.options.verbosity {
            Verbosity::Minimal => MAX_MINIMAL_HEAD,
            Verbosity::Standard | Verbosity::Verbose => header::MAX_HEAD,
        };
        header::build(self.language, self.source, self.outline, item, max_head)
    }

    /// Writes an item without members.
    fn write_leaf(
        &mut self,
        item: &Item,
        header: &header::Header,
        docs: &[Cow<'_, str>],
        depth: usize,
    ) {
        let number = self.line_number(item);
        if !self.language.spec.comment_syntax.doc_in_body || !item.kind.is_callable() {
            return self.write_line(depth, &format!("{}{}{number}", header.head, header.tail));
        }
        if docs.is_empty() {
            self.write_line(depth, &format!("{} {ELLIPSIS}{number}", header.head));
        } else {
            self.write_line(depth, &format!("{}{number}", header.head));
            self.write_docs_inside(docs, depth + 1);
        }
    }

    fn write_container(
        &mut self,
        index: usize,
        header: &header::Header,
        docs: &[Cow<'_, str>],
        depth: usize,
    ) {
        let item: &'a Item = &self.outline.items[index];
        let number = self.line_number(item);
        let children = self.visible_children(Some(index));
        let all = self.outline.children(Some(index)).count();
        let header::Header { head, open, close, tail } = header;
        let docs = if self.language.spec.comment_syntax.doc_in_body { docs } else { &[] };
        if children.is_empty() && docs.is_empty() {
            let is_empty = all == 0 && (self.is_empty_block(item) || self.language.spec.is_flat);
            let inside = if is_empty { String::new() } else { format!(" {ELLIPSIS} ") };
            let text = format!("{head}{open}{inside}{close}{tail}");
            return self.write_line(depth, &format!("{}{number}", text.trim_end()));
        }
        if let Some(parts) = self.inline_parts(&children, all, docs) {
            let gap = if open.ends_with('(') { "" } else { " " };
            let text = format!("{head}{open}{gap}{parts}{gap}{close}{tail}");
            if text.len() + depth * INDENT.len() <= MAX_LINE_WIDTH {
                return self.write_line(depth, &format!("{text}{number}"));
            }
        }
        self.write_line(depth, &format!("{head}{open}{number}"));
        self.write_docs_inside(docs, depth + 1);
        let left_out = children.len() < all;
        self.write_block(Some(index), depth + 1);
        if left_out && !self.language.spec.is_flat {
            self.write_line(depth + 1, ELLIPSIS);
        }
        match (close.is_empty(), tail.is_empty()) {
            (true, true) => {}
            (true, false) => self.write_line(depth + 1, tail.trim_start()),
            (false, _) => self.write_line(depth, &format!("{close}{tail}")),
        }
    }

    /// Returns whether a block has brackets with nothing in them.
    fn is_empty_block(&self, item: &Item) -> bool {
        let block = item.members.clone().map_or("", |members| &self.source[members]);
        let inner = block.trim_matches(['{', '}', '(', ')', ' ', '\n', '\r', '\t']);
        let has_brackets = block.ends_with(['}', ')']);
        has_brackets && (inner.is_empty() || !self.language.spec.is_data)
    }

    /// Returns the members on one line, if none of them has docs or attributes.
    fn inline_parts(
        &self,
        children: &[usize],
        all: usize,
        docs: &[Cow<'_, str>],
    ) -> Option<String> {
        let items = children.iter().map(|index| &self.outline.items[*index]);
        let is_bare = |item: &Item| {
            item.kind.is_part()
                && item.members.is_none()
                && self.docs(item).is_empty()
                && self.visible_attributes(item).is_empty()
        };
        let has_sections = children.iter().any(|index| self.section_label(*index).is_some());
        let brackets = has_sections || !docs.is_empty() || self.language.spec.is_data;
        if brackets || self.language.spec.comment_syntax.doc_in_body || !items.clone().all(is_bare)
        {
            return None;
        }
        let mut parts: Vec<String> = items
            .map(|item| self.header(item))
            .map(|header| format!("{}{}", header.head, header.tail))
            .collect();
        if children.len() < all {
            parts.push(ELLIPSIS.to_owned());
        }
        let (_, others) = parts.split_last()?;
        let are_separated = others.iter().all(|part| part.ends_with([',', ';']));
        let parts = parts.join(" ");
        are_separated.then(|| parts.trim_end_matches(',').to_owned())
    }

    fn write_line(&mut self, depth: usize, text: &str) {
        let depth = if self.language.spec.is_flat { 0 } else { depth };
        for _ in 0..depth {
            self.out.push_str(INDENT);
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn line_number(&self, item: &Item) -> String {
        // A field or a variant is next to the line of its type.
        if !self.options.line_numbers || item.kind.is_part() {
            return String::new();
        }
        let range = self.lines.range(&item.range);
        let (open, close) = self.language.spec.comment_syntax.comment;
        let (first, last) = (range.start(), range.end());
        let lines = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        format!("  {open}{lines}{close}")
    }

    /// Returns the lines of docs to show.
    fn docs(&self, item: &Item) -> Vec<Cow<'a, str>> {
        // The first comment of a data file describes the file.
        let is_file_header = self.language.spec.is_data && self.outline.items.first() == Some(item);
        if self.options.verbosity == Verbosity::Minimal || is_file_header {
            return Vec::new();
        }
        let comment_syntax = &self.language.spec.comment_syntax;
        let is_verbose = self.options.verbosity == Verbosity::Verbose;
        let lines: Vec<&'a str> = match &item.doc {
            Some(range) if is_verbose => {
                doc_text::full_lines(std::iter::once(&self.source[range.clone()]))
            }
            Some(range) => doc_text::lines(&self.source[range.clone()]),
            None if comment_syntax.doc_in_body => Vec::new(),
            None => {
                let before = self.outline.trivia_before(self.source, item.range.start).iter();
                let comments = before.filter(|trivia| !trivia.is_attribute);
                let texts = comments.map(|trivia| &self.source[trivia.range.clone()]);
                let is_doc = |text: &&str| {
                    comment_syntax.doc_prefixes.iter().any(|prefix| text.starts_with(prefix))
                        && !comment_syntax
                            .module_doc_prefixes
                            .iter()
                            .any(|prefix| text.starts_with(prefix))
                };
                let texts = texts.filter(is_doc);
                if is_verbose {
                    doc_text::full_lines(texts)
                } else {
                    texts.flat_map(doc_text::lines).collect()
                }
            }
        };
        if self.options.verbosity == Verbosity::Standard {
            return doc_text::first_sentence(&lines).map(Cow::Owned).into_iter().collect();
        }
        lines.into_iter().map(Cow::Borrowed).collect()
    }

    fn write_docs_before(&mut self, docs: &[Cow<'_, str>], depth: usize) {
        let (open, close) = self.language.spec.comment_syntax.doc;
        match docs {
            [] => {}
            _ if close.is_empty() => {
                for line in docs {
                    self.write_line(depth, format!("{open}{line}").trim_end());
                }
            }
            [line] => self.write_line(depth, &format!("{open}{line}{close}")),
            lines => {
                self.write_line(depth, open.trim_end());
                for line in lines {
                    self.write_line(depth, format!(" * {line}").trim_end());
                }
                self.write_line(depth, close);
            }
        }
    }

    fn write_docs_inside(&mut self, docs: &[Cow<'_, str>], depth: usize) {
        let Some((last, lines)) = docs.split_last() else { return };
        let (mut open, close) = self.language.spec.comment_syntax.doc;
        for line in lines {
            self.write_line(depth, format!("{open}{line}").trim_end());
            open = "";
        }
        self.write_line(depth, &format!("{open}{last}{close}"));
    }

    fn visible_attributes(&self, item: &Item) -> Vec<&'a str> {
        let spec = self.language.spec;
        let shows = match self.options.verbosity {
            Verbosity::Minimal => spec.is_essential_attribute,
            _ => spec.shows_attribute,
        };
        let before = self.outline.trivia_before(self.source, item.range.start).iter();
        let attributes = before.filter(|trivia| trivia.is_attribute);
        let texts = attributes.map(|trivia| self.source[trivia.range.clone()].trim());
        texts.filter(|text| shows(text)).collect()
    }

    fn write_attributes(&mut self, item: &Item, depth: usize) {
        let attributes: Vec<String> =
            self.visible_attributes(item).into_iter().map(header::collapse_lines).collect();
        for attribute in attributes {
            self.write_line(depth, &attribute);
        }
    }
}
