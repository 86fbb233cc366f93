//! The hook door: a host's JSON on stdin, its answer on stdout.
//!
//! A hook never breaks the agent. The work is done on a thread of its own; whatever becomes of it, an
//! error, a panic, or nothing in time, the process says nothing, exits with 0 and leaves a line in the log.
//! No runtime, no network: a hook has milliseconds.

mod host;
mod payload;

use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use forebay_app::{App, AppError, hooks};
use forebay_domain::hook::HookCall;
use forebay_platforms::{Output, Platform, decode, encode, find};

use crate::config::environment;

/// Hosts wait ten seconds and longer; who is late is cut off there, and some take that for a no.
const IN_TIME: Duration = Duration::from_secs(9);

/// Makes the app for the call of a hook.
pub(crate) type MakeApp = Box<dyn FnOnce(&Platform, &HookCall) -> Result<App, AppError> + Send>;

/// What a hook has to say, or why it says nothing.
pub(crate) fn answer(platform: &str, event: &str, make_app: MakeApp) -> Result<Output, String> {
    // A panic is told in the log; stderr belongs to the host.
    panic::set_hook(Box::new(|_| {}));
    let (platform, event) = (platform.to_owned(), event.to_owned());
    let (sender, receiver) = mpsc::channel();
    let worker = move || {
        let work = AssertUnwindSafe(|| work(&platform, &event, make_app));
        let done = panic::catch_unwind(work).unwrap_or_else(|panic| Err(panic_words(&*panic)));
        // Nobody listens any more when it took too long.
        let _ = sender.send(done);
    };
    thread::Builder::new().spawn(worker).map_err(|error| format!("no thread: {error}"))?;
    receiver.recv_timeout(IN_TIME).unwrap_or_else(|error| {
        Err(match error {
            RecvTimeoutError::Timeout => format!("not done within {IN_TIME:?}"),
            RecvTimeoutError::Disconnected => "the work ended without a word".to_owned(),
        })
    })
}

fn work(platform: &str, event: &str, make_app: MakeApp) -> Result<Output, String> {
    let platform = find(platform).ok_or_else(|| format!("there is no platform `{platform}`"))?;
    let bytes = payload::read().map_err(|error| format!("stdin: {error}"))?;
    let decoded = decode(platform, event, &bytes).map_err(|error| error.to_string())?;
    drop(bytes);
    // Hosts run each other's hooks; each has one of its own.
    if !decoded.is_from_its_platform(|name| environment::read(name).is_some()) {
        return Ok(Output::default());
    }
    // The process ends with the answer: nobody waits for the app to be taken apart.
    let app =
        ManuallyDrop::new(make_app(platform, &decoded.call).map_err(|error| error.to_text())?);
    let host = host::of(&decoded);
    let reply = hooks::answer(&app, &host.seen_by_the_app(&decoded), &decoded.call)
        .map_err(|error| error.to_text())?;
    encode(&decoded, &reply).map_err(|error| error.to_string())
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without words"))
}
