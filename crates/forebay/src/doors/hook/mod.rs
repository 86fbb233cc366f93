//! The hook door: a host's JSON on stdin, the reply on stdout.
//!
//! A hook never breaks the agent. On an error, a panic or a timeout the process prints nothing, exits with 0 and logs a
//! line. No async runtime, no network: a hook has milliseconds.

mod host;
mod payload;

use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use forebay_app::bounds::{HOOK_REST_TIMEOUT, HOOK_TIMEOUT};
use forebay_app::{App, AppError, hooks};
use forebay_domain::hook::{HookCall, Reply};
use forebay_platforms::{Decoded, Output, Platform, decode, encode, find, supports};

use super::deadline::Deadline;
use crate::config::environment;

/// Creates the app for a hook call.
pub(crate) type MakeApp = fn(&Platform, &HookCall) -> Result<HookApp, AppError>;

/// The app of a hook call.
pub(crate) struct HookApp {
    pub(crate) app: App,
    /// Why the user's settings cannot be used. The app has the defaults then, and only applies rules.
    pub(crate) unusable_settings: Option<AppError>,
}

/// The answer of a hook, and the work that goes on after it.
pub(crate) struct Answer {
    pub(crate) output: Output,
    rest: Option<Rest>,
}

/// What is left to do after the answer, which took this long.
type Rest = Box<dyn FnOnce(Duration)>;

impl Answer {
    /// Does the rest, but not for long: the host waits for this process.
    pub(crate) fn finish(self, took: Duration) {
        let Some(rest) = self.rest else { return };
        let deadline = Deadline::start(HOOK_REST_TIMEOUT, self.output.exit_code, || ());
        let Ok(deadline) = deadline else { return };
        // The answer is given, so a panic changes nothing.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| rest(took)));
        deadline.met();
    }
}

/// The answer of a hook, or why there is none; if it takes too long, `late` is called, and the process ends.
pub(crate) fn answer(
    platform: &str,
    event: &str,
    make_app: MakeApp,
    late: impl FnOnce(String) + Send + 'static,
) -> Result<Answer, String> {
    // Panics go to the log; stderr belongs to the host.
    panic::set_hook(Box::new(|_| {}));
    let too_late = move || late(format!("timed out after {HOOK_TIMEOUT:?}"));
    let deadline = Deadline::start(HOOK_TIMEOUT, 0, too_late)
        .map_err(|error| format!("cannot start a thread: {error}"))?;
    let work = AssertUnwindSafe(|| work(platform, event, make_app));
    let done = panic::catch_unwind(work).unwrap_or_else(|panic| Err(panic_message(&*panic)));
    deadline.met();
    done
}

fn work(platform: &str, event: &str, make_app: MakeApp) -> Result<Answer, String> {
    let platform = find(platform).ok_or_else(|| format!("unknown platform `{platform}`"))?;
    let bytes = payload::read().map_err(|error| format!("stdin: {error}"))?;
    let decoded = decode(platform, event, &bytes).map_err(|error| error.to_string())?;
    drop(bytes);
    // Hosts run each other's hooks; each has its own.
    if !decoded.is_from_platform(|name| environment::read(name).is_some()) {
        return Ok(Answer { output: Output::default(), rest: None });
    }
    // The process exits with the answer, so destructors are skipped.
    let HookApp { app, unusable_settings } =
        make_app(platform, &decoded.call).map_err(|error| error.to_text())?;
    let app = ManuallyDrop::new(app);
    let supports = |reply: &Reply| supports(&decoded, reply);
    let host = host::describe(&decoded, &supports);
    if let Some(fault) = unusable_settings {
        let objection = hooks::objection(&app, &host, &decoded.call);
        let reply = objection.map_err(|error| error.to_text())?.ok_or_else(|| fault.to_text())?;
        return finished(&decoded, &reply);
    }
    for call in &decoded.unreplaceable {
        hooks::store_result(&app, &host, call).map_err(|error| error.to_text())?;
    }
    let reply = hooks::answer(&app, &host, &decoded.call).map_err(|error| error.to_text())?;
    let answer = finished(&decoded, &reply)?;
    drop(host);
    let call = decoded.call;
    let rest: Rest = Box::new(move |took| {
        hooks::record_objection(&app, &call, &reply);
        hooks::log_call(&app, &call, &reply, took);
    });
    Ok(Answer { rest: Some(rest), ..answer })
}

/// An answer after which nothing is left to do.
fn finished(decoded: &Decoded, reply: &Reply) -> Result<Answer, String> {
    let output = encode(decoded, reply).map_err(|error| error.to_string())?;
    Ok(Answer { output, rest: None })
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("no message"))
}
