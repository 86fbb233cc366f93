//! A call in progress: cancellation, progress reports, and questions to the user.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_sandbox::CancelToken;

/// The user's reply to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Yes,
    No,
    /// The caller cannot prompt its user.
    Unavailable,
}

/// Prompts the user and waits for the reply.
type Prompt = Box<dyn Fn(&str) -> Reply + Send + Sync>;
/// Receives reports of progress.
type ProgressSink = Box<dyn Fn(&Progress<'_>) + Send + Sync>;

/// How far a call is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// A growing number.
    pub done: f64,
    /// What it grows to, if that is known.
    pub total: Option<f64>,
    /// Describes the current step.
    pub what: &'a str,
}

/// Minimum time between progress reports: a command that prints byte by byte must not flood its client.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// What a front end provides to a running tool.
pub struct Call {
    pub cancel: CancelToken,
    progress: ProgressSink,
    prompt: Prompt,
    last_report: Mutex<Option<Instant>>,
}

/// A call that can be cancelled, discards progress and cannot prompt the user.
impl Default for Call {
    fn default() -> Self {
        Self {
            cancel: CancelToken::new(),
            progress: Box::new(|_| {}),
            prompt: Box::new(|_| Reply::Unavailable),
            last_report: Mutex::default(),
        }
    }
}

impl Call {
    /// Uses `prompt` to ask the user where a rule requires it.
    #[must_use]
    pub fn prompting_with(
        mut self,
        prompt: impl Fn(&str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.prompt = Box::new(prompt);
        self
    }

    /// Asks the user a yes-or-no question.
    pub fn ask(&self, question: &str) -> Reply {
        // What is asked about must be what is seen.
        (self.prompt)(&forebay_text::invisible::escape(question))
    }

    /// Sends progress reports to `progress`.
    #[must_use]
    pub fn reporting_to(
        mut self,
        progress: impl Fn(&Progress<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Reports progress, at most once per interval.
    pub fn report(&self, done: f64, what: impl Display) {
        self.report_of(done, None, what);
    }

    /// Reports progress towards a total, at most once per interval.
    pub fn report_of(&self, done: f64, total: Option<f64>, what: impl Display) {
        if self.is_due() {
            (self.progress)(&Progress { done, total, what: &what.to_string() });
        }
    }

    fn is_due(&self) -> bool {
        let mut last = self.last_report.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL);
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn limits_the_rate_of_reports() {
        let reports = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&reports);
        let call = Call::default().reporting_to(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let started = Instant::now();
        for number in 0..10_000 {
            call.report(f64::from(number), "bytes");
        }
        let most = started.elapsed().as_millis() / REPORT_INTERVAL.as_millis() + 1;
        assert!((1..=most).contains(&(reports.load(Ordering::Relaxed) as u128)));
    }
}
