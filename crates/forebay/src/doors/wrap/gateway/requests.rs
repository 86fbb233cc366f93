//! From the client of the gateway to the server that a message is about.

use std::io::Read;
use std::sync::Arc;

use forebay_app::bounds::MAX_LOOKUPS;
use forebay_domain::rights::Right;
use rmcp::model::ErrorCode;

use super::super::json::{self, Members, quoted};
use super::super::keys;
use super::super::lines::{Lines, Next};
use super::super::own_tools::OwnCall;
use super::member::lock;
use super::merge::{self, List, PROMPTS, TOOLS};
use super::queue::Sent;
use super::routes::{Kind, Owner};
use super::work::{self, Outcome, Work};
use super::{Gateway, answers, write_log};
use crate::doors::json_scan::JsonScan;
use crate::doors::mcp::Refusal;

const READ: &str = "resources/read";
const ID_IN_USE: &str = "a request with this id is not answered yet";

/// Takes the client's messages until it ends its side.
pub(super) fn take_all(gateway: &Arc<Gateway>, input: impl Read) {
    let mut lines = Lines::new(input);
    loop {
        match lines.next() {
            Ok(Next::Line(line)) => {
                let line = String::from_utf8_lossy(line);
                let text = line.trim_ascii();
                for message in json::split_batch(text) {
                    take(gateway, message);
                }
            }
            Ok(Next::LongLine(start)) => {
                let mut scan = JsonScan::whole(start);
                let read = lines.rest(&mut |piece| {
                    scan.feed(piece);
                    Ok(())
                });
                drop(read);
                let refusal = Refusal::undecoded("the message is longer than 64 MB", &scan);
                gateway.client.answer("", &refusal.into_json().to_string());
            }
            Ok(Next::End) | Err(_) => return,
        }
    }
}

/// Takes one message of the client.
pub(super) fn take(gateway: &Arc<Gateway>, text: &str) {
    if text.is_empty() {
        return;
    }
    let Ok(message) = Members::parse(text) else {
        return refuse(gateway, "null", ErrorCode::PARSE_ERROR, "the message is not a JSON object");
    };
    if let Some(why) = keys::find_ambiguity(&message) {
        return refuse_message(gateway, &message, &why);
    }
    match (message.get("method").is_some(), message.string("method"), message.get("id")) {
        (_, Some(method), Some(id)) => request(gateway, &method, id, &message),
        (_, Some(method), None) => notify(gateway, &method, &message, text),
        (true, None, _) => refuse_message(gateway, &message, "`method` is not a text"),
        (false, None, Some(id)) => answer(gateway, id, &message),
        (false, None, None) => {}
    }
}

/// Refuses a message that does not reach a server. An answer has no answer.
fn refuse_message(gateway: &Gateway, message: &Members<'_>, why: &str) {
    let has = |key: &str| message.get(key).is_some();
    let is_answer = !has("method") && (has("result") || has("error"));
    match message.get("id").filter(|_| !is_answer) {
        Some(id) => {
            let why = format!("the message is refused: {why}");
            refuse(gateway, id, ErrorCode::INVALID_REQUEST, &why);
        }
        None => write_log(&format!("a message of the client is dropped: {why}")),
    }
}

fn request(gateway: &Arc<Gateway>, method: &str, id: &str, message: &Members<'_>) {
    if gateway.work.has(id) || gateway.routes.has_request(id) {
        return refuse(gateway, id, ErrorCode::INVALID_REQUEST, ID_IN_USE);
    }
    if let Some(list) = List::find(method) {
        return work::start(gateway, id, move |gateway, work| {
            Outcome::Result(merge::gather(gateway, work, list))
        });
    }
    let params = message.object("params");
    let param = |key: &str| params.as_ref().and_then(|params| params.string(key));
    match method {
        "ping" => respond(gateway, id, "{}"),
        "initialize" => {
            let greeting = merge::greet(gateway, message.get("params").unwrap_or("{}"));
            respond(gateway, id, &greeting.to_string());
        }
        "logging/setLevel" => {
            let params = message.get("params").unwrap_or("{}");
            let able = gateway.members.iter().filter(|member| member.offers("logging"));
            able.for_each(|member| drop(member.ask(method, params)));
            respond(gateway, id, "{}");
        }
        "tools/call" => call(gateway, id, message),
        "prompts/get" => get_prompt(gateway, id, message),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let uri = param("uri").unwrap_or_default();
            match gateway.routes.owner(Kind::Resource, &uri) {
                Some(number) => send(gateway, number, id, message),
                None => find_resource(gateway, method, id, message, uri),
            }
        }
        "completion/complete" => complete(gateway, id, message),
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
            let owner = param("taskId").and_then(|task| gateway.routes.owner(Kind::Task, &task));
            send_to(gateway, owner, id, message, "no such task");
        }
        _ => {
            let what = format!("the gateway does not know {method}");
            refuse(gateway, id, ErrorCode::METHOD_NOT_FOUND, &what);
        }
    }
}

fn call(gateway: &Arc<Gateway>, id: &str, message: &Members<'_>) {
    let Some(params) = message.object("params") else {
        return refuse(gateway, id, ErrorCode::INVALID_PARAMS, "the call has no parameters");
    };
    match gateway.own_tools.take(&params.string("name").unwrap_or_default(), &params) {
        OwnCall::Other => call_tool(gateway, id, message),
        OwnCall::Answer { text, is_error } => {
            respond(gateway, id, &text_result(&text, is_error));
        }
        OwnCall::Instead { params, .. } => {
            let mut replaced = message.clone();
            replaced.set("params", params);
            call_tool(gateway, id, &replaced);
        }
    }
}

/// Calls a tool of Forebay or of a server.
fn call_tool(gateway: &Arc<Gateway>, id: &str, message: &Members<'_>) {
    let params = message.object("params");
    let name = params.as_ref().and_then(|params| params.string("name")).unwrap_or_default();
    if gateway.has_forebay_tool(&name) {
        let arguments = params.as_ref().and_then(|params| params.get("arguments"));
        return call_forebay(gateway, id, name, arguments.unwrap_or("{}").to_owned());
    }
    let owner = gateway.routes.find_by_name(Kind::Tool, &name, &gateway.members);
    if let Owner::Server(number) = owner
        && let Some(is_permitted) = permission(gateway, number, &name)
    {
        if is_permitted {
            send_named(gateway, number, id, message, &name);
        } else {
            respond(gateway, id, &forbidden(&name));
        }
        return;
    }
    let text = message.clone().into_text();
    work::start(gateway, id, move |gateway, work| call_after_lookup(gateway, work, &text, &name));
}

/// What becomes of a call after its server was asked what there is, and what it does.
fn call_after_lookup(gateway: &Gateway, work: &Work, message: &str, name: &str) -> Outcome {
    let Some(number) = merge::find_owner(gateway, work, &TOOLS, name) else {
        return no_server_has(name);
    };
    for _ in 0..MAX_LOOKUPS {
        if permission(gateway, number, name).is_some()
            || !merge::look_up_permitted(gateway, work, number)
        {
            break;
        }
    }
    match permission(gateway, number, name) {
        Some(true) => forward_named(gateway, number, message, name),
        Some(false) => Outcome::Result(forbidden(name)),
        None => {
            let server = &gateway.members[number].name;
            let text = format!(
                "{name} was not called: the rights of this token do not cover every tool of {server}, and {server} did \
                 not list its tools\ntry again later, or ask the user for a token with the right `execute`"
            );
            Outcome::Result(text_result(&text, true))
        }
    }
}

/// Whether the client may call a tool of a server; `None` if the server has to be asked what the tool does.
fn permission(gateway: &Gateway, number: usize, name: &str) -> Option<bool> {
    let member = &gateway.members[number];
    if member.rights.has(Right::Execute) {
        return Some(true);
    }
    lock(&member.permitted).has(member.own_name(name))
}

fn forbidden(name: &str) -> String {
    let text = format!(
        "{name} needs more rights than this token has for its server\ncontinue without it, or ask the user for a token with \
         the right `execute`"
    );
    text_result(&text, true)
}

fn text_result(text: &str, is_error: bool) -> String {
    let text = quoted(text);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":{is_error}}}"#)
}

/// Calls a tool of Forebay itself.
fn call_forebay(gateway: &Arc<Gateway>, id: &str, name: String, arguments: String) {
    work::start(gateway, id, move |gateway, _| match &gateway.forebay {
        Some(tools) => Outcome::Result(tools.call(&name, &arguments)),
        None => no_server_has(&name),
    });
}

/// Gets a prompt from its server.
fn get_prompt(gateway: &Arc<Gateway>, id: &str, message: &Members<'_>) {
    let params = message.object("params");
    let name = params.as_ref().and_then(|params| params.string("name")).unwrap_or_default();
    let owner = gateway.routes.find_by_name(Kind::Prompt, &name, &gateway.members);
    if let Owner::Server(number) = owner {
        return send_named(gateway, number, id, message, &name);
    }
    let text = message.clone().into_text();
    work::start(gateway, id, move |gateway, work| {
        match merge::find_owner(gateway, work, &PROMPTS, &name) {
            Some(number) => forward_named(gateway, number, &text, &name),
            None => no_server_has(&name),
        }
    });
}

fn no_server_has(name: &str) -> Outcome {
    Outcome::Refusal(ErrorCode::INVALID_PARAMS, format!("no server has `{name}`"))
}

/// Sends a request about a tool or a prompt to its server, under the server's own name for it.
fn send_named(gateway: &Gateway, number: usize, id: &str, message: &Members<'_>, name: &str) {
    if let Some(message) = with_own_name(gateway, number, message, name) {
        send(gateway, number, id, &message);
    }
}

fn forward_named(gateway: &Gateway, number: usize, message: &str, name: &str) -> Outcome {
    let message = Members::parse(message).ok();
    let named = message
        .and_then(|message| Some(with_own_name(gateway, number, &message, name)?.into_text()));
    named.map_or_else(|| no_server_has(name), |message| Outcome::Forward { number, message })
}

fn with_own_name<'a>(
    gateway: &Gateway,
    number: usize,
    message: &Members<'a>,
    name: &str,
) -> Option<Members<'a>> {
    let mut params = message.object("params")?;
    params.set("name", quoted(gateway.members[number].own_name(name)));
    let params = params.into_text();
    let mut named = message.clone();
    named.set("params", params);
    Some(named)
}

/// Sends a completion to the server of its prompt or template.
fn complete(gateway: &Gateway, id: &str, message: &Members<'_>) {
    let params = message.object("params");
    let about = params.as_ref().and_then(|params| params.get("ref")).map(str::to_owned);
    let about = about.as_deref().and_then(|about| Members::parse(about).ok());
    let (Some(mut params), Some(mut about)) = (params, about) else {
        return refuse(gateway, id, ErrorCode::INVALID_PARAMS, "the request has no `ref`");
    };
    let Some(name) = about.string("name") else {
        let uri = about.string("uri").unwrap_or_default();
        let template = gateway.routes.owner(Kind::Template, &uri);
        let owner = template.or_else(|| gateway.routes.owner(Kind::Resource, &uri));
        return send_to(gateway, owner, id, message, "no server has this template");
    };
    let owner = match gateway.routes.find_by_name(Kind::Prompt, &name, &gateway.members) {
        Owner::Server(number) => Some(number),
        Owner::Unclear | Owner::Unknown => None,
    };
    if let Some(number) = owner {
        about.set("name", quoted(gateway.members[number].own_name(&name)));
        params.set("ref", about.into_text());
    }
    let mut message = message.clone();
    message.set("params", params.into_text());
    send_to(gateway, owner, id, &message, "no server has this prompt");
}

/// Finds the server of a resource that none has listed, as a template may have made its address: the one that can read it.
/// Some servers take any address for a subscription, so the request itself goes to that one only.
fn find_resource(
    gateway: &Arc<Gateway>,
    method: &str,
    id: &str,
    message: &Members<'_>,
    uri: String,
) {
    let is_read = method == READ;
    let params = match message.get("params") {
        Some(params) if is_read => params.to_owned(),
        _ => format!(r#"{{"uri":{}}}"#, quoted(&uri)),
    };
    let text = message.clone().into_text();
    work::start(gateway, id, move |gateway, work| {
        let Some((number, result)) = read_somewhere(gateway, work, &params) else {
            let what = "no server has this resource".to_owned();
            return Outcome::Refusal(ErrorCode::RESOURCE_NOT_FOUND, what);
        };
        gateway.routes.learn(Kind::Resource, &uri, number);
        if is_read { Outcome::Result(result) } else { Outcome::Forward { number, message: text } }
    });
}

/// Has all servers read a resource; returns the first one that can, with the result.
fn read_somewhere(gateway: &Gateway, work: &Work, params: &str) -> Option<(usize, String)> {
    let members = gateway.members.iter().enumerate();
    let able = members.filter(|(_, member)| member.offers("resources"));
    let asked: Vec<_> =
        able.map(|(number, _)| (number, work.ask(gateway, number, READ, params))).collect();
    asked.into_iter().find_map(|(number, answer)| {
        let answer = work.wait(&answer)?;
        let answer = Members::parse(&answer).ok()?;
        Some((number, answer.get("result")?.to_owned()))
    })
}

fn send_to(
    gateway: &Gateway,
    owner: Option<usize>,
    id: &str,
    message: &Members<'_>,
    otherwise: &str,
) {
    match owner {
        Some(number) => send(gateway, number, id, message),
        None => refuse(gateway, id, ErrorCode::INVALID_PARAMS, otherwise),
    }
}

pub(super) fn send(gateway: &Gateway, number: usize, id: &str, message: &Members<'_>) {
    if !gateway.routes.expect(id, number) {
        return refuse(gateway, id, ErrorCode::INVALID_REQUEST, ID_IN_USE);
    }
    let member = &gateway.members[number];
    let what = match member.send(&message.clone().into_text()) {
        Sent::Queued => return,
        Sent::Ended => "has ended",
        Sent::Full => "does not read what was sent before",
    };
    // The end of the server may have been noticed elsewhere too.
    if gateway.routes.answered(id).is_some() {
        let what = format!("the server {} {what}", member.name);
        refuse(gateway, id, ErrorCode::INTERNAL_ERROR, &what);
    }
}

/// Passes a notification on. What else has no id is no notification: a server might do what it says without an answer.
fn notify(gateway: &Gateway, method: &str, message: &Members<'_>, text: &str) {
    if !method.starts_with("notifications/") {
        return refuse_message(gateway, message, &format!("{method} is no notification"));
    }
    if method == "notifications/initialized" {
        gateway.is_initialized.set(true);
    }
    if method != "notifications/cancelled" {
        let greeted = gateway.members.iter().filter(|member| member.has_greeted());
        for member in greeted {
            member.send(text);
        }
        return;
    }
    let params = message.object("params");
    let Some(id) = params.as_ref().and_then(|params| params.get("requestId")) else { return };
    if work::cancel(gateway, id) {
        return;
    }
    if let Some(number) = gateway.routes.answered(id) {
        gateway.members[number].send(text);
    }
}

/// Sends the client's answer to the server that has asked, and to no other.
fn answer(gateway: &Gateway, id: &str, message: &Members<'_>) {
    let Some((number, id)) = answers::id_of_member(id) else { return };
    let Some(member) = gateway.members.get(number) else { return };
    let is_answer = message.get("result").is_some() != message.get("error").is_some();
    if !is_answer || !member.close_request(&id) {
        return write_log("an answer of the client is dropped: no server waits for it");
    }
    let mut message = message.clone();
    message.set("id", id);
    member.send(&message.into_text());
}

pub(super) fn respond(gateway: &Gateway, id: &str, result: &str) {
    gateway.client.answer(id, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
}

pub(super) fn refuse(gateway: &Gateway, id: &str, code: ErrorCode, why: &str) {
    let (code, why) = (code.0, quoted(why));
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#);
    gateway.client.answer(id, &answer);
}
