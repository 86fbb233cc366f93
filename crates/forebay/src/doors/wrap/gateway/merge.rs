//! One greeting and one list of several servers.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::super::json::{self, Members, quoted};
use super::member::Member;
use super::routes::Kind;
use super::{Gateway, write_log};

/// Time for all servers together to answer `initialize`; the others are left out.
const GREETING_TIMEOUT: Duration = Duration::from_mins(1);
/// Time for a server to answer a request for a page of a list.
const LIST_TIMEOUT: Duration = Duration::from_mins(1);
/// Pages of one list of one server.
const MAX_PAGES: usize = 200;
/// The revisions that the gateway speaks, newest first.
const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// A list that servers have.
pub(super) struct List {
    pub(super) method: &'static str,
    /// The member of the result that is the list.
    pub(super) key: &'static str,
    capability: &'static str,
    kind: Kind,
    /// The member of an item that names it.
    named_by: &'static str,
    is_prefixed: bool,
}

pub(super) const LISTS: [List; 5] = [
    List::new("tools/list", "tools", "tools", Kind::Tool, "name", true),
    List::new("prompts/list", "prompts", "prompts", Kind::Prompt, "name", true),
    List::new("resources/list", "resources", "resources", Kind::Resource, "uri", false),
    List::new(
        "resources/templates/list",
        "resourceTemplates",
        "resources",
        Kind::Template,
        "uriTemplate",
        false,
    ),
    List::new("tasks/list", "tasks", "tasks", Kind::Task, "taskId", false),
];

impl List {
    const fn new(
        method: &'static str,
        key: &'static str,
        capability: &'static str,
        kind: Kind,
        named_by: &'static str,
        is_prefixed: bool,
    ) -> Self {
        Self { method, key, capability, kind, named_by, is_prefixed }
    }
}

/// Greets all servers as the client greets the gateway, and returns the result for the client.
pub(super) fn greet(gateway: &Gateway, params: &str) -> Value {
    let wanted = Members::parse(params).ok();
    let wanted = wanted.and_then(|params| params.string("protocolVersion")).unwrap_or_default();
    let revision = REVISIONS.iter().find(|known| **known == wanted).unwrap_or(&REVISIONS[0]);
    let asked: Vec<_> = gateway.members.iter().map(|one| one.ask("initialize", params)).collect();
    let deadline = Instant::now() + GREETING_TIMEOUT;
    let mut capabilities = Value::Object(Map::new());
    let mut instructions = Vec::new();
    for (member, answer) in gateway.members.iter().zip(asked) {
        match result_of(&answer, deadline.saturating_duration_since(Instant::now())) {
            Ok(greeting) => {
                merge(&mut capabilities, &greeting["capabilities"]);
                if let Some(text) = greeting["instructions"].as_str() {
                    instructions.push(format!("{}: {text}", member.name));
                }
                member.greets(greeting);
            }
            Err(why) => write_log(&format!("{} is left out: {why}", member.name)),
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let mut greeting = json!({
        "protocolVersion": revision,
        "capabilities": capabilities,
        "serverInfo": { "name": "forebay-gateway", "version": version },
    });
    if !instructions.is_empty() {
        greeting["instructions"] = instructions.join("\n\n").into();
    }
    greeting
}

fn result_of(answer: &Receiver<String>, timeout: Duration) -> Result<Value, String> {
    let answer = answer.recv_timeout(timeout).map_err(|_| "it does not answer".to_owned())?;
    let mut answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
    match answer["result"].take() {
        Value::Object(result) => Ok(Value::Object(result)),
        _ => Err(answer["error"]["message"].as_str().unwrap_or("it refuses").to_owned()),
    }
}

/// Adds what another server can do.
fn merge(all: &mut Value, more: &Value) {
    match (all, more) {
        (Value::Object(all), Value::Object(more)) => {
            for (key, value) in more {
                merge(all.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Bool(all), Value::Bool(more)) => *all |= more,
        (all, more) if all.is_null() => *all = more.clone(),
        _ => {}
    }
}

/// The result of a request for a list, with the items of all servers.
pub(super) fn gather(gateway: &Gateway, list: &List) -> String {
    gateway.routes.forget(list.kind);
    let asked: Vec<_> = gateway
        .members
        .iter()
        .map(|member| member.offers(list.capability).then(|| member.ask(list.method, "{}")))
        .collect();
    let mut items = Vec::new();
    for (number, first) in asked.into_iter().enumerate() {
        let Some(first) = first else { continue };
        let member = &gateway.members[number];
        for item in all_pages(member, list, first) {
            items.extend(as_listed(gateway, number, list, &item));
        }
    }
    if list.kind == Kind::Tool && gateway.own_tools.changes_lists() {
        let page = gateway.own_tools.page(items, true, true);
        if let Some((before, after)) = page.tokens {
            write_log(&format!("tools are listed in about {after} tokens instead of {before}"));
        }
        items = page.tools;
    }
    format!("{{{}:{}}}", quoted(list.key), json::list(&items))
}

fn all_pages(member: &Member, list: &List, first: Receiver<String>) -> Vec<String> {
    let mut items = Vec::new();
    let mut page = first;
    for _ in 0..MAX_PAGES {
        let Ok(answer) = page.recv_timeout(LIST_TIMEOUT) else { break };
        let Ok(answer) = Members::parse(&answer) else { break };
        let Some(result) = answer.object("result") else { break };
        let found = result.get(list.key).and_then(json::items).unwrap_or_default();
        items.extend(found.into_iter().map(str::to_owned));
        let Some(cursor) = result.get("nextCursor").filter(|cursor| *cursor != "null") else {
            return items;
        };
        page = member.ask(list.method, &format!(r#"{{"cursor":{cursor}}}"#));
    }
    write_log(&format!("{} has not answered {} to the end", member.name, list.method));
    items
}

/// An item under the name that the client knows; `None` if that is another server's.
fn as_listed(gateway: &Gateway, number: usize, list: &List, item: &str) -> Option<String> {
    let mut item = Members::parse(item).ok()?;
    let own = item.string(list.named_by)?;
    let member = &gateway.members[number];
    let shown = if list.is_prefixed { format!("{}{own}", member.prefix) } else { own.clone() };
    if !gateway.routes.learn(list.kind, &shown, number) {
        write_log(&format!(
            "`{shown}` of {} is left out: another server has that name; give one of them a prefix",
            member.name
        ));
        return None;
    }
    if shown != own {
        item.set(list.named_by, quoted(&shown));
    }
    Some(item.into_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_add_up() {
        let mut all = json!({});
        merge(&mut all, &json!({ "tools": { "listChanged": false }, "logging": {} }));
        merge(&mut all, &json!({ "tools": { "listChanged": true }, "x": { "y": {} } }));
        let expect = json!({ "tools": { "listChanged": true }, "logging": {}, "x": { "y": {} } });
        assert_eq!(all, expect);
    }
}
