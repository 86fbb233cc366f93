//! The tasks extension: a background job is the task of a client that declares the extension.
//!
//! The job's name is the task's id. Every request is checked as a call of `ctx_job` is, so a task belongs to the
//! workspace and project of the caller, and needs its right.

use std::sync::Arc;

use forebay_app::resources::{self, JobPhase, JobStatus};
use forebay_app::tools::{self, ToolDescriptor};
use forebay_app::{Answer, AppError};
use forebay_domain::Timestamp;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use serde_json::{Value, json};

use super::handler::{AuthenticatedCaller, Context, Handler, check_right};

/// Between two `tasks/get` of a client.
const POLL_INTERVAL_MS: u64 = 1_000;
/// The tool that starts jobs.
const START_TOOL: &str = "ctx_execute";
/// The tool that reads and stops them.
const JOB_TOOL: &str = "ctx_job";

impl Handler {
    /// The task of a call that started a job which still runs, if the client can follow tasks.
    pub(super) async fn task_of(
        &self,
        tool: &ToolDescriptor,
        answer: &Answer,
        context: &Context,
    ) -> Option<CreateTaskResult> {
        let declares_tasks =
            context.client_capabilities().is_some_and(|client| client.supports_tasks());
        let is_running = answer.data.get("running").and_then(Value::as_bool) == Some(true);
        if tool.name != START_TOOL || !declares_tasks || !is_running {
            return None;
        }
        let name = answer.data.get("job")?.as_str()?;
        let status = self.job_status(name, context).await.ok()?;
        Some(CreateTaskResult::new(task(&status)))
    }

    pub(super) async fn task_state(
        &self,
        id: &str,
        context: &Context,
    ) -> Result<GetTaskResult, AppError> {
        let status = self.job_status(id, context).await?;
        let payload = match status.phase {
            JobPhase::Running => TaskPayload::Working,
            JobPhase::Stopped(_) => TaskPayload::Cancelled,
            JobPhase::Ended(_) | JobPhase::Lost => {
                let read = json!({ "job": status.name });
                let (answer, _) = self.run(tools::find(JOB_TOOL)?, read, context).await?;
                TaskPayload::Completed { result: result(answer, status.phase) }
            }
        };
        Ok(GetTaskResult::new(DetailedTask::new(task(&status), payload)))
    }

    /// Asks the job's supervisor to stop it, and does not wait until it has.
    pub(super) async fn stop_task(&self, id: &str, context: &Context) -> Result<(), AppError> {
        self.job_status(id, context).await?;
        let stop = json!({ "job": id, "action": "stop", "timeout_ms": 1 });
        self.run(tools::find(JOB_TOOL)?, stop, context).await.map(drop)
    }

    pub(super) async fn job_status(
        &self,
        name: &str,
        context: &Context,
    ) -> Result<JobStatus, AppError> {
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        let tool = tools::find(JOB_TOOL)?;
        check_right(tool, rights)?;
        caller_context.app.check_capability(tool.capability, tool.name)?;
        let (app, name) = (Arc::clone(&caller_context.app), name.to_owned());
        self.calls.run_short(move || resources::job(&app, &name)).await
    }
}

fn task(job: &JobStatus) -> Task {
    let (status, updated) = match job.phase {
        JobPhase::Running => (TaskStatus::Working, job.started),
        JobPhase::Stopped(at) => (TaskStatus::Cancelled, at),
        JobPhase::Ended(at) => (TaskStatus::Completed, at),
        JobPhase::Lost => (TaskStatus::Completed, job.started),
    };
    Task::new(&job.name, status, iso8601(job.started), iso8601(updated))
        .with_status_message(format!("job {}: {}", job.name, job.title))
        .with_poll_interval_ms(POLL_INTERVAL_MS)
}

/// The result of the call that started the job.
fn result(answer: Answer, phase: JobPhase) -> JsonObject {
    let content = vec![ContentBlock::text(answer.text)];
    let result = match phase {
        JobPhase::Lost => CallToolResult::error(content),
        _ => CallToolResult::success(content),
    };
    match serde_json::to_value(result) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

fn iso8601(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_iso_8601() {
        assert_eq!(iso8601(Timestamp(1_794_988_800_123)), "2026-11-18T08:00:00.123Z");
        assert_eq!(iso8601(Timestamp(i64::MAX)), "1970-01-01T00:00:00Z");
    }
}
