//! From a server of the gateway to the client.

use std::io::PipeReader;
use std::sync::Arc;

use rmcp::model::ErrorCode;

use super::super::json::{Members, quoted};
use super::super::lines::{Lines, Next};
use super::super::listing::LIST_CHANGED;
use super::Gateway;
use super::routes::Kind;

/// Between a server's number and the id that it gave a request.
const SEPARATOR: char = '/';

/// Passes on what a server says until it ends; its unanswered requests fail then.
pub(super) fn pass_on(gateway: &Arc<Gateway>, number: usize, output: PipeReader) {
    let mut lines = Lines::new(output);
    loop {
        match lines.next() {
            Ok(Next::Line(line)) => {
                take(gateway, number, String::from_utf8_lossy(line).trim_ascii());
            }
            // A wrapper passes on such lines of its server, of which the gateway cannot tell what they are.
            Ok(Next::LongLine(_)) => drop(lines.rest(&mut |_| Ok(()))),
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
            if !gateway.members[number].take_answer(id, text) {
                gateway.routes.answered(id);
                note_task(gateway, number, &message);
                gateway.to_client(text);
            }
        }
        (true, Some(id)) => {
            let id = id_for_client(number, id);
            let mut message = message.clone();
            message.set("id", id);
            gateway.to_client(&message.into_text());
        }
        (true, None) => gateway.to_client(&notification(number, &message)),
        (false, None) => {}
    }
}

/// A notification, with the id of the request that it is about as the client knows it.
fn notification(number: usize, message: &Members<'_>) -> String {
    let mut shown = message.clone();
    if message.string("method").as_deref() == Some("notifications/cancelled")
        && let Some(mut params) = message.object("params")
        && let Some(id) = params.get("requestId").map(str::to_owned)
    {
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

fn has_ended(gateway: &Gateway, number: usize) {
    let member = &gateway.members[number];
    let had_greeted = member.has_greeted();
    member.has_ended();
    let unanswered = gateway.routes.take_unanswered(number);
    let text = quoted(&format!("the server {} has ended", member.name));
    let code = ErrorCode::INTERNAL_ERROR.0;
    for id in unanswered {
        gateway.to_client(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{text}}}}}"#
        ));
    }
    if had_greeted && !gateway.is_ending.get() {
        gateway.to_client(String::from_utf8_lossy(LIST_CHANGED).trim_end());
    }
}
