//! The MCP server in Codex's configuration.
//!
//! The table is appended as text and found again by its header, not by markers: Codex rewrites this file
//! and would separate a closing comment from the table.

use std::ops::Range;

use serde_json::{Value, json};
use toml_edit::{Document, Item, Table, TableLike};

use super::wrapped_servers::{CommandSpan, Item as ListItem, List};
use super::{EditError, SERVER_NAME, end_without_newlines, line_ending, start_of_newlines};

const SERVERS: &str = "mcp_servers";

pub(super) fn add(text: &str, program: &str) -> Result<String, EditError> {
    let text = if is_current(text, program)? { return Ok(text.to_owned()) } else { remove(text)? };
    let newline = line_ending(&text);
    let end = end_without_newlines(&text);
    let lead = if end == 0 { String::new() } else { newline.repeat(2) };
    let program = toml_edit::Value::from(program);
    let table = format!(
        "[{SERVERS}.{SERVER_NAME}]\ncommand = {}\nargs = [\"mcp\"]",
        program.to_string().trim()
    );
    let edited = format!("{}{lead}{}{}", &text[..end], table.replace('\n', newline), &text[end..]);
    // An inline table of servers cannot be extended by a table.
    parse(&edited).map_err(|_| EditError::UnexpectedType(SERVERS.to_owned()))?;
    Ok(edited)
}

pub(super) fn remove(text: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let Some(item) = document.get(SERVERS).and_then(|servers| servers.get(SERVER_NAME)) else {
        return Ok(text.to_owned());
    };
    let Item::Table(table) = item else {
        return Err(EditError::UnexpectedType(format!("{SERVERS}.{SERVER_NAME}")));
    };
    let mut ranges = Vec::new();
    table_ranges(table, &mut ranges);
    ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
    let mut edited = text.to_owned();
    for range in ranges {
        edited.replace_range(start_of_newlines(text, range.start, 2)..range.end, "");
    }
    parse(&edited)?;
    Ok(edited)
}

/// The server's table as JSON.
pub(super) fn server(text: &str) -> Option<Value> {
    let tables = parse(text).ok()?;
    let table = tables.get(SERVERS)?.get(SERVER_NAME)?.as_table_like()?;
    let text_of = |item: &Item| item.as_str().map(str::to_owned);
    let args = table.get("args").and_then(Item::as_array);
    let args: Vec<&str> = args.into_iter().flatten().filter_map(toml_edit::Value::as_str).collect();
    let env = table.get("env").and_then(Item::as_table_like);
    let env: serde_json::Map<String, Value> = env
        .into_iter()
        .flat_map(TableLike::iter)
        .filter_map(|(name, value)| Some((name.to_owned(), text_of(value)?.into())))
        .collect();
    Some(json!({
        "command": table.get("command").and_then(text_of),
        "args": args,
        "env": env,
        "cwd": table.get("cwd").and_then(text_of),
    }))
}

/// Lets the server's table start another program.
pub(super) fn with_program(text: &str, program: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let own = document.get(SERVERS).and_then(|servers| servers.get(SERVER_NAME));
    let command = own.and_then(|own| own.get("command")).and_then(Item::as_value);
    let Some(span) = command.and_then(toml_edit::Value::span) else { return add(text, program) };
    let mut edited = text.to_owned();
    edited.replace_range(span, toml_edit::Value::from(program).to_string().trim());
    parse(&edited)?;
    Ok(edited)
}

/// The names of all servers, in order.
pub(super) fn server_names(text: &str) -> Result<Vec<String>, EditError> {
    let document = parse(text)?;
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    Ok(servers.map(|all| all.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default())
}

/// Where a server's command is; `None` if it is not started by one.
pub(super) fn command_place(text: &str, name: &str) -> Result<Option<CommandSpan>, EditError> {
    let document = parse(text)?;
    let server = document.get(SERVERS).and_then(|servers| servers.get(name));
    let Some(server) = server.and_then(Item::as_table_like) else { return Ok(None) };
    let command = server.get("command").filter(|command| command.is_str());
    let Some(command) = command.and_then(Item::span) else { return Ok(None) };
    let arguments = match server.get("args") {
        Some(arguments) => Some(
            strings(arguments)
                .ok_or_else(|| EditError::UnexpectedType(format!("{SERVERS}.{name}.args")))?,
        ),
        None => None,
    };
    let is_inline = document.get(SERVERS).and_then(|all| all.get(name)).is_some_and(Item::is_value);
    let separator = if is_inline { ", args = " } else { "\nargs = " };
    Ok(Some(CommandSpan::Separate { command, arguments, separator }))
}

fn strings(list: &Item) -> Option<List> {
    let item = |value: &toml_edit::Value| {
        Some(ListItem { range: value.span()?, text: value.as_str()?.to_owned() })
    };
    let items: Option<Vec<ListItem>> = list.as_array()?.iter().map(item).collect();
    Some(List { range: list.span()?, items: items? })
}

fn is_current(text: &str, program: &str) -> Result<bool, EditError> {
    let document = parse(text)?;
    let own = document.get(SERVERS).and_then(|servers| servers.get(SERVER_NAME));
    let command = own.and_then(|own| own.get("command")).and_then(Item::as_str);
    let args = own.and_then(|own| own.get("args")).and_then(Item::as_array);
    let is_mcp = args.is_some_and(|args| {
        args.len() == 1 && args.get(0).and_then(toml_edit::Value::as_str) == Some("mcp")
    });
    Ok(command == Some(program) && is_mcp)
}

fn parse(text: &str) -> Result<Document<String>, EditError> {
    Document::parse(text.to_owned()).map_err(|error| EditError::Parse(error.message().to_owned()))
}

/// The ranges of a table and its subtables, each from its header to its last value.
fn table_ranges(table: &Table, ranges: &mut Vec<Range<usize>>) {
    let mut end = table.span().map_or(0, |span| span.end);
    for (_, item) in table {
        match item {
            Item::Table(inner) => table_ranges(inner, ranges),
            other => end = end.max(other.span().map_or(0, |span| span.end)),
        }
    }
    if let Some(span) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        ranges.push(span.start..end);
    }
}
