//! `forebay job`: lists, reads, waits for, feeds and stops background jobs.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List background jobs, or read, wait for, send input to or stop one
#[derive(Debug, Args)]
pub(super) struct Job {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the output of a job, or how it ended
    Read {
        job: String,
        /// Only output after this many bytes
        #[arg(long)]
        cursor: Option<u64>,
        /// Token budget of the answer
        #[arg(long, value_name = "TOKENS")]
        budget: Option<u64>,
    },
    /// Wait for a job to end
    Wait {
        job: String,
        /// Timeout in milliseconds
        #[arg(long, value_name = "MS")]
        timeout_ms: Option<u64>,
    },
    /// Send a line of input to a job
    Send { job: String, input: String },
    /// Close a job's input
    EndInput { job: String },
    /// Stop a job; its output is stored
    Stop { job: String },
}

impl Job {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
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
        common.call_tool("ctx_job", input)
    }
}
