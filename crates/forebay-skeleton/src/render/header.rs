//! The text of an item without its body, its comments and its long values, on one line.

use std::ops::Range;

use super::LEFT_OUT;
use crate::kind::Kind;
use crate::language::Language;
use crate::outline::{Item, Outline};

/// The parts of an item's text around what stands in it.
pub(super) struct Header {
    pub(super) head: String,
    /// What opens and closes the members.
    pub(super) open: String,
    pub(super) close: String,
    pub(super) tail: String,
}

/// Longer values are left out.
const LONG_VALUE: usize = 60;
/// Longer signatures are cut; nobody reads them to the end.
pub(super) const LONG_HEAD: usize = 2_000;
/// A cut that leaves out less than this is not worth asking for the rest.
const LEAST_CUT: usize = 40;

/// An item's text; a head that is longer than `longest` is cut.
pub(super) fn of(
    language: &Language,
    source: &str,
    outline: &Outline,
    item: &Item,
    longest: usize,
) -> Header {
    // What stands in a body may be told while the rest of the body is not.
    let cuts = [item.members.as_ref(), item.body.as_ref()];
    let cut = cuts.into_iter().flatten().min_by_key(|cut| cut.start);
    let head_end =
        cut.map_or(item.range.end, |cut| cut.start.clamp(item.range.start, item.range.end));
    let head = without_details(source, outline, item, item.range.start..head_end);
    let head = shortened(item, squeezed(&head), longest);
    // A group that is shown has the word for all in it.
    let is_in_group = item.parent.is_some_and(|parent| outline.items[parent].kind.is_mere_group());
    let head = if is_in_group { head } else { led(language, item, head) };
    match (&item.members, &item.body) {
        (Some(members), _) => container(language, source, outline, item, members, head),
        (None, Some(_)) if language.table.is_data && !language.table.is_flat => {
            Header::plain(format!("{head} {LEFT_OUT}"), String::new())
        }
        (None, Some(_)) => {
            let separator = separator_after(source, item).filter(|_| item.kind == Kind::Variant);
            Header::plain(without_end(language, &head), separator.unwrap_or_default().to_owned())
        }
        (None, None) if item.kind.is_callable() => {
            Header::plain(without_end(language, &head), String::new())
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
    // The block may be told from its first member on, with its bracket before it.
    let (head, block) = match head.strip_suffix('{') {
        Some(bare) => (bare.trim_end().to_owned(), "{"),
        None if begins_with_item(outline, members) => (head, ""),
        None => (head, block),
    };
    let head = head.trim_end_matches(',').to_owned();
    let end = item.body.as_ref().map_or(members.end, |body| body.end.max(members.end));
    let tail = source.get(end..item.range.end).unwrap_or_default();
    let tail = squeezed(tail.trim().trim_end_matches(language.table.block_end));
    let (open, close) = brackets(language, block);
    let is_apart = match open {
        "(" => source[..members.start].ends_with(char::is_whitespace),
        _ => open != ":",
    };
    let space = if open.is_empty() || head.is_empty() || !is_apart { "" } else { " " };
    let gap = if tail.is_empty() || tail.starts_with([';', ',']) { "" } else { " " };
    let separator = separator_after(source, item).filter(|_| tail.is_empty()).unwrap_or_default();
    Header {
        head,
        open: format!("{space}{open}"),
        close: close.to_owned(),
        tail: format!("{gap}{tail}{separator}"),
    }
}

/// Whether the first member stands where the block begins, so that nothing opens the block.
fn begins_with_item(outline: &Outline, members: &Range<usize>) -> bool {
    let first = outline.items.partition_point(|item| item.range.start < members.start);
    outline.items.get(first).is_some_and(|item| item.range.start == members.start)
}

/// A head with the word that items of its kind begin with.
pub(super) fn led(language: &Language, item: &Item, head: String) -> String {
    let word = language.table.leads.iter().find(|(kind, _)| *kind == item.kind);
    match word {
        Some((_, word)) if !head.starts_with(word) => format!("{word}{head}"),
        _ => head,
    }
}

/// What opens and closes a block.
fn brackets<'a>(language: &Language, block: &'a str) -> (&'a str, &'a str) {
    let closes = language.table.block_end.is_empty() && !language.table.notation.doc_inside;
    if language.table.is_data && !block.starts_with('{') {
        return ("", "");
    }
    match (block.chars().next(), block.find('{')) {
        (Some('('), _) => ("(", ")"),
        (Some('['), _) => ("[", "]"),
        // The block ends where its indentation does.
        (Some(':'), _) if closes => (":", ""),
        // A word may belong to the block: `interface {`.
        (Some(_), Some(at)) if (closes && !block[..at].contains('\n')) || at == 0 => {
            (&block[..=at], "}")
        }
        _ => ("", language.table.block_end),
    }
}

/// The source without comments and with long values left out.
fn without_details(source: &str, outline: &Outline, item: &Item, range: Range<usize>) -> String {
    let first = outline.trivia.partition_point(|trivia| trivia.range.end <= range.start);
    let comments =
        outline.trivia[first..].iter().take_while(|trivia| trivia.range.start < range.end);
    let comments =
        comments.filter(|trivia| !trivia.is_attribute).map(|trivia| (trivia.range.clone(), " "));
    let values = item.values.iter().filter(|value| is_long(&source[(*value).clone()]));
    let values = values.map(|value| (value.clone(), LEFT_OUT));
    let mut cuts: Vec<(Range<usize>, &str)> = comments.chain(values).collect();
    cuts.sort_by_key(|(cut, _)| cut.start);
    let mut text = String::new();
    let mut at = range.start;
    for (cut, instead) in cuts {
        if cut.start < at || cut.end > range.end {
            continue;
        }
        text.push_str(&source[at..cut.start]);
        text.push_str(instead);
        // A comment's line end parts what stands around it.
        if source[cut.clone()].ends_with('\n') {
            text.push('\n');
        }
        at = cut.end;
    }
    text.push_str(&source[at..range.end]);
    text
}

fn is_long(value: &str) -> bool {
    value.len() > LONG_VALUE || value.contains('\n')
}

/// A text on one line, without the space that lines were broken at.
pub(super) fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A sign that a line goes on says nothing where it does.
    let lines = text.split_inclusive('\n').map(|line| line.trim_end_matches("\\\n"));
    let mut lines = lines.map(str::trim).filter(|line| !line.is_empty());
    push_unaligned(&mut out, lines.next().unwrap_or_default());
    for line in lines {
        let closes = line.starts_with([')', ']', '>']);
        if closes && out.ends_with(',') {
            out.pop();
        }
        if !(closes
            || out.ends_with(['(', '['])
            || out.ends_with('<')
            || (line.starts_with('.') && !line.starts_with(LEFT_OUT) && !out.ends_with(',')))
        {
            out.push(' ');
        }
        push_unaligned(&mut out, line);
    }
    out
}

/// Writes a line without the blanks that align it with its neighbours; those in quotes say something.
fn push_unaligned(out: &mut String, line: &str) {
    let quote = line.find(['"', '\'', '`']).unwrap_or(line.len());
    let mut code = &line[..quote];
    while let Some(at) = code.find("  ") {
        out.push_str(&code[..=at]);
        code = code[at..].trim_start_matches(' ');
    }
    out.push_str(code);
    out.push_str(&line[quote..]);
}

/// Cuts a long head between two words, behind its names.
fn shortened(item: &Item, mut head: String, longest: usize) -> String {
    // A list of names is all surface.
    if head.len() < longest + LEAST_CUT || item.kind == Kind::Reexport {
        return head;
    }
    let to_name = item.name_start.saturating_sub(item.range.start) + item.name.len();
    let names = item.more_names.iter().map(|name| name.len() + 2).sum::<usize>();
    let least = head.floor_char_boundary(to_name + names);
    let most = head.floor_char_boundary(longest.max(least));
    let kept = head[least..most].rfind([' ', '\n']).map_or(most, |blank| least + blank);
    let more = head.len() - kept;
    head.truncate(kept);
    head.push_str(&format!(" {LEFT_OUT} ({more} more bytes)"));
    head
}

/// A signature reads well without what only parted it from its body.
fn without_end(language: &Language, head: &str) -> String {
    let head = head.strip_suffix(language.table.block_end).unwrap_or(head);
    let head = head.trim_end_matches([';', ' ', ',']);
    if head.ends_with("=>") {
        return format!("{head} {LEFT_OUT}");
    }
    head.strip_suffix('=').or_else(|| head.strip_suffix('{')).unwrap_or(head).trim_end().to_owned()
}

/// A comma or semicolon that follows an item outside of its node.
fn separator_after<'a>(source: &'a str, item: &Item) -> Option<&'a str> {
    let rest = source.get(item.range.end..)?.trim_start_matches([' ', '\t']);
    let separates = rest.starts_with([',', ';']) && !source[..item.range.end].ends_with([',', ';']);
    separates.then(|| &rest[..1])
}
