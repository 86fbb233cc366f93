//! What a keeper does: runs one job to its end, and leaves word of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use forebay_sandbox::{CancelToken, fifo};
use forebay_text::cut;

use super::order::{self, Order, READY};
use super::{End, Job, Record, unwritable};
use crate::run::{self, Watcher};
use crate::{App, AppError, Call, rules};

/// Runs the job of `order`. `say` reaches whoever started it, once; `cancel` ends the job.
pub fn keep(
    app: &App,
    order: &Order,
    cancel: &CancelToken,
    say: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), AppError> {
    match Kept::begin(app, order) {
        Ok(kept) => {
            // Whoever asked may have gone since; the job was ordered all the same.
            let _ = say(READY);
            kept.see_through(app, order, cancel)
        }
        Err(error) => {
            let _ = say(&order::refusal(&error));
            Err(error)
        }
    }
}

/// A job whose files are in place.
struct Kept {
    job: Job,
    record: Record,
    command: run::Command,
    output: File,
    /// Held until this process ends: the sign that it lives.
    _lock: File,
}

impl Kept {
    fn begin(app: &App, order: &Order) -> Result<Self, AppError> {
        let job = Job::at(order.folder.clone());
        let mut command = order.command(app)?;
        let lock =
            job.lock_file().and_then(|lock| lock.lock().map(|()| lock)).map_err(unwritable)?;
        command.stdin = fifo::create(&job.inlet()).map_err(unwritable)?;
        let output = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(job.output_file())
            .map_err(unwritable)?;
        let (title, _) = app.redaction.text(&command.title);
        let record = Record {
            title: cut::one_line(&title, 200),
            session: app.session.clone(),
            kept: order.kept,
            keeper: std::process::id(),
            started: app.now(),
            end: None,
        };
        job.write(&record).map_err(unwritable)?;
        Ok(Self { job, record, command, output, _lock: lock })
    }

    fn see_through(self, app: &App, order: &Order, cancel: &CancelToken) -> Result<(), AppError> {
        let Self { job, mut record, command, output, _lock } = self;
        let mut call = Call::default();
        call.cancel = cancel.clone();
        let mut spool = Spool { output };
        let ran = rules::in_force(app).and_then(|in_force| {
            run::run_permitted(app, command, &order.options(), &in_force, &call, &mut spool)
        });
        record.end = Some(match ran {
            Ok(ran) => End {
                text: ran.answer.text,
                data: ran.answer.data,
                raw_bytes: ran.answer.cost.raw_bytes,
                at: app.now(),
            },
            Err(error) => End {
                text: format!("did not run: {}", error.to_text()),
                data: serde_json::json!({ "error": error.message }),
                raw_bytes: 0,
                at: app.now(),
            },
        });
        job.write(&record).map_err(unwritable)?;
        // The store has it now.
        let _ = fs::remove_file(job.output_file());
        let _ = fs::remove_file(job.inlet());
        app.settle()
    }
}

/// What was said so far, for those who read while it runs.
struct Spool {
    output: File,
}

impl Watcher for Spool {
    fn kept(&mut self, bytes: &[u8]) {
        // The store gets it in any case.
        if let Err(error) = self.output.write_all(bytes) {
            tracing::warn!(%error, "a job's output cannot be followed");
        }
    }
}
