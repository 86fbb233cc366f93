//! From a server of the gateway to the client.

use std::io::PipeReader;
use std::sync::Arc;

use rmcp::model::ErrorCode;

use forebay_app::bounds::MAX_LINE_BYTES;

use super::super::json::{self, Members, quoted};
use super::super::lines::{Lines, Next};
use super::super::listing::LIST_CHANGED;
use super::member::{Member, lock};
use super::routes::Kind;
use super::{Gateway, write_log};
use crate::doors::json_scan::JsonScan;

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
/// Between a server's number and the id that it gave a request.
const SEPARATOR: char = '/';

/// Passes on what a server says until it ends; its unanswered requests fail then.
pub(super) fn pass_on(gateway: &Arc<Gateway>, number: usize, output: PipeReader) {
    let mut lines = Lines::new(output);
    loop {
        match lines.next() {
            Ok(Next::Line(line)) => {
                let text = String::from_utf8_lossy(line);
                for message in json::split_batch(text.trim_ascii()) {
                    take(gateway, number, message);
                }
            }
            Ok(Next::LongLine(start)) => {
                let mut scan = JsonScan::whole(start);
                let read = lines.rest(&mut |piece| {
                    scan.feed(piece);
                    Ok(())
                });
                drop(read);
                has_answered_too_much(gateway, number, &scan);
            }
            Ok(Next::End) | Err(_) => break,
        }
    }
    has_ended(gateway, number);
}

fn take(gateway: &Gateway, number: usize, text: &str) {
    // Without a message there is no request to answer.
    let Ok(message) = Members::parse(text) else { return };
    match (message.get("method").is_some(), message.get("id")) {
        (false, Some(id)) => {
            // Of two answers to a request, and of those to one that was cancelled, the client learns nothing.
            if !gateway.members[number].take_answer(id, text)
                && gateway.routes.answered_by(id, number)
            {
                note_task(gateway, number, &message);
                gateway.client.answer(id, text);
            }
        }
        (true, Some(id)) => ask_client(gateway, number, id, &message),
        (true, None) => {
            if message.string("method").as_deref() == Some(TOOLS_CHANGED) {
                lock(&gateway.members[number].permitted).forget();
            }
            deliver(gateway, number, &notification(&gateway.members[number], number, &message));
        }
        (false, None) => {}
    }
}

/// Passes a request of a server on, under an id that no other server uses.
fn ask_client(gateway: &Gateway, number: usize, id: &str, message: &Members<'_>) {
    let member = &gateway.members[number];
    if !member.open_request(id) {
        member.send(&error(id, "too many requests to the client are not answered"));
        return;
    }
    let mut shown = message.clone();
    shown.set("id", id_for_client(number, id));
    deliver(gateway, number, &shown.into_text());
}

/// Tells the client to list the tools again.
pub(super) fn announce_changed_tools(gateway: &Gateway, number: usize) {
    deliver(gateway, number, String::from_utf8_lossy(LIST_CHANGED).trim_end());
}

fn deliver(gateway: &Gateway, number: usize, text: &str) {
    gateway.client.deliver(text, &|| gateway.routes.unanswered(number));
}

/// A notification, with the id of the request that it is about as the client knows it.
fn notification(member: &Member, number: usize, message: &Members<'_>) -> String {
    let mut shown = message.clone();
    if message.string("method").as_deref() == Some("notifications/cancelled")
        && let Some(mut params) = message.object("params")
        && let Some(id) = params.get("requestId").map(str::to_owned)
    {
        member.close_request(&id);
        params.set("requestId", id_for_client(number, &id));
        shown.set("params", params.into_text());
    }
    shown.into_text()
}

fn id_for_client(number: usize, id: &str) -> String {
    quoted(&format!("{number}{SEPARATOR}{id}"))
}

/// The server and the id of a request that the client answers or is told about.
pub(super) fn id_of_member(id: &str) -> Option<(usize, String)> {
    let text: String = serde_json::from_str(id).ok()?;
    let (number, id) = text.split_once(SEPARATOR)?;
    Some((number.parse().ok()?, id.to_owned()))
}

/// Notes the task that a call goes on as.
fn note_task(gateway: &Gateway, number: usize, answer: &Members<'_>) {
    let Some(result) = answer.object("result") else { return };
    let nested = result.object("task").and_then(|task| task.string("taskId"));
    if let Some(task) = nested.or_else(|| result.string("taskId")) {
        gateway.routes.learn(Kind::Task, &task, number);
    }
}

/// A wrapper passes on lines of any length, the gateway cannot keep them.
fn has_answered_too_much(gateway: &Gateway, number: usize, scan: &JsonScan) {
    let id = String::from_utf8_lossy(scan.id()).into_owned();
    let name = &gateway.members[number].name;
    let why = format!("the answer of {name} is longer than {} MB", MAX_LINE_BYTES / (1024 * 1024));
    write_log(&why);
    if gateway.routes.answered_by(&id, number) {
        gateway.client.answer(&id, &error(&id, &why));
    }
}

fn error(id: &str, why: &str) -> String {
    let (code, why) = (ErrorCode::INTERNAL_ERROR.0, quoted(why));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#)
}

fn has_ended(gateway: &Gateway, number: usize) {
    let member = &gateway.members[number];
    let had_greeted = member.has_greeted();
    member.has_ended();
    let unanswered = gateway.routes.take_unanswered(number);
    let why = format!("the server {} has ended", member.name);
    for id in unanswered {
        gateway.client.answer(&id, &error(&id, &why));
    }
    if had_greeted && !gateway.is_ending.get() {
        announce_changed_tools(gateway, number);
    }
}
