//! A call in progress: how it is cancelled and whom it tells how far it is.

use std::io;

use forebay_sandbox::Cancel;

/// Takes a growing number and a word on what is being done.
type Progress = Box<dyn Fn(f64, &str) + Send + Sync>;

/// What a door lends to a tool while it works.
pub struct Call {
    pub cancel: Cancel,
    progress: Progress,
}

impl Call {
    /// A call that can be cancelled and reports to nobody.
    pub fn new() -> io::Result<Self> {
        Ok(Self { cancel: Cancel::new()?, progress: Box::new(|_, _| {}) })
    }

    /// Reports to `progress` how far it is.
    #[must_use]
    pub fn reporting_to(mut self, progress: impl Fn(f64, &str) + Send + Sync + 'static) -> Self {
        self.progress = Box::new(progress);
        self
    }

    pub fn report(&self, done: f64, what: &str) {
        (self.progress)(done, what);
    }
}
