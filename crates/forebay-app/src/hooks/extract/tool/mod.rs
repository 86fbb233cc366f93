//! Extracts the events of a tool call.

mod environment;
mod failure;
mod files;
mod git;
mod shell;
mod work;

use forebay_domain::hook::{ToolAction, ToolCall, ToolResult};
use forebay_domain::{Event, EventKind};

pub(super) fn events(call: &ToolCall, result: &ToolResult) -> Vec<Event> {
    let mut found: Vec<Event> = failure::read(call, result).into_iter().collect();
    // A failed call changed nothing.
    if found.is_empty() {
        found.extend(done(call, result));
    }
    found
}

/// Returns what a call attempts, as its failure would name it.
pub(super) fn attempted(call: &ToolCall) -> String {
    failure::subject(call)
}

fn done(call: &ToolCall, result: &ToolResult) -> Vec<Event> {
    match &call.action {
        ToolAction::Shell { command } => shell::read(command, result),
        ToolAction::Read { paths } => files::read(EventKind::FileRead, paths),
        ToolAction::Edit { paths } => files::read(EventKind::FileEdited, paths),
        ToolAction::Write { paths } => files::read(EventKind::FileWritten, paths),
        ToolAction::Fetch { urls } => {
            urls.iter().map(|url| Event::new(EventKind::Reference, url, url)).collect()
        }
        ToolAction::WebSearch { query } if !query.is_empty() => {
            vec![Event::new(EventKind::Reference, query, &format!("searched the web: {query}"))]
        }
        action => work::read(action),
    }
}
