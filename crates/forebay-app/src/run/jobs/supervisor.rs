//! The supervisor process of a job: runs it to its end and records the result.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use forebay_sandbox::{CancelToken, fifo};
use forebay_text::cut;

use super::order::{self, Order, READY_REPLY};
use super::{End, Job, Record, folder_error};
use crate::run::{self, Watcher};
use crate::{App, AppError, Call, rules};

/// Runs the job of `order`. `say` sends one reply to the process that started it; `cancel` stops the job.
pub fn supervise(
    app: &App,
    order: &Order,
    cancel: &CancelToken,
    say: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), AppError> {
    match RunningJob::start(app, order) {
        Ok(running) => {
            // The starting process may have exited; the job runs anyway.
            let _ = say(READY_REPLY);
            running.run_to_end(app, order, cancel)
        }
        Err(error) => {
            let _ = say(&order::error_reply(&error));
            Err(error)
        }
    }
}

/// A job whose files have been created.
struct RunningJob {
    job: Job,
    record: Record,
    command: run::Command,
    output: File,
    /// Held until this process exits: the sign that it is alive.
    _lock: File,
}

impl RunningJob {
    fn start(app: &App, order: &Order) -> Result<Self, AppError> {
        let job = Job::new(order.folder.clone());
        let mut command = order.command(app)?;
        let lock =
            job.lock_file().and_then(|lock| lock.lock().map(|()| lock)).map_err(folder_error)?;
        command.stdin = fifo::create(&job.stdin_fifo()).map_err(folder_error)?;
        let output = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(job.output_file())
            .map_err(folder_error)?;
        let (title, _) = app.redaction.redact(&command.title);
        let record = Record {
            title: cut::one_line(&title, 200),
            session: app.session.clone(),
            kept: order.kept,
            supervisor: std::process::id(),
            started: app.now(),
            end: None,
        };
        job.write(&record).map_err(folder_error)?;
        Ok(Self { job, record, command, output, _lock: lock })
    }

    fn run_to_end(self, app: &App, order: &Order, cancel: &CancelToken) -> Result<(), AppError> {
        let Self { job, mut record, command, output, _lock } = self;
        let mut call = Call::default();
        call.cancel = cancel.clone();
        let mut output = OutputFile { file: output };
        let ran = rules::in_force(app).and_then(|in_force| {
            run::run_permitted(app, command, &order.options(), &in_force, &call, &mut output)
        });
        record.end = Some(match ran {
            Ok(ran) => End {
                text: ran.answer.text,
                data: ran.answer.data,
                raw_bytes: ran.answer.cost.raw_bytes,
                at: app.now(),
            },
            Err(error) => End {
                text: format!("did not start: {}", error.to_text()),
                data: serde_json::json!({ "error": error.message }),
                raw_bytes: 0,
                at: app.now(),
            },
        });
        job.write(&record).map_err(folder_error)?;
        // The output is in the store now.
        let _ = fs::remove_file(job.output_file());
        let _ = fs::remove_file(job.stdin_fifo());
        app.finish_pending_work()
    }
}

/// Writes the output so far to a file, for readers while the job runs.
struct OutputFile {
    file: File,
}

impl Watcher for OutputFile {
    fn kept(&mut self, bytes: &[u8]) {
        // The store receives the output in any case.
        if let Err(error) = self.file.write_all(bytes) {
            tracing::warn!(%error, "cannot write the job's output file");
        }
    }
}
