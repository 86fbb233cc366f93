//! Progress bars on a terminal; nothing elsewhere.

use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use forebay_app::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Delay before a progress bar appears.
const SHOW_DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A bar for work of a known size in bytes.
pub(super) fn bar(what: &str, bytes: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let amounts = "{bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
    ProgressBar::new(bytes).with_style(style(&format!("{what} {{bar:20}} {amounts}")))
}

/// A bar for a number of things, whose total the first report tells.
pub(super) fn steps(what: &str, things: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let counts = "{human_pos}/{human_len} {msg}, {rate}, {eta} left";
    let style = style(&format!("{what} {{bar:20}} {counts}")).with_key("rate", write_rate);
    ProgressBar::new(0).with_style(style).with_message(things)
}

/// `571/s`, `0.3/s`
fn write_rate(state: &ProgressState, into: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    let digits = usize::from(rate < 10.0);
    // A bar has no use for an error of its own text.
    let _ = write!(into, "{rate:.digits$}/s");
}

/// Shows a report on a bar.
pub(super) fn show(bar: &ProgressBar, step: &Progress<'_>) {
    bar.set_message(step.what.to_owned());
    if let Some(total) = step.total {
        bar.set_length(total as u64);
    }
    bar.set_position(step.done as u64);
}

/// A spinner for a long command, removed on drop.
pub(super) struct Spinner {
    bar: ProgressBar,
    /// Dropping it wakes the thread that waits to show the bar.
    _waiting: Option<Sender<()>>,
}

impl Spinner {
    pub(super) fn for_a_command() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_style(style("{spinner} running {elapsed}, {bytes} of output"));
        let waiting = io::stderr().is_terminal().then(|| show_later(bar.clone()));
        Self { bar, _waiting: waiting }
    }

    /// The bar that counts the bytes captured.
    pub(super) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn show_later(bar: ProgressBar) -> Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if receiver.recv_timeout(SHOW_DELAY) == Err(RecvTimeoutError::Timeout) && !bar.is_finished()
        {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    });
    sender
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
