//! Background jobs: runs that outlive the call which started them, and if wanted the server.
//!
//! Each job is watched by a process of its own, its keeper, and described by files in a folder of its
//! own: any server or command of this user can list it, read it, send it input or stop it.
//!
//! - `order`: what the keeper is told to do;
//! - `record`: what is known of a job, and whether its keeper lives;
//! - `keeper`: what the keeper does;
//! - `output`: what a job has said so far.

mod keeper;
mod order;
mod output;
mod record;

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_domain::time::days;
use forebay_sandbox::{JobRunner, ReexecCommand};

pub use self::keeper::keep;
pub use self::order::Order;
pub(crate) use self::record::{End, Job, Record, State};
use crate::run::{self, Command, Options};
use crate::{App, AppError, Call};

/// Descriptions of ended jobs that are kept; their output is in the store in any case.
const ENDED_KEPT: usize = 50;
const ENDED_KEPT_FOR: Duration = days(7);
/// How often a job is looked at that somebody waits for.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// The jobs that this process started, and how it starts more.
#[derive(Default)]
pub(crate) struct Jobs {
    program: Option<ReexecCommand>,
    keepers: Mutex<Vec<JobRunner>>,
}

impl Jobs {
    pub(crate) fn new(program: Option<ReexecCommand>) -> Self {
        Self { program, keepers: Mutex::default() }
    }
}

/// Starts a job; it ends with this process unless it is to be kept.
pub(crate) fn start(
    app: &App,
    command: Command,
    options: &Options,
    keep: bool,
    call: &Call,
) -> Result<Job, AppError> {
    run::permit(app, &command, options, call)?;
    let program = app.jobs.program.as_ref().ok_or_else(no_keeper)?;
    let job = Job::at(new_folder(app)?);
    let order = Order::new(app, &job, command, options, keep)?;
    let started = JobRunner::start(program, &order.to_line()?).map_err(unstartable);
    let (mut keeper, answer) = started.inspect_err(|_| job.forget())?;
    if let Err(error) = order::read_answer(&answer) {
        job.forget();
        return Err(error);
    }
    if keep {
        keeper.detach();
    }
    let mut keepers = app.jobs.keepers.lock().unwrap_or_else(PoisonError::into_inner);
    keepers.retain_mut(|keeper| !keeper.has_exited());
    keepers.push(keeper);
    Ok(job)
}

/// The jobs of this project, newest first; descriptions that are too old go.
pub(crate) fn all(app: &App) -> Vec<(Job, Record, State)> {
    let folders = fs::read_dir(folder(app)).into_iter().flatten().flatten();
    let looked_at = |job: Job| job.look().ok().map(|(record, state)| (job, record, state));
    let mut jobs: Vec<(Job, Record, State)> =
        folders.filter_map(|entry| looked_at(Job::at(entry.path()))).collect();
    jobs.sort_by_key(|(job, ..)| std::cmp::Reverse(job.number()));
    forget_old(app, &mut jobs);
    jobs
}

/// The job that is called so.
pub(crate) fn find(app: &App, name: &str) -> Result<Job, AppError> {
    let number = name.trim().trim_start_matches(['j', 'J']);
    let job = Job::at(folder(app).join(number));
    let exists = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if exists && job.look().is_ok() {
        return Ok(job);
    }
    let known: Vec<String> = all(app).iter().take(10).map(|(job, ..)| job.name()).collect();
    let hint = if known.is_empty() {
        "no job was started here; ctx_execute background=true starts one".to_owned()
    } else {
        format!("jobs here: {}", known.join(", "))
    };
    Err(AppError::not_found(
        format!("there is no job `{}`", name.chars().take(40).collect::<String>()),
        hint,
    ))
}

/// Waits until the job has ended or the time is over; says whether it has.
pub(crate) fn wait(job: &Job, at_most: Duration, call: &Call) -> Result<bool, AppError> {
    let started = Instant::now();
    loop {
        if job.look()?.1 != State::Running {
            return Ok(true);
        }
        let left = at_most.saturating_sub(started.elapsed());
        if left.is_zero() || call.cancel.is_cancelled() {
            return Ok(false);
        }
        call.cancel.wait(left.min(LOOK_EVERY)).map_err(unreadable)?;
    }
}

fn folder(app: &App) -> PathBuf {
    app.places.home().jobs(app.places.project().map(|project| &project.id))
}

/// A folder with the next free number.
fn new_folder(app: &App) -> Result<PathBuf, AppError> {
    let all = folder(app);
    DirBuilder::new().recursive(true).mode(0o700).create(&all).map_err(unwritable)?;
    let taken = fs::read_dir(&all).map_err(unwritable)?.flatten();
    let numbers = taken.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
    let mut number = numbers.max().unwrap_or(0) + 1;
    loop {
        let folder = all.join(number.to_string());
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(unwritable(error)),
        }
    }
}

/// A job that runs is never forgotten.
fn forget_old(app: &App, jobs: &mut Vec<(Job, Record, State)>) {
    let mut ended = 0;
    jobs.retain(|(job, record, _)| {
        let Some(end) = &record.end else { return true };
        ended += 1;
        let old = end.at.age(app.now()) > ENDED_KEPT_FOR;
        let keep = ended <= ENDED_KEPT && !old;
        if !keep {
            job.forget();
        }
        keep
    });
}

fn no_keeper() -> AppError {
    AppError::unavailable(
        "background jobs cannot be started here",
        Some("run it without background"),
    )
}

fn unstartable(error: io::Error) -> AppError {
    AppError::unavailable(
        format!("the job's keeper did not start: {error}"),
        Some("run it without background"),
    )
}

fn unwritable(error: io::Error) -> AppError {
    AppError::unavailable(
        format!("the folder of jobs cannot be used: {error}"),
        Some("ctx_doctor looks at the data folder"),
    )
}

fn unreadable(error: io::Error) -> AppError {
    AppError::unavailable(format!("the job cannot be read: {error}"), None)
}
