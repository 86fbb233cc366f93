//! Writes an outline as code without bodies.

mod header;
mod shown;

use crate::docs;
use crate::language::Language;
use crate::outline::{Item, Outline};
use crate::skeleton::{LineIndex, Options, Verbosity};
use shown::Shown;

pub(crate) fn render(
    language: &Language,
    source: &str,
    outline: &Outline,
    options: Options,
) -> String {
    let shown = Shown::of(language, source, outline, options.private);
    let lines = LineIndex::of(source);
    let mut writer =
        Writer { language, source, outline, options, shown, lines, out: String::new() };
    writer.block(None, 0);
    writer.out
}

/// The text of one item on one line, without what stands in it and with the word that leads its group.
pub(crate) fn signature(
    language: &Language,
    source: &str,
    outline: &Outline,
    item: &Item,
) -> String {
    header::led(language, item, header::of(language, source, outline, item, header::LONG_HEAD).head)
}

struct Writer<'a> {
    language: &'a Language,
    source: &'a str,
    outline: &'a Outline,
    options: Options,
    shown: Shown,
    lines: LineIndex,
    out: String,
}

/// What stands for something that is left out.
pub(crate) const LEFT_OUT: &str = "...";
const INDENT: &str = "    ";
/// Parts of a type share a line up to this width.
const WIDTH: usize = 100;
/// Where names matter most, a signature that takes longer is cut.
const LONG_MINIMAL_HEAD: usize = 160;

impl<'a> Writer<'a> {
    /// Writes what stands in an item, or at the top.
    fn block(&mut self, parent: Option<usize>, depth: usize) {
        let mut was_large = false;
        let mut section = None;
        let children: Vec<usize> = self.visible(parent);
        for (position, index) in children.into_iter().enumerate() {
            let own = self.section(index);
            if let Some(mark) = own.filter(|_| own != section) {
                self.line(depth.saturating_sub(1), mark);
            }
            section = own;
            let start = self.out.len();
            self.item(index, depth);
            let is_large = self.out[start..].trim_end().contains('\n');
            // An empty line sets apart what takes several lines at the top.
            if position > 0 && depth == 0 && (was_large || is_large) {
                self.out.insert(start, '\n');
            }
            was_large = is_large;
        }
    }

    /// The mark of the section that an item stands in, where marks are shown.
    fn section(&self, index: usize) -> Option<&'a str> {
        let end = self.language.table.section_end;
        let (start, _) = self.outline.section(index).filter(|_| !end.is_empty())?;
        let length = self.source[start..].find(end)? + end.len();
        Some(&self.source[start..start + length])
    }

    fn visible(&self, parent: Option<usize>) -> Vec<usize> {
        self.outline.children(parent).filter(|index| self.shown.is(*index)).collect()
    }

    fn item(&mut self, index: usize, depth: usize) {
        let item: &'a Item = &self.outline.items[index];
        let docs = self.docs(item);
        if !self.language.table.notation.doc_inside {
            self.docs_before(&docs, depth);
        }
        self.attributes(item, depth);
        let header = self.header(item);
        match &item.members {
            Some(_) => self.container(index, &header, &docs, depth),
            None => self.plain(item, &header, &docs, depth),
        }
    }

    fn header(&self, item: &Item) -> header::Header {
        let longest = match self.options.verbosity {
            Verbosity::Minimal => LONG_MINIMAL_HEAD,
            Verbosity::Standard | Verbosity::Verbose => header::LONG_HEAD,
        };
        header::of(self.language, self.source, self.outline, item, longest)
    }

    /// An item that nothing stands in.
    fn plain(&mut self, item: &Item, header: &header::Header, docs: &[&str], depth: usize) {
        let number = self.line_number(item);
        if !self.language.table.notation.doc_inside || !item.kind.is_callable() {
            return self.line(depth, &format!("{}{}{number}", header.head, header.tail));
        }
        if docs.is_empty() {
            self.line(depth, &format!("{} {LEFT_OUT}{number}", header.head));
        } else {
            self.line(depth, &format!("{}{number}", header.head));
            self.docs_inside(docs, depth + 1);
        }
    }

    fn container(&mut self, index: usize, header: &header::Header, docs: &[&str], depth: usize) {
        let item: &'a Item = &self.outline.items[index];
        let number = self.line_number(item);
        let children = self.visible(Some(index));
        let all = self.outline.children(Some(index)).count();
        let header::Header { head, open, close, tail } = header;
        let docs = if self.language.table.notation.doc_inside { docs } else { &[] };
        if children.is_empty() && docs.is_empty() {
            let is_empty = all == 0 && (self.is_blank(item) || self.language.table.is_flat);
            let inside = if is_empty { String::new() } else { format!(" {LEFT_OUT} ") };
            let text = format!("{head}{open}{inside}{close}{tail}");
            return self.line(depth, &format!("{}{number}", text.trim_end()));
        }
        if let Some(parts) = self.parts_on_a_line(&children, all, docs) {
            let gap = if open.ends_with('(') { "" } else { " " };
            let text = format!("{head}{open}{gap}{parts}{gap}{close}{tail}");
            if text.len() + depth * INDENT.len() <= WIDTH {
                return self.line(depth, &text);
            }
        }
        self.line(depth, &format!("{head}{open}{number}"));
        self.docs_inside(docs, depth + 1);
        let left_out = children.len() < all;
        self.block(Some(index), depth + 1);
        if left_out && !self.language.table.is_flat {
            self.line(depth + 1, LEFT_OUT);
        }
        match (close.is_empty(), tail.is_empty()) {
            (true, true) => {}
            (true, false) => self.line(depth + 1, tail.trim_start()),
            (false, _) => self.line(depth, &format!("{close}{tail}")),
        }
    }

    /// Whether a block has brackets and, as far as its language tells, nothing in them.
    fn is_blank(&self, item: &Item) -> bool {
        let block = item.members.clone().map_or("", |members| &self.source[members]);
        let inner = block.trim_matches(['{', '}', '(', ')', ' ', '\n', '\r', '\t']);
        let has_brackets = block.ends_with(['}', ')']);
        has_brackets && (inner.is_empty() || !self.language.table.is_data)
    }

    /// The parts of a type on one line, if nothing is to be said about any of them.
    fn parts_on_a_line(&self, children: &[usize], all: usize, docs: &[&str]) -> Option<String> {
        let items = children.iter().map(|index| &self.outline.items[*index]);
        let is_bare = |item: &Item| {
            item.kind.is_part()
                && item.members.is_none()
                && self.docs(item).is_empty()
                && self.shown_attributes(item).is_empty()
        };
        let is_parted = children.iter().any(|index| self.section(*index).is_some());
        let brackets = is_parted
            || !docs.is_empty()
            || self.options.line_numbers
            || self.language.table.is_data;
        if brackets || self.language.table.notation.doc_inside || !items.clone().all(is_bare) {
            return None;
        }
        let mut parts: Vec<String> = items
            .map(|item| self.header(item))
            .map(|header| format!("{}{}", header.head, header.tail))
            .collect();
        if children.len() < all {
            parts.push(LEFT_OUT.to_owned());
        }
        let (_, others) = parts.split_last()?;
        let are_parted = others.iter().all(|part| part.ends_with([',', ';']));
        let parts = parts.join(" ");
        are_parted.then(|| parts.trim_end_matches(',').to_owned())
    }

    fn line(&mut self, depth: usize, text: &str) {
        let depth = if self.language.table.is_flat { 0 } else { depth };
        for _ in 0..depth {
            self.out.push_str(INDENT);
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn line_number(&self, item: &Item) -> String {
        if !self.options.line_numbers {
            return String::new();
        }
        let range = self.lines.range(&item.range);
        let (open, close) = self.language.table.notation.remark;
        let (first, last) = (range.start(), range.end());
        let lines = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        format!("  {open}{lines}{close}")
    }

    /// The lines of docs to show.
    fn docs(&self, item: &Item) -> Vec<&'a str> {
        // The head of a file of data speaks of the file.
        let is_purpose = self.language.table.is_data && self.outline.items.first() == Some(item);
        if self.options.verbosity == Verbosity::Minimal || is_purpose {
            return Vec::new();
        }
        let notation = &self.language.table.notation;
        let is_verbose = self.options.verbosity == Verbosity::Verbose;
        let mut lines: Vec<&'a str> = match &item.doc {
            Some(range) if is_verbose => docs::whole(std::iter::once(&self.source[range.clone()])),
            Some(range) => docs::lines(&self.source[range.clone()]),
            None if notation.doc_inside => Vec::new(),
            None => {
                let before = self.outline.before(self.source, item.range.start).iter();
                let comments = before.filter(|trivia| !trivia.is_attribute);
                let texts = comments.map(|trivia| &self.source[trivia.range.clone()]);
                let is_doc = |text: &&str| {
                    notation.doc_marks.iter().any(|mark| text.starts_with(mark))
                        && !notation.file_marks.iter().any(|mark| text.starts_with(mark))
                };
                let texts = texts.filter(is_doc);
                if is_verbose { docs::whole(texts) } else { texts.flat_map(docs::lines).collect() }
            }
        };
        if self.options.verbosity == Verbosity::Standard {
            lines.retain(|line| !line.is_empty());
            lines.truncate(1);
        }
        lines
    }

    fn docs_before(&mut self, docs: &[&str], depth: usize) {
        let (open, close) = self.language.table.notation.doc;
        match docs {
            [] => {}
            _ if close.is_empty() => {
                for line in docs {
                    self.line(depth, format!("{open}{line}").trim_end());
                }
            }
            [line] => self.line(depth, &format!("{open}{line}{close}")),
            lines => {
                self.line(depth, open.trim_end());
                for line in lines {
                    self.line(depth, format!(" * {line}").trim_end());
                }
                self.line(depth, close);
            }
        }
    }

    fn docs_inside(&mut self, docs: &[&str], depth: usize) {
        let Some((last, lines)) = docs.split_last() else { return };
        let (mut open, close) = self.language.table.notation.doc;
        for line in lines {
            self.line(depth, format!("{open}{line}").trim_end());
            open = "";
        }
        self.line(depth, &format!("{open}{last}{close}"));
    }

    fn shown_attributes(&self, item: &Item) -> Vec<&'a str> {
        let table = self.language.table;
        let shows = match self.options.verbosity {
            Verbosity::Minimal => table.vital,
            _ => table.attribute,
        };
        let before = self.outline.before(self.source, item.range.start).iter();
        let attributes = before.filter(|trivia| trivia.is_attribute);
        let texts = attributes.map(|trivia| self.source[trivia.range.clone()].trim());
        texts.filter(|text| shows(text)).collect()
    }

    fn attributes(&mut self, item: &Item, depth: usize) {
        let attributes: Vec<String> =
            self.shown_attributes(item).into_iter().map(header::squeezed).collect();
        for attribute in attributes {
            self.line(depth, &attribute);
        }
    }
}
