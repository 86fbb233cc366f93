//! `forebay job`: background jobs, listed, read, waited for, answered and stopped.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List background jobs, or read, wait for, answer or stop one
#[derive(Debug, Args)]
pub(super) struct Job {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what a job has said, or how it ended
    Read {
        job: String,
        /// Only what came after so many bytes
        #[arg(long)]
        cursor: Option<u64>,
        /// Tokens the answer may have
        #[arg(long, value_name = "TOKENS")]
        budget: Option<u64>,
    },
    /// Wait until a job has ended
    Wait {
        job: String,
        /// Wait no longer than so many milliseconds
        #[arg(long, value_name = "MS")]
        timeout_ms: Option<u64>,
    },
    /// Send a line of input to a job
    Send { job: String, input: String },
    /// Tell a job that no more input comes
    EndInput { job: String },
    /// Stop a job; what it said is stored
    Stop { job: String },
}

impl Job {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let input = match self.action {
            None => json!({}),
            Some(Action::Read { job, cursor, budget }) => {
                json!({ "job": job, "cursor": cursor, "budget": budget })
            }
            Some(Action::Wait { job, timeout_ms }) => {
                json!({ "job": job, "action": "wait", "timeout_ms": timeout_ms })
            }
            Some(Action::Send { job, input }) => {
                json!({ "job": job, "action": "send", "input": input })
            }
            Some(Action::EndInput { job }) => json!({ "job": job, "action": "end_input" }),
            Some(Action::Stop { job }) => json!({ "job": job, "action": "stop" }),
        };
        common.ask("ctx_job", input)
    }
}
