//! The text of an item on one line, without body, comments and long values.

use std::ops::Range;

use super::ELLIPSIS;
use crate::language::Language;
use crate::outline::{Item, Outline};
use crate::symbol_kind::SymbolKind;

/// The text of an item around its members.
pub(super) struct Header {
    pub(super) head: String,
    /// Brackets around the members.
    pub(super) open: String,
    pub(super) close: String,
    pub(super) tail: String,
}

/// Longer values are omitted.
const MAX_VALUE: usize = 60;
/// Longer signatures are cut.
pub(super) const MAX_HEAD: usize = 2_000;
/// A cut must save at least this many bytes.
const MIN_CUT: usize = 40;

/// Builds the header of an item; a head longer than `max_head` is cut.
pub(super) fn build(
    language: &Language,
    source: &str,
    outline: &Outline,
    item: &Item,
    max_head: usize,
) -> Header {
    // Members may be shown although they are part of an omitted body.
    let cuts = [item.members.as_ref(), item.body.as_ref()];
    let cut = cuts.into_iter().flatten().min_by_key(|cut| cut.start);
    let head_end =
        cut.map_or(item.range.end, |cut| cut.start.clamp(item.range.start, item.range.end));
    let head = without_comments_and_values(source, outline, item, item.range.start..head_end);
    let head = truncate_head(item, collapse_lines(&head), max_head);
    // A group shows the keyword for all its members.
    let is_in_group = item.parent.is_some_and(|parent| outline.items[parent].kind.is_grouping());
    let head = if is_in_group { head } else { with_keyword(language, item, head) };
    match (&item.members, &item.body) {
        (Some(members), _) => container(language, source, outline, item, members, head),
        (None, Some(_)) if language.spec.is_data && !language.spec.is_flat => {
            Header::plain(format!("{head} {ELLIPSIS}"), String::new())
        }
        (None, Some(_)) => {
            let separator =
                separator_after(source, item).filter(|_| item.kind == SymbolKind::Variant);
            Header::plain(
                without_terminator(language, &head),
                separator.unwrap_or_default().to_owned(),
            )
        }
        (None, None) if item.kind.is_callable() => {
            Header::plain(without_terminator(language, &head), String::new())
        }
        (None, None) => {
            let separator = separator_after(source, item).unwrap_or_default();
            Header::plain(head, separator.to_owned())
        }
    }
}

impl Header {
    fn plain(head: String, tail: String) -> Self {
        Self { head, open: String::new(), close: String::new(), tail }
    }
}

fn container(
    language: &Language,
    source: &str,
    outline: &Outline,
    item: &Item,
    members: &Range<usize>,
    head: String,
) -> Header {
    let block = &source[members.clone()];
    // The members may start after the opening bracket.
    let (head, block) = match head.strip_suffix('{') {
        Some(bare) => (bare.trim_end().to_owned(), "{"),
        None if starts_with_member(outline, members) => (head, ""),
        None => (head, block),
    };
    let head = head.trim_end_matches(',').to_owned();
    let end = item.body.as_ref().map_or(members.end, |body| body.end.max(members.end));
    let tail = source.get(end..item.range.end).unwrap_or_default();
    let tail = collapse_lines(tail.trim().trim_end_matches(language.spec.block_end));
    let (open, close) = brackets(language, block);
    let is_spaced = match open {
        "(" => source[..members.start].ends_with(char::is_whitespace),
        _ => open != ":",
    };
    let space = if open.is_empty() || head.is_empty() || !is_spaced { "" } else { " " };
    let gap = if tail.is_empty() || tail.starts_with([';', ',']) { "" } else { " " };
    let separator = separator_after(source, item).filter(|_| tail.is_empty()).unwrap_or_default();
    Header {
        head,
        open: format!("{space}{open}"),
        close: close.to_owned(),
        tail: format!("{gap}{tail}{separator}"),
    }
}

/// Returns whether the first member is at the start of the block, so that the block has no opening bracket.
fn starts_with_member(outline: &Outline, members: &Range<usize>) -> bool {
    let first = outline.items.partition_point(|item| item.range.start < members.start);
    outline.items.get(first).is_some_and(|item| item.range.start == members.start)
}

/// Prepends the keyword of the item's kind.
pub(super) fn with_keyword(language: &Language, item: &Item, head: String) -> String {
    let word = language.spec.keywords.iter().find(|(kind, _)| *kind == item.kind);
    match word {
        Some((_, word)) if !head.starts_with(word) => format!("{word}{head}"),
        _ => head,
    }
}

/// Returns the opening and the closing of a block.
fn brackets<'a>(language: &Language, block: &'a str) -> (&'a str, &'a str) {
    let closes = language.spec.block_end.is_empty() && !language.spec.comment_syntax.doc_in_body;
    if language.spec.is_data && !block.starts_with('{') {
        return ("", "");
    }
    match (block.chars().next(), block.find('{')) {
        (Some('('), _) => ("(", ")"),
        (Some('['), _) => ("[", "]"),
        // The block ends with its indentation.
        (Some(':'), _) if closes => (":", ""),
        // A keyword may be part of the block: `interface {`.
        (Some(_), Some(at)) if (closes && !block[..at].contains('\n')) || at == 0 => {
            (&block[..=at], "}")
        }
        _ => ("", language.spec.block_end),
    }
}

/// Returns the source without comments and long values.
fn without_comments_and_values(
    source: &str,
    outline: &Outline,
    item: &Item,
    range: Range<usize>,
) -> String {
    let first = outline.trivia.partition_point(|trivia| trivia.range.end <= range.start);
    let comments =
        outline.trivia[first..].iter().take_while(|trivia| trivia.range.start < range.end);
    let comments =
        comments.filter(|trivia| !trivia.is_attribute).map(|trivia| (trivia.range.clone(), " "));
    let values = item.values.iter().filter(|value| is_long(&source[(*value).clone()]));
    let values = values.map(|value| (value.clone(), ELLIPSIS));
    let mut cuts: Vec<(Range<usize>, &str)> = comments.chain(values).collect();
    cuts.sort_by_key(|(cut, _)| cut.start);
    let mut text = String::new();
    let mut at = range.start;
    for (cut, replacement) in cuts {
        if cut.start < at || cut.end > range.end {
            continue;
        }
        text.push_str(&source[at..cut.start]);
        text.push_str(replacement);
        // The line break of a comment separates what surrounds it.
        if source[cut.clone()].ends_with('\n') {
            text.push('\n');
        }
        at = cut.end;
    }
    text.push_str(&source[at..range.end]);
    text
}

fn is_long(value: &str) -> bool {
    value.len() > MAX_VALUE || value.contains('\n')
}

/// Joins the lines of a text without the whitespace at line breaks.
pub(super) fn collapse_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Line continuations are redundant on one line.
    let lines = text.split_inclusive('\n').map(|line| line.trim_end_matches("\\\n"));
    let mut lines = lines.map(str::trim).filter(|line| !line.is_empty());
    push_collapsed(&mut out, lines.next().unwrap_or_default());
    for line in lines {
        let closes = line.starts_with([')', ']', '>']);
        if closes && out.ends_with(',') {
            out.pop();
        }
        if !(closes
            || out.ends_with(['(', '['])
            || out.ends_with('<')
            || (line.starts_with('.') && !line.starts_with(ELLIPSIS) && !out.ends_with(',')))
        {
            out.push(' ');
        }
        push_collapsed(&mut out, line);
    }
    out
}

/// Appends a line without alignment spaces, except in quotes.
fn push_collapsed(out: &mut String, line: &str) {
    let quote = line.find(['"', '\'', '`']).unwrap_or(line.len());
    let mut code = &line[..quote];
    while let Some(at) = code.find("  ") {
        out.push_str(&code[..=at]);
        code = code[at..].trim_start_matches(' ');
    }
    out.push_str(code);
    out.push_str(&line[quote..]);
}

/// Cuts a long head between two words, after its names.
fn truncate_head(item: &Item, mut head: String, max_head: usize) -> String {
    // A re-export consists of names only.
    if head.len() < max_head + MIN_CUT || item.kind == SymbolKind::Reexport {
        return head;
    }
    let to_name = item.name_start.saturating_sub(item.range.start) + item.name.len();
    let names = item.more_names.iter().map(|name| name.len() + 2).sum::<usize>();
    let min = head.floor_char_boundary(to_name + names);
    let max = head.floor_char_boundary(max_head.max(min));
    let kept = head[min..max].rfind([' ', '\n']).map_or(max, |blank| min + blank);
    let more = head.len() - kept;
    head.truncate(kept);
    head.push_str(&format!(" {ELLIPSIS} ({more} more bytes)"));
    head
}

/// Strips the terminator or separator before the body.
fn without_terminator(language: &Language, head: &str) -> String {
    let head = head.strip_suffix(language.spec.block_end).unwrap_or(head);
    let head = head.trim_end_matches([';', ' ', ',']);
    if head.ends_with("=>") {
        return format!("{head} {ELLIPSIS}");
    }
    head.strip_suffix('=').or_else(|| head.strip_suffix('{')).unwrap_or(head).trim_end().to_owned()
}

/// Returns a comma or semicolon that follows an item outside of its node.
fn separator_after<'a>(source: &'a str, item: &Item) -> Option<&'a str> {
    let rest = source.get(item.range.end..)?.trim_start_matches([' ', '\t']);
    let separates = rest.starts_with([',', ';']) && !source[..item.range.end].ends_with([',', ';']);
    separates.then(|| &rest[..1])
}
