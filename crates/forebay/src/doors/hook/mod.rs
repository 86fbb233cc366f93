//! The hook door: a host's JSON on stdin, the reply on stdout.
//!
//! A hook never breaks the agent. On an error, a panic or a timeout the process prints nothing, exits with 0, logs a line and
//! lists the failure, all within a bounded time. No async runtime, no network: a hook has milliseconds.

mod host;
mod payload;

use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forebay_app::bounds::{HOOK_REST_TIMEOUT, HOOK_TIMEOUT};
use forebay_app::hooks::{self, Faults};
use forebay_app::{App, AppError};
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
    /// Why the project's settings are left out.
    pub(crate) ignored_settings: Option<AppError>,
}

/// What is known of a call so far. A failure is listed with it, also one of a thread that is stuck.
#[derive(Default)]
pub(crate) struct Progress {
    decoded: OnceLock<Decoded>,
    /// The process exits with the answer, so destructors are skipped.
    app: OnceLock<ManuallyDrop<App>>,
}

impl Progress {
    pub(crate) fn call(&self) -> Option<&HookCall> {
        self.decoded.get().map(|decoded| &decoded.call)
    }

    pub(crate) fn app(&self) -> Option<&App> {
        self.app.get().map(|app| &**app)
    }
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
        do_rest(self.output.exit_code, || rest(took));
    }
}

/// Does what comes after an answer, or after the failure to give one; if it takes too long, the process ends.
pub(crate) fn do_rest(exit_code: u8, rest: impl FnOnce()) {
    // Without another thread it may take longer, and the host ends it.
    let deadline = Deadline::start(HOOK_REST_TIMEOUT, exit_code, || ()).ok();
    // The answer is given, so a panic changes nothing.
    let _ = panic::catch_unwind(AssertUnwindSafe(rest));
    if let Some(deadline) = deadline {
        deadline.met();
    }
}

/// The answer of a hook, or why there is none; if it takes too long, `late` is called, and the process ends.
pub(crate) fn answer(
    platform: &str,
    event: &str,
    make_app: MakeApp,
    progress: &Arc<Progress>,
    late: impl FnOnce(&AppError) + Send + 'static,
) -> Result<Answer, AppError> {
    // Panics go to the log; stderr belongs to the host.
    panic::set_hook(Box::new(|_| {}));
    let too_late = move || {
        let error = unavailable(format!("timed out after {HOOK_TIMEOUT:?}"));
        // What blocks the hook may block this, too.
        do_rest(0, || late(&error));
    };
    let deadline = Deadline::start(HOOK_TIMEOUT, 0, too_late)
        .map_err(|error| unavailable(format!("cannot start a thread: {error}")))?;
    let work = AssertUnwindSafe(|| work(platform, event, make_app, progress));
    let done =
        panic::catch_unwind(work).unwrap_or_else(|panic| Err(unavailable(panic_message(&*panic))));
    deadline.met();
    done
}

fn work(
    platform: &str,
    event: &str,
    make_app: MakeApp,
    progress: &Arc<Progress>,
) -> Result<Answer, AppError> {
    let platform =
        find(platform).ok_or_else(|| unusable(format!("unknown platform `{platform}`")))?;
    let bytes = payload::read().map_err(|error| unusable(format!("stdin: {error}")))?;
    let decoded = decode(platform, event, &bytes).map_err(|error| unusable(error.to_string()))?;
    drop(bytes);
    // Hosts run each other's hooks; each has its own.
    if !decoded.is_from_platform(|name| environment::read(name).is_some()) {
        return Ok(Answer { output: Output::default(), rest: None });
    }
    let decoded = progress.decoded.get_or_init(|| decoded);
    let HookApp { app, unusable_settings, ignored_settings } = make_app(platform, &decoded.call)?;
    let app = &**progress.app.get_or_init(|| ManuallyDrop::new(app));
    let supports = |reply: &Reply| supports(decoded, reply);
    let host = host::describe(decoded, &supports);
    let mut faults = Faults::default();
    if let Some(fault) = unusable_settings {
        let Some(reply) = hooks::objection(app, &host, &decoded.call)? else { return Err(fault) };
        faults.add("hook only applies rules", fault);
        // Where things are stored is one of the settings.
        return answered(progress, decoded, reply, faults, |_, _, _| ());
    }
    if let Some(fault) = ignored_settings {
        faults.add("hook ignores the project's settings", fault);
    }
    for call in &decoded.unreplaceable {
        hooks::store_result(app, &host, call)?;
    }
    let reply = hooks::answer(app, &host, &decoded.call, &mut faults)?;
    answered(progress, decoded, reply, faults, hooks::record_objection)
}

/// The answer with a reply; after it, it is recorded, and the call listed.
fn answered(
    progress: &Arc<Progress>,
    decoded: &Decoded,
    reply: Reply,
    faults: Faults,
    record: fn(&App, &HookCall, &Reply),
) -> Result<Answer, AppError> {
    let output = encode(decoded, &reply).map_err(|error| unavailable(error.to_string()))?;
    let progress = Arc::clone(progress);
    let rest: Rest = Box::new(move |took| {
        let (Some(app), Some(call)) = (progress.app(), progress.call()) else { return };
        record(app, call, &reply);
        hooks::log_call(app, call, &reply, &faults, took);
    });
    Ok(Answer { output, rest: Some(rest) })
}

/// A call that is none of those that Forebay sets up.
fn unusable(message: String) -> AppError {
    AppError::bad_input(message, "forebay doctor --fix renews the agent's hooks")
}

fn unavailable(message: String) -> AppError {
    AppError::unavailable(message, None)
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("no message"))
}
