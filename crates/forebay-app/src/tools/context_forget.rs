//! `context_forget`: removes a file from the working set.

use forebay_store::FileState;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::edit::source_file::{self, named};
use crate::edit::working_set::SessionFiles;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextForget;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: String,
}

impl Tool for ContextForget {
    const NAME: &'static str = "context_forget";
    const DESCRIPTION: &'static str = "Stop tracking a file.";
    const EFFECT: Effect = Effect::Append;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        // Needs no permission: the file itself is not accessed, and may be gone.
        let location = named(app, &input.path)?;
        let at_work = SessionFiles::new(app)?;
        let tracked = at_work.find(&location).filter(|file| file.state != FileState::Forgotten);
        let Some(tracked) = tracked else {
            let listed: Vec<String> = at_work
                .listed()
                .take(5)
                .map(|file| source_file::shown(app, file.path.as_ref()))
                .collect();
            let hint = match listed.as_slice() {
                [] => "no files are tracked".to_owned(),
                names => format!("tracked: {}", names.join(", ")),
            };
            return Err(AppError::not_found(format!("{} is not tracked", location.shown), hint));
        };
        at_work.forget(tracked)?;
        let text = format!("{} is no longer tracked; the file itself is unchanged", location.shown);
        Ok(Answer::new(text, json!({ "path": location.shown, "forgotten": true })))
    }
}
