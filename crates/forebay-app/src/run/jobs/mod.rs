//! Background jobs: runs that outlive the call that started them and, on request, the server.
//!
//! Each job has its own supervisor process, and a folder with files that describe it. So any server or
//! command of this user can list it, read its output, send it input or stop it.
//!
//! - `order`: the description of a job that the supervisor receives;
//! - `record`: the state of a job, and whether its supervisor is alive;
//! - `supervisor`: runs a job;
//! - `output`: reads a job's output so far.

mod order;
mod output;
mod record;
mod supervisor;

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_domain::time::days;
use forebay_sandbox::{JobRunner, ReexecCommand};

pub use self::order::Order;
pub(crate) use self::record::{End, Job, Record, State};
pub use self::supervisor::supervise;
use crate::next_call::NextCall;
use crate::run::{self, Command, Options};
use crate::{App, AppError, Call};

/// Records of ended jobs to keep; their output stays in the store.
const MAX_ENDED_JOBS: usize = 50;
const ENDED_JOB_RETENTION: Duration = days(7);
/// How often to check a job that a call waits for.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The jobs started by this process, and the program that supervises new ones.
#[derive(Default)]
pub(crate) struct Jobs {
    program: Option<ReexecCommand>,
    supervisors: Mutex<Vec<JobRunner>>,
}

impl Jobs {
    pub(crate) fn new(program: Option<ReexecCommand>) -> Self {
        Self { program, supervisors: Mutex::default() }
    }
}

/// Starts a job; it ends with this process unless it is detached.
pub(crate) fn start(
    app: &App,
    command: Command,
    options: &Options,
    keep: bool,
    call: &Call,
) -> Result<Job, AppError> {
    run::permit(app, &command, options, call)?;
    let program = app.jobs.program.as_ref().ok_or_else(no_supervisor)?;
    let job = Job::new(new_folder(app)?);
    let order = Order::new(app, &job, command, options, keep)?;
    let started = JobRunner::start(program, &order.to_line()?).map_err(start_error);
    let (mut supervisor, answer) = started.inspect_err(|_| job.remove())?;
    if let Err(error) = order::parse_reply(&answer) {
        job.remove();
        return Err(error);
    }
    if keep {
        supervisor.detach();
    }
    let mut supervisors = app.jobs.supervisors.lock().unwrap_or_else(PoisonError::into_inner);
    supervisors.retain_mut(|supervisor| !supervisor.has_exited());
    supervisors.push(supervisor);
    Ok(job)
}

/// Returns the jobs of this project, newest first, and removes records that are too old.
pub(crate) fn all(app: &App) -> Vec<(Job, Record, State)> {
    let folders = fs::read_dir(folder(app)).into_iter().flatten().flatten();
    let looked_at = |job: Job| job.look().ok().map(|(record, state)| (job, record, state));
    let mut jobs: Vec<(Job, Record, State)> =
        folders.filter_map(|entry| looked_at(Job::new(entry.path()))).collect();
    jobs.sort_by_key(|(job, ..)| std::cmp::Reverse(job.number()));
    remove_old(app, &mut jobs);
    jobs
}

/// Finds a job by its name.
pub(crate) fn find(app: &App, name: &str) -> Result<Job, AppError> {
    let number = name.trim().trim_start_matches(['j', 'J']);
    let job = Job::new(folder(app).join(number));
    let exists = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if exists && job.look().is_ok() {
        return Ok(job);
    }
    let known: Vec<String> = all(app).iter().take(10).map(|(job, ..)| job.name()).collect();
    let hint = if known.is_empty() {
        let start = NextCall::new("ctx_execute").with("background", "true").in_error();
        format!("no job has been started here; {start} starts one")
    } else {
        format!("jobs here: {}", known.join(", "))
    };
    Err(AppError::not_found(
        format!("no job is named `{}`", name.chars().take(40).collect::<String>()),
        hint,
    ))
}

/// Returns the call that stops the job to which the process belongs; without a process, the call in general.
///
/// Isolation keeps a run from signalling processes of other runs, and the kernel has no exception for some of them.
/// So a job is stopped through its supervisor.
pub(crate) fn how_to_stop(app: &App, pid: Option<u32>) -> Option<String> {
    let running = all(app).into_iter().filter(|(_, _, state)| *state == State::Running);
    let stop = NextCall::new("ctx_job").action("stop");
    let Some(pid) = pid else {
        let jobs: Vec<String> = running.map(|(job, ..)| job.name()).collect();
        let which = if jobs.len() == 1 { jobs.into_iter().next()? } else { "JOB".to_owned() };
        return Some(format!("{} stops a background job", stop.on(which)));
    };
    let (job, ..) = running
        .into_iter()
        .find(|(_, record, _)| forebay_sandbox::descends_from(pid, record.supervisor))?;
    let name = job.name();
    Some(format!("process {pid} belongs to job {name}: {} ends it", stop.on(name.as_str())))
}

/// Waits until the job has ended or the time is up; returns whether it has ended.
pub(crate) fn wait(job: &Job, timeout: Duration, call: &Call) -> Result<bool, AppError> {
    let started = Instant::now();
    loop {
        if job.look()?.1 != State::Running {
            return Ok(true);
        }
        let left = timeout.saturating_sub(started.elapsed());
        if left.is_zero() || call.cancel.is_cancelled() {
            return Ok(false);
        }
        call.cancel.wait(left.min(POLL_INTERVAL)).map_err(read_error)?;
    }
}

fn folder(app: &App) -> PathBuf {
    app.stores.home().jobs(app.stores.project().map(|project| &project.id))
}

/// Creates a folder with the next free number.
fn new_folder(app: &App) -> Result<PathBuf, AppError> {
    let all = folder(app);
    DirBuilder::new().recursive(true).mode(0o700).create(&all).map_err(folder_error)?;
    let taken = fs::read_dir(&all).map_err(folder_error)?.flatten();
    let numbers = taken.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
    let mut number = numbers.max().unwrap_or(0) + 1;
    loop {
        let folder = all.join(number.to_string());
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            // Another process has taken this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(folder_error(error)),
        }
    }
}

/// Removes old records, never those of running jobs.
fn remove_old(app: &App, jobs: &mut Vec<(Job, Record, State)>) {
    let mut ended = 0;
    jobs.retain(|(job, record, _)| {
        let Some(end) = &record.end else { return true };
        ended += 1;
        let old = end.at.age(app.now()) > ENDED_JOB_RETENTION;
        let keep = ended <= MAX_ENDED_JOBS && !old;
        if !keep {
            job.remove();
        }
        keep
    });
}

fn no_supervisor() -> AppError {
    AppError::unavailable("cannot start background jobs here", Some("run it without background"))
}

fn start_error(error: io::Error) -> AppError {
    AppError::unavailable(
        format!("cannot start the job's supervisor: {error}"),
        Some("run it without background"),
    )
}

fn folder_error(error: io::Error) -> AppError {
    AppError::unavailable(
        format!("cannot use the jobs folder: {error}"),
        Some(&format!("{} checks the data folder", NextCall::new("ctx_doctor").in_error())),
    )
}

fn read_error(error: io::Error) -> AppError {
    AppError::unavailable(format!("cannot read the job: {error}"), None)
}
