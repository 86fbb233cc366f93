//! From the client of the gateway to the server that a message is about.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use forebay_domain::rights::Right;
use rmcp::model::ErrorCode;

use super::super::json::{self, Members, quoted};
use super::super::keys;
use super::super::lines::{Lines, Next};
use super::super::own_tools::OwnCall;
use super::merge::{self, LISTS, List};
use super::queue::Sent;
use super::routes::Kind;
use super::{Gateway, answers, write_log};
use crate::doors::json_scan::JsonScan;
use crate::doors::mcp::Refusal;

/// Time for a server to answer whether it knows a resource.
const SEARCH_TIMEOUT: Duration = Duration::from_mins(1);

/// Takes the client's messages until it ends its side.
pub(super) fn take_all(gateway: &Arc<Gateway>, input: impl Read) {
    let mut lines = Lines::new(input);
    loop {
        match lines.next() {
            Ok(Next::Line(line)) => {
                let line = String::from_utf8_lossy(line);
                let text = line.trim_ascii();
                for message in json::items(text).unwrap_or_else(|| vec![text]) {
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

/// Refuses a message that does not reach a server. Nobody waits for an answer to an answer.
fn refuse_message(gateway: &Gateway, message: &Members<'_>, why: &str) {
    let is_answer = ["result", "error"].iter().any(|key| message.get(key).is_some());
    match message.get("id").filter(|_| !is_answer) {
        Some(id) => {
            let why = format!("the message is refused: {why}");
            refuse(gateway, id, ErrorCode::INVALID_REQUEST, &why);
        }
        None => write_log(&format!("a message of the client is dropped: {why}")),
    }
}

fn request(gateway: &Arc<Gateway>, method: &str, id: &str, message: &Members<'_>) {
    if let Some(list) = LISTS.iter().find(|list| list.method == method) {
        return gather(gateway, list, id);
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
                None => search(gateway, method, id, message, &uri),
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

/// Asks all servers for a list, while other messages go on.
fn gather(gateway: &Arc<Gateway>, list: &'static List, id: &str) {
    let (listing, id) = (Arc::clone(gateway), id.to_owned());
    in_background(gateway, &id.clone(), move || {
        let result = merge::gather(&listing, list);
        respond(&listing, &id, &result);
    });
}

fn in_background(gateway: &Gateway, id: &str, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = super::super::spawn("request", work) {
        refuse(gateway, id, ErrorCode::INTERNAL_ERROR, &error.to_string());
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
        OwnCall::Instead(params) => {
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
    if gateway.forebay.as_ref().is_some_and(|tools| tools.has(&name)) {
        let arguments = params.as_ref().and_then(|params| params.get("arguments"));
        return call_forebay(gateway, id, name, arguments.unwrap_or("{}").to_owned());
    }
    let owner = gateway.routes.owner_by_prefix(Kind::Tool, &name, &gateway.members);
    let Some(number) = owner else { return no_server_has(gateway, id, &name) };
    if let Some(is_permitted) = permission(gateway, number, &name) {
        return call_if(gateway, is_permitted, number, id, message, &name);
    }
    let (calling, id, text) = (Arc::clone(gateway), id.to_owned(), message.clone().into_text());
    in_background(gateway, &id.clone(), move || {
        merge::look_up_permitted(&calling.members[number]);
        let is_permitted = permission(&calling, number, &name).unwrap_or_default();
        if let Ok(message) = Members::parse(&text) {
            call_if(&calling, is_permitted, number, &id, &message, &name);
        }
    });
}

/// Whether the client may call a tool of a server; `None` if the server has to be asked what the tool does.
fn permission(gateway: &Gateway, number: usize, name: &str) -> Option<bool> {
    let member = &gateway.members[number];
    if member.rights.has(Right::Execute) {
        return Some(true);
    }
    member.is_permitted(member.own_name(name))
}

fn call_if(
    gateway: &Gateway,
    is_permitted: bool,
    number: usize,
    id: &str,
    message: &Members<'_>,
    name: &str,
) {
    if is_permitted {
        send_named(gateway, number, id, message, name);
    } else {
        forbid(gateway, id, name);
    }
}

fn forbid(gateway: &Gateway, id: &str, name: &str) {
    let text = format!(
        "{name} needs more rights than this token has for its server\ncontinue without it, or ask the user for a token with \
         the right `execute`"
    );
    respond(gateway, id, &text_result(&text, true));
}

fn text_result(text: &str, is_error: bool) -> String {
    let text = quoted(text);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":{is_error}}}"#)
}

/// Calls a tool of Forebay itself.
fn call_forebay(gateway: &Arc<Gateway>, id: &str, name: String, arguments: String) {
    let (calling, id) = (Arc::clone(gateway), id.to_owned());
    in_background(gateway, &id.clone(), move || {
        if let Some(tools) = &calling.forebay {
            respond(&calling, &id, &tools.call(&name, &arguments));
        }
    });
}

/// Gets a prompt from its server.
fn get_prompt(gateway: &Gateway, id: &str, message: &Members<'_>) {
    let params = message.object("params");
    let name = params.as_ref().and_then(|params| params.string("name")).unwrap_or_default();
    match gateway.routes.owner_by_prefix(Kind::Prompt, &name, &gateway.members) {
        Some(number) => send_named(gateway, number, id, message, &name),
        None => no_server_has(gateway, id, &name),
    }
}

fn no_server_has(gateway: &Gateway, id: &str, name: &str) {
    refuse(gateway, id, ErrorCode::INVALID_PARAMS, &format!("no server has `{name}`"));
}

/// Sends a request about a tool or a prompt to its server, under the server's own name for it.
fn send_named(gateway: &Gateway, number: usize, id: &str, message: &Members<'_>, name: &str) {
    let Some(mut params) = message.object("params") else { return };
    params.set("name", quoted(gateway.members[number].own_name(name)));
    let mut message = message.clone();
    message.set("params", params.into_text());
    send(gateway, number, id, &message);
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
    let owner = gateway.routes.owner_by_prefix(Kind::Prompt, &name, &gateway.members);
    if let Some(number) = owner {
        about.set("name", quoted(gateway.members[number].own_name(&name)));
        params.set("ref", about.into_text());
    }
    let mut message = message.clone();
    message.set("params", params.into_text());
    send_to(gateway, owner, id, &message, "no server has this prompt");
}

/// Asks one server after another for a resource that none has listed: a template may have made its address.
fn search(gateway: &Arc<Gateway>, method: &str, id: &str, message: &Members<'_>, uri: &str) {
    let params = message.get("params").unwrap_or("{}").to_owned();
    let (searching, method, uri) = (Arc::clone(gateway), method.to_owned(), uri.to_owned());
    let id = id.to_owned();
    in_background(gateway, &id.clone(), move || {
        let members = searching.members.iter().enumerate();
        for (number, member) in members.filter(|(_, member)| member.offers("resources")) {
            let answer = member.ask(&method, &params).recv_timeout(SEARCH_TIMEOUT);
            let answer = answer.unwrap_or_default();
            let answer = Members::parse(&answer).ok();
            if let Some(result) = answer.as_ref().and_then(|answer| answer.get("result")) {
                searching.routes.learn(Kind::Resource, &uri, number);
                return respond(&searching, &id, result);
            }
        }
        refuse(&searching, &id, ErrorCode::RESOURCE_NOT_FOUND, "no server has this resource");
    });
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

fn send(gateway: &Gateway, number: usize, id: &str, message: &Members<'_>) {
    if !gateway.routes.expect(id, number) {
        let what = "a request with this id is not answered yet";
        return refuse(gateway, id, ErrorCode::INVALID_REQUEST, what);
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

fn respond(gateway: &Gateway, id: &str, result: &str) {
    gateway.client.answer(id, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
}

fn refuse(gateway: &Gateway, id: &str, code: ErrorCode, why: &str) {
    let (code, why) = (code.0, quoted(why));
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#);
    gateway.client.answer(id, &answer);
}
