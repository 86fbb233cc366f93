//! The MCP server in Codex's configuration.
//!
//! The table is appended as text and found again by its header. There are no markers around it: Codex
//! rewrites this file, and would carry a closing comment away from what it closes.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

use super::{CannotEdit, SERVER, before_newlines, end_of_lines, newline_of};

const SERVERS: &str = "mcp_servers";

pub(super) fn add(text: &str, program: &str) -> Result<String, CannotEdit> {
    let text = if is_current(text, program)? { return Ok(text.to_owned()) } else { remove(text)? };
    let newline = newline_of(&text);
    let end = end_of_lines(&text);
    let lead = if end == 0 { String::new() } else { newline.repeat(2) };
    let program = toml_edit::Value::from(program);
    let table =
        format!("[{SERVERS}.{SERVER}]\ncommand = {}\nargs = [\"mcp\"]", program.to_string().trim());
    let edited = format!("{}{lead}{}{}", &text[..end], table.replace('\n', newline), &text[end..]);
    // A list of servers in braces on one line cannot be continued by a table.
    read(&edited).map_err(|_| CannotEdit::Unexpected(SERVERS.to_owned()))?;
    Ok(edited)
}

pub(super) fn remove(text: &str) -> Result<String, CannotEdit> {
    let document = read(text)?;
    let Some(item) = document.get(SERVERS).and_then(|servers| servers.get(SERVER)) else {
        return Ok(text.to_owned());
    };
    let Item::Table(table) = item else {
        return Err(CannotEdit::Unexpected(format!("{SERVERS}.{SERVER}")));
    };
    let mut ranges = Vec::new();
    own_ranges(table, &mut ranges);
    ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
    let mut edited = text.to_owned();
    for range in ranges {
        edited.replace_range(before_newlines(text, range.start, 2)..range.end, "");
    }
    read(&edited)?;
    Ok(edited)
}

/// The program that the table starts.
pub(super) fn program(text: &str) -> Option<String> {
    let document = read(text).ok()?;
    document.get(SERVERS)?.get(SERVER)?.get("command")?.as_str().map(str::to_owned)
}

fn is_current(text: &str, program: &str) -> Result<bool, CannotEdit> {
    let document = read(text)?;
    let own = document.get(SERVERS).and_then(|servers| servers.get(SERVER));
    let command = own.and_then(|own| own.get("command")).and_then(Item::as_str);
    let args = own.and_then(|own| own.get("args")).and_then(Item::as_array);
    let is_mcp = args.is_some_and(|args| {
        args.len() == 1 && args.get(0).and_then(toml_edit::Value::as_str) == Some("mcp")
    });
    Ok(command == Some(program) && is_mcp)
}

fn read(text: &str) -> Result<Document<String>, CannotEdit> {
    Document::parse(text.to_owned())
        .map_err(|error| CannotEdit::Unreadable(error.message().to_owned()))
}

/// The text of a table and of the tables below it: each from its header to its last value.
fn own_ranges(table: &Table, ranges: &mut Vec<Range<usize>>) {
    let mut end = table.span().map_or(0, |span| span.end);
    for (_, item) in table {
        match item {
            Item::Table(inner) => own_ranges(inner, ranges),
            other => end = end.max(other.span().map_or(0, |span| span.end)),
        }
    }
    if let Some(span) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        ranges.push(span.start..end);
    }
}
