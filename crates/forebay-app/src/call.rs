//! A call in progress: how it is cancelled and whom it tells how far it is.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_sandbox::CancelToken;

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Yes,
    No,
    /// Whoever calls has no way to ask his user.
    NobodyToAsk,
}

/// Asks the user, and waits for his answer.
type Asker = Box<dyn Fn(&str) -> Reply + Send + Sync>;
/// Takes a growing number and a word on what is being done.
type Progress = Box<dyn Fn(f64, &str) + Send + Sync>;

/// Nobody reads faster; a command that prints byte by byte must not flood its client.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// What a door lends to a tool while it works.
pub struct Call {
    pub cancel: CancelToken,
    progress: Progress,
    asker: Asker,
    last_report: Mutex<Option<Instant>>,
}

/// A call that can be cancelled, reports to nobody and asks nobody.
impl Default for Call {
    fn default() -> Self {
        Self {
            cancel: CancelToken::new(),
            progress: Box::new(|_, _| {}),
            asker: Box::new(|_| Reply::NobodyToAsk),
            last_report: Mutex::default(),
        }
    }
}

impl Call {
    /// Has `asker` ask the user where a rule says so.
    #[must_use]
    pub fn asking(mut self, asker: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        self.asker = Box::new(asker);
        self
    }

    /// Asks the user, if anybody can.
    pub fn ask(&self, question: &str) -> Reply {
        (self.asker)(question)
    }

    /// Reports to `progress` how far it is.
    #[must_use]
    pub fn reporting_to(mut self, progress: impl Fn(f64, &str) + Send + Sync + 'static) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Reports how far it is, unless it just did.
    pub fn report(&self, done: f64, what: impl Display) {
        if self.is_due() {
            (self.progress)(done, &what.to_string());
        }
    }

    fn is_due(&self) -> bool {
        let mut last = self.last_report.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| last.elapsed() >= REPORT_EVERY);
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
    fn a_flood_of_reports_is_thinned() {
        let heard = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&heard);
        let call = Call::default().reporting_to(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let started = Instant::now();
        for number in 0..10_000 {
            call.report(f64::from(number), "bytes");
        }
        let most = started.elapsed().as_millis() / REPORT_EVERY.as_millis() + 1;
        assert!((1..=most).contains(&(heard.load(Ordering::Relaxed) as u128)));
    }
}
