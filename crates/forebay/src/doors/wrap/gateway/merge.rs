//! One greeting and one list of several servers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use forebay_app::bounds::{GREETING_TIMEOUT, LATE_GREETING_TIMEOUT, MAX_LINE_BYTES, MAX_PAGES};
use forebay_domain::rights::{Right, Rights};
use serde_json::{Value, json};

use super::super::json::{self, Members, quoted};
use super::member::{Member, lock};
use super::routes::{Kind, Owner};
use super::work::Work;
use super::{ForebayTools, Gateway, answers, write_log};

/// The revisions that the gateway speaks, newest first.
pub(in crate::doors) const REVISIONS: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A list that servers have.
pub(super) struct List {
    method: &'static str,
    /// The member of the result that is the list.
    key: &'static str,
    capability: &'static str,
    kind: Kind,
    /// The member of an item that names it.
    named_by: &'static str,
    is_prefixed: bool,
}

pub(super) static TOOLS: List = List::new("tools/list", "tools", "tools", Kind::Tool, "name", true);
pub(super) static PROMPTS: List =
    List::new("prompts/list", "prompts", "prompts", Kind::Prompt, "name", true);
static OTHERS: [List; 3] = [
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
    pub(super) fn find(method: &str) -> Option<&'static Self> {
        let mut all = [&TOOLS, &PROMPTS].into_iter().chain(&OTHERS);
        all.find(|list| list.method == method)
    }

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

/// Greets all servers as the client greets the gateway, and returns the result for the client. What a server offers that
/// answers later is told as a change of the lists.
pub(super) fn greet(gateway: &Arc<Gateway>, params: &str) -> Value {
    let wanted = Members::parse(params).ok();
    let wanted = wanted.and_then(|params| params.string("protocolVersion")).unwrap_or_default();
    let revision = REVISIONS.iter().find(|known| **known == wanted).unwrap_or(&REVISIONS[0]);
    let asked: Vec<_> =
        gateway.members.iter().map(|one| one.ask("initialize", params).answer).collect();
    let deadline = Instant::now() + GREETING_TIMEOUT;
    // A server that ends or comes late changes the list.
    let mut capabilities = json!({ "tools": { "listChanged": true } });
    let mut instructions = Vec::new();
    for (number, answer) in asked.into_iter().enumerate() {
        let member = &gateway.members[number];
        match wait_for(&answer, deadline.saturating_duration_since(Instant::now())) {
            Greeting::Welcome(greeting) => {
                merge(&mut capabilities, &greeting["capabilities"]);
                if let Some(text) = greeting["instructions"].as_str() {
                    instructions.push(format!("{}: {text}", member.name));
                }
                member.greets(greeting);
            }
            Greeting::Refused(why) => write_log(&format!("{} is left out: {why}", member.name)),
            Greeting::Late => await_greeting(gateway, number, answer),
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

/// What a server answers to `initialize`.
enum Greeting {
    Welcome(Value),
    Refused(String),
    /// Nothing yet.
    Late,
}

fn wait_for(answer: &Receiver<String>, timeout: Duration) -> Greeting {
    let answer = match answer.recv_timeout(timeout) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => return Greeting::Late,
        Err(RecvTimeoutError::Disconnected) => return Greeting::Refused("it has ended".to_owned()),
    };
    let mut answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let result = answer["result"].take();
    if result.is_object() {
        return Greeting::Welcome(result);
    }
    let why = answer["error"]["message"].as_str().unwrap_or("it refuses");
    Greeting::Refused(why.to_owned())
}

/// Lets a server join that has not answered in time.
fn await_greeting(gateway: &Arc<Gateway>, number: usize, answer: Receiver<String>) {
    write_log(&format!("{} does not answer yet", gateway.members[number].name));
    let joined = Arc::clone(gateway);
    let waiting = super::super::spawn("greeting", move || {
        let member = &joined.members[number];
        match wait_for(&answer, LATE_GREETING_TIMEOUT) {
            Greeting::Welcome(greeting) => {
                member.greets(greeting);
                if joined.is_initialized.get() {
                    member.send(INITIALIZED);
                    answers::announce_changed_tools(&joined, number);
                }
            }
            Greeting::Refused(why) => write_log(&format!("{} is left out: {why}", member.name)),
            Greeting::Late => write_log(&format!("{} is left out: no answer", member.name)),
        }
    });
    if let Err(error) = waiting {
        write_log(&format!("{} is left out: {error}", gateway.members[number].name));
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

/// The result of a request for a list, with the items of all servers. Until it is complete, names keep their servers.
pub(super) fn gather(gateway: &Gateway, work: &Work, list: &List) -> String {
    let mut names = HashMap::new();
    let mut unlisted = HashSet::new();
    let mut items = Vec::new();
    for (number, pages) in ask_all(gateway, work, list) {
        let member = &gateway.members[number];
        if !pages.are_complete {
            unlisted.insert(number);
        }
        let found = if list.kind == Kind::Tool && !member.rights.has(Right::Execute) {
            permitted(member, pages)
        } else {
            pages.items
        };
        for item in found {
            items.extend(as_listed(gateway, &mut names, number, list, &item));
        }
    }
    if work.is_cancelled() {
        return String::new();
    }
    if list.kind == Kind::Task {
        // Servers need not list the tasks that calls go on as.
        unlisted.extend(0..gateway.members.len());
    }
    gateway.routes.replace(list.kind, names, &unlisted);
    if list.kind == Kind::Tool {
        items = with_own_tools(gateway, items);
    }
    format!("{{{}:{}}}", quoted(list.key), json::list(&items))
}

/// The servers' tools as the client sees them, with those of Forebay.
fn with_own_tools(gateway: &Gateway, mut items: Vec<String>) -> Vec<String> {
    items.extend(gateway.forebay.iter().flat_map(ForebayTools::list));
    if !gateway.own_tools.changes_lists() {
        return items;
    }
    let page = gateway.own_tools.page(items, true, true);
    page.renamed.iter().for_each(|what| write_log(what));
    if let Some((before, after)) = page.tokens {
        write_log(&format!("tools are listed in about {after} tokens instead of {before}"));
    }
    page.tools
}

/// Asks all servers that have such a list, page by page in turn: one that does not answer takes no time from another.
fn ask_all(gateway: &Gateway, work: &Work, list: &List) -> Vec<(usize, Pages)> {
    let members = gateway.members.iter().enumerate();
    let able = members.filter(|(_, member)| member.offers(list.capability));
    let mut asked: VecDeque<PageRequest> =
        able.map(|(number, _)| PageRequest::first(gateway, work, list, number)).collect();
    let mut complete = Vec::new();
    while let Some(request) = asked.pop_front() {
        match request.wait(gateway, work, list) {
            Listed::More(next) => asked.push_back(next),
            Listed::All(number, pages) => complete.push((number, pages)),
        }
    }
    complete.sort_by_key(|(number, _)| *number);
    complete
}

/// The server of a tool or a prompt; servers that share a prefix are asked for their lists first.
pub(super) fn find_owner(gateway: &Gateway, work: &Work, list: &List, name: &str) -> Option<usize> {
    match gateway.routes.find_by_name(list.kind, name, &gateway.members) {
        Owner::Server(number) => Some(number),
        Owner::Unknown => None,
        Owner::Unclear => {
            gather(gateway, work, list);
            gateway.routes.owner(list.kind, name)
        }
    }
}

/// Asks a server which of its tools its client's rights are enough for; returns whether it has listed all of them.
pub(super) fn look_up_permitted(gateway: &Gateway, work: &Work, number: usize) -> bool {
    let pages = all_pages(gateway, work, number, &TOOLS);
    let are_complete = pages.are_complete;
    permitted(&gateway.members[number], pages);
    are_complete
}

/// The tools that the client's rights are enough for. Of an incomplete list, the others are looked up another time.
fn permitted(member: &Member, pages: Pages) -> Vec<String> {
    let is_permitted = |tool: &String| {
        let annotations = Members::parse(tool).ok();
        let annotations = annotations.as_ref().and_then(|tool| tool.object("annotations"));
        annotations.is_some_and(|annotations| are_enough(member.rights, &annotations))
    };
    let tools: Vec<String> = pages.items.into_iter().filter(is_permitted).collect();
    if pages.are_complete {
        let name = |tool: &String| Members::parse(tool).ok()?.string("name");
        let names = tools.iter().filter_map(name).collect::<HashSet<_>>();
        lock(&member.permitted).note(pages.since, names);
    }
    tools
}

/// Whether rights are enough for a tool, by what the server says it does.
fn are_enough(rights: Rights, annotations: &Members<'_>) -> bool {
    let only_reads = annotations.get("readOnlyHint") == Some("true");
    let only_adds = annotations.get("destructiveHint") == Some("false");
    (rights.has(Right::Read) && only_reads)
        || (rights.has(Right::Write) && (only_adds || only_reads))
        || rights.has(Right::Execute)
}

/// The pages of a list of one server.
struct Pages {
    items: Vec<String>,
    are_complete: bool,
    /// The version of the server's tools when it was asked for them.
    since: u64,
}

fn all_pages(gateway: &Gateway, work: &Work, number: usize, list: &List) -> Pages {
    let mut request = PageRequest::first(gateway, work, list, number);
    loop {
        match request.wait(gateway, work, list) {
            Listed::More(next) => request = next,
            Listed::All(_, pages) => return pages,
        }
    }
}

/// A page that a server was asked for, and those before it.
struct PageRequest {
    number: usize,
    answer: Receiver<String>,
    since: u64,
    items: Vec<String>,
    /// Pages and bytes so far.
    count: usize,
    bytes: usize,
}

/// What came of waiting for a page for a moment.
enum Listed {
    More(PageRequest),
    All(usize, Pages),
}

impl PageRequest {
    fn first(gateway: &Gateway, work: &Work, list: &List, number: usize) -> Self {
        let since = lock(&gateway.members[number].permitted).version();
        let answer = work.ask(gateway, number, list.method, "{}");
        Self { number, answer, since, items: Vec::new(), count: 0, bytes: 0 }
    }

    fn wait(mut self, gateway: &Gateway, work: &Work, list: &List) -> Listed {
        match work.wait_briefly(&self.answer) {
            Ok(answer) => match self.take(list, &answer) {
                Some(Page::Last) => Listed::All(self.number, self.into_pages(true)),
                Some(Page::Before(cursor)) => {
                    let params = format!(r#"{{"cursor":{cursor}}}"#);
                    self.answer = work.ask(gateway, self.number, list.method, &params);
                    Listed::More(self)
                }
                None => self.give_up(gateway, work, list),
            },
            Err(RecvTimeoutError::Timeout) if !work.is_overdue() => Listed::More(self),
            Err(_) => self.give_up(gateway, work, list),
        }
    }

    /// Takes a page; `None` if it is none, or too much comes.
    fn take(&mut self, list: &List, answer: &str) -> Option<Page> {
        self.count += 1;
        self.bytes += answer.len();
        let answer = Members::parse(answer).ok()?;
        let result = answer.object("result")?;
        let found = result.get(list.key).and_then(json::items).unwrap_or_default();
        self.items.extend(found.into_iter().map(str::to_owned));
        let Some(cursor) = result.get("nextCursor").filter(|cursor| *cursor != "null") else {
            return Some(Page::Last);
        };
        let may_continue = self.count < MAX_PAGES && self.bytes <= MAX_LINE_BYTES;
        may_continue.then(|| Page::Before(cursor.to_owned()))
    }

    fn give_up(self, gateway: &Gateway, work: &Work, list: &List) -> Listed {
        if !work.is_cancelled() {
            let name = &gateway.members[self.number].name;
            write_log(&format!("{name} has not answered {} to the end", list.method));
        }
        Listed::All(self.number, self.into_pages(false))
    }

    fn into_pages(self, are_complete: bool) -> Pages {
        Pages { items: self.items, are_complete, since: self.since }
    }
}

/// A page of a list.
enum Page {
    Last,
    /// Before the one with this cursor.
    Before(String),
}

/// An item under the name that the client knows; `None` if that is another server's, or one of Forebay's tools.
fn as_listed(
    gateway: &Gateway,
    names: &mut HashMap<String, usize>,
    number: usize,
    list: &List,
    item: &str,
) -> Option<String> {
    let mut item = Members::parse(item).ok()?;
    let own = item.string(list.named_by)?;
    let member = &gateway.members[number];
    let shown = if list.is_prefixed { format!("{}{own}", member.prefix) } else { own.clone() };
    let is_forebays = list.kind == Kind::Tool && gateway.has_forebay_tool(&shown);
    if is_forebays || *names.entry(shown.clone()).or_insert(number) != number {
        let whose = if is_forebays { "a tool of Forebay" } else { "another server" };
        write_log(&format!(
            "`{shown}` of {} is left out: {whose} has that name; give the server a prefix",
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

    #[track_caller]
    fn check_rights(annotations: &str, enough: &str) {
        let annotations = Members::parse(annotations).unwrap();
        let words = Right::ALL.map(Right::as_str).into_iter();
        let found = words.filter(|word| are_enough(Rights::parse(word).unwrap(), &annotations));
        assert_eq!(found.collect::<Vec<_>>().join(","), enough);
    }

    #[test]
    fn rights_follow_what_a_server_says_of_its_tools() {
        check_rights(r#"{"readOnlyHint":true}"#, "read,write,execute");
        check_rights(r#"{"readOnlyHint":false,"destructiveHint":false}"#, "write,execute");
        check_rights(r#"{"readOnlyHint":"true","destructiveHint":true}"#, "execute");
        check_rights("{}", "execute");
    }

    #[test]
    fn capabilities_add_up() {
        let mut all = json!({});
        merge(&mut all, &json!({ "tools": { "listChanged": false }, "logging": {} }));
        merge(&mut all, &json!({ "tools": { "listChanged": true }, "x": { "y": {} } }));
        let expect = json!({ "tools": { "listChanged": true }, "logging": {}, "x": { "y": {} } });
        assert_eq!(all, expect);
    }
}
