//! Log messages for the client: what its own calls cost, and why they failed.
//!
//! The protocol deprecates them in favour of files and telemetry (SEP-2577), and hosts still show them. Nothing is sent
//! unless the client sets a level: for a session by `logging/setLevel`, since revision 2026-07-28 in each request.

#![expect(deprecated, reason = "hosts of both revisions show log messages")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use forebay_app::{Answer, App, AppError, ErrorKind};
use forebay_domain::{tokens, usage};
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::{Value, json};

use super::handler::Context;

/// The parameters of `logging/setLevel`.
pub(super) type SetLevel = rmcp::model::SetLevelRequestParams;

/// The level that a session has set.
#[derive(Default)]
pub(super) struct LogLevel {
    of_session: Mutex<Option<LoggingLevel>>,
    /// Whether the client knows that the program was replaced.
    has_told_replacement: AtomicBool,
}

impl LogLevel {
    pub(super) fn set(&self, level: LoggingLevel) {
        *self.of_session.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// A request that carries its own metadata has no session, and says itself what it wants.
    fn for_request(&self, context: &Context) -> Option<LoggingLevel> {
        match context.meta.protocol_version() {
            Some(_) => context.meta.log_level(),
            None => *self.of_session.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Sends a message about a finished call, before its answer.
    pub(super) async fn report(
        &self,
        context: &Context,
        tool: &str,
        outcome: Result<&Answer, &AppError>,
        took: Duration,
    ) {
        let (level, data) = message(tool, outcome, took);
        if self.wants(context, level) {
            send(context, level, data).await;
        }
    }

    /// Tells once that another version was installed meanwhile.
    pub(super) async fn report_replacement(&self, context: &Context, app: &App) {
        let level = LoggingLevel::Notice;
        let Some(remark) = app.replaced_program() else { return };
        if self.wants(context, level) && !self.has_told_replacement.swap(true, Ordering::Relaxed) {
            send(context, level, json!({ "notice": remark })).await;
        }
    }

    fn wants(&self, context: &Context, level: LoggingLevel) -> bool {
        self.for_request(context).is_some_and(|least| level as u8 >= least as u8)
    }
}

async fn send(context: &Context, level: LoggingLevel, data: Value) {
    let message = LoggingMessageNotificationParam::new(level, data).with_logger("forebay");
    // A client that is gone needs no message.
    let _ = context.peer.notify_logging_message(message).await;
}

fn message(
    tool: &str,
    outcome: Result<&Answer, &AppError>,
    took: Duration,
) -> (LoggingLevel, Value) {
    match outcome {
        Ok(answer) => {
            let data = json!({
                "tool": tool,
                "ms": took.as_millis() as u64,
                "tokens": tokens::estimate(&answer.text),
                "tokens_replaced": usage::host_tokens(answer.cost.host_bytes),
            });
            (LoggingLevel::Debug, data)
        }
        Err(error) => {
            let level = match error.kind {
                ErrorKind::BadInput | ErrorKind::NotFound => LoggingLevel::Notice,
                ErrorKind::Refused | ErrorKind::Busy => LoggingLevel::Warning,
                ErrorKind::Unavailable => LoggingLevel::Error,
            };
            (level, json!({ "tool": tool, "error": error.message, "hint": error.hint }))
        }
    }
}
