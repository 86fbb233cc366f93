//! `completion/complete`: values for arguments of prompts and for variables of resource templates.
//!
//! Ids are completed from what is stored, the newest first. Free text is not: a guess would cost a search for each key.

use forebay_app::bounds::{MAX_CANDIDATES, echo};
use forebay_app::{App, AppError, prompts, resources};
use forebay_domain::rights::{Right, Rights};
use rmcp::model::{ArgumentInfo, CompleteRequestParams, CompletionInfo, Reference};

use super::handler::{AuthenticatedCaller, Context, Handler, lacks_right};
use super::resources::Kind;

impl Handler {
    /// Completes an argument for the caller of a request.
    pub(super) async fn completions(
        &self,
        request: CompleteRequestParams,
        context: &Context,
    ) -> Result<CompletionInfo, AppError> {
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        let complete = move || {
            let CompleteRequestParams { r#ref, argument, .. } = request;
            let candidates = candidates(&caller_context.app, rights, &r#ref, &argument.name)?;
            Ok(matching(candidates, &argument))
        };
        self.calls.run_short(complete).await
    }
}

fn candidates(
    app: &App,
    rights: Rights,
    reference: &Reference,
    argument: &str,
) -> Result<Vec<String>, AppError> {
    match reference {
        Reference::Prompt(prompt) => {
            if !rights.has(Right::Read) {
                return Err(lacks_right("completion", Right::Read));
            }
            prompts::find(&prompt.name)?.candidates(app, argument, MAX_CANDIDATES)
        }
        Reference::Resource(template) => {
            let kind = Kind::of_template(&template.uri)?;
            kind.check_available(app, rights)?;
            of_template(app, kind, argument)
        }
        _ => Err(AppError::bad_input("unknown kind of reference", "ref/prompt or ref/resource")),
    }
}

fn of_template(app: &App, kind: &Kind, variable: &str) -> Result<Vec<String>, AppError> {
    match variable {
        "id" if kind.is_job() => {
            let jobs = resources::jobs(app).into_iter().take(MAX_CANDIDATES);
            Ok(jobs.map(|job| job.name).collect())
        }
        "id" => {
            let entries = resources::entries(app, None, MAX_CANDIDATES)?;
            Ok(entries.into_iter().map(|entry| entry.id).collect())
        }
        "stream" if kind.has_selector("stream") => Ok(vec!["stdout".into(), "stderr".into()]),
        other if kind.has_selector(other) => Ok(Vec::new()),
        other => Err(AppError::bad_input(
            format!("the template has no variable `{}`", echo(other)),
            "resources/templates/list names them",
        )),
    }
}

/// The candidates that start with the value so far, as many as an answer may have.
fn matching(candidates: Vec<String>, argument: &ArgumentInfo) -> CompletionInfo {
    let is_match = |candidate: &String| candidate.starts_with(&argument.value);
    let mut values: Vec<String> = candidates.into_iter().filter(is_match).collect();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(values, None, has_more).unwrap_or_default()
}
