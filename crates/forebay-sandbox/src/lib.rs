//! Runs one process with its whole output captured, and leaves nothing of it behind.
//!
//! [`run`] starts what a [`RunSpec`] describes, hands every byte to a [`Sink`] in order of arrival and
//! returns how it ended. Read the modules in this order:
//!
//! - `spec`: what to run, and the checks before it starts;
//! - `isolation`: what it can touch, held by the kernel;
//! - `limits`, `headcount`: what it may use up;
//! - `spawn`, `start`: the child in a session of its own;
//! - `gate`: where a run waits for what must come first;
//! - `search_path`: where a program may lie;
//! - `tree`, `group`: the leader and its process group, watched and ended;
//! - `capture`, `ready`: the two pipes, and the poll that waits for them;
//! - `supervise`: the phases of a run, from start to the last process gone;
//! - `feed`: what the process reads, written while it runs;
//! - `runtimes`: the languages code can be written in;
//! - `cancel`: ending a run from another thread;
//! - `own_program`: this program once more, with a task of its own;
//! - `keeper`, `inlet`: a process that watches a job, and the way to send it input;
//! - `opening`: files that are opened without a wait;
//! - `web`: pages fetched over HTTP.
//!
//! Nothing here decides whether a command may run, prints, or reads a setting.

mod cancel;
mod capture;
mod error;
mod feed;
mod gate;
mod group;
mod headcount;
pub mod inlet;
pub mod isolation;
mod keeper;
mod limits;
mod opening;
mod own_program;
mod ready;
mod run;
pub mod runtimes;
mod search_path;
mod spawn;
mod spec;
mod start;
mod supervise;
mod tree;
pub mod web;

pub use cancel::Cancel;
pub use capture::Sink;
pub use error::RunError;
pub use gate::{Gate, Gatekeeper, gate};
pub use isolation::{Isolation, Profile};
pub use keeper::{Keeper, ask_to_end};
pub use limits::Limits;
pub use opening::open_without_waiting;
pub use own_program::OwnProgram;
pub use run::{Finished, Prepared, prepare, run};
pub use search_path::on_path;
pub use spec::{Code, PipeEnd, Program, RunSpec, Stdin};
