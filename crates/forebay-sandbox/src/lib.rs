//! Runs one process, captures all of its output, and leaves no process behind.
//!
//! [`run`] starts what a [`RunSpec`] describes, passes every byte to a [`Sink`] in order of arrival and
//! returns how the run ended. Read the modules in this order:
//!
//! - `spec`: what to run, and the checks before the start;
//! - `isolation`: which files, system calls and network access the kernel grants;
//! - `limits`, `pid_limit`: resource limits;
//! - `spawn`, `start`: starts the child in a session of its own;
//! - `start_latch`: holds a child back before `exec` until another thread releases it;
//! - `search_path`: program lookup on `PATH`;
//! - `reaper`: the process between us and the leader that every process of the run ends with (Linux);
//! - `process_tree`: watches the leader and ends all processes of the run, with `process_stat`;
//! - `process_ancestry`: whether a process was started by another one; `process_clock`: how long this one has been running;
//! - `capture`, `poll`: the two output pipes, and the `poll` call that waits for them;
//! - `supervise`: the phases of a run, from the start until the last process is gone;
//! - `stdin_writer`: writes text to the stdin of the process while it runs;
//! - `runtimes`: the languages that code can be written in;
//! - `cancel`: ends runs from another thread;
//! - `reexec`: starts the current executable again; `replaced_executable`: processes that run one which was replaced;
//! - `program_processes`: processes that run a program, or have files of a folder open;
//! - `foreground`: runs the user's editor;
//! - `job_runner`, `fifo`: the process that runs a background job, and the named pipe for its input;
//! - `desktop`: opens a file as the user's desktop does;
//! - `server_process`: a program that speaks a protocol on its stdin and stdout;
//! - `no_links`: opens files by a checked path, without following links;
//! - `web`: fetches pages over HTTP.
//!
//! Nothing here decides whether a command may run, prints, or reads a setting.

mod cancel;
mod capture;
mod desktop;
mod error;
pub mod fifo;
mod foreground;
pub mod isolation;
mod job_runner;
mod limits;
mod no_links;
mod pid_limit;
mod poll;
mod process_ancestry;
mod process_clock;
mod process_stat;
mod process_tree;
mod program_processes;
#[cfg(target_os = "linux")]
mod reaper;
mod reexec;
mod replaced_executable;
mod run;
pub mod runtimes;
mod search_path;
mod server_process;
mod spawn;
mod spec;
mod start;
mod start_latch;
mod stdin_writer;
mod supervise;
pub mod web;

pub use cancel::CancelToken;
pub use capture::Sink;
pub use desktop::open_in_desktop;
pub use error::RunError;
pub use foreground::run_in_foreground;
pub use isolation::{Isolation, Profile};
pub use job_runner::{JobRunner, terminate_job_runner};
pub use limits::Limits;
pub use no_links::{Folder, open_without_links};
pub use process_ancestry::descends_from;
pub use process_clock::ProcessClock;
pub use program_processes::{ProgramProcess, processes_of, processes_with_files_in};
pub use reexec::{ReexecCommand, own_executable};
pub use replaced_executable::processes_of_replaced;
pub use run::{FinishedRun, PreparedRun, prepare, run};
pub use search_path::{
    WritableByRuns, find_on_path, is_program, path_candidates, trusted_path, trusted_program,
};
pub use server_process::{ServerPipes, ServerProcess};
pub use spec::{Code, PipeReadEnd, Program, RunSpec, Stdin};
pub use start_latch::{LatchHandle, StartLatch, start_latch};
