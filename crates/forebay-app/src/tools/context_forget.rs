//! `context_forget`: takes a file off the list of files at work.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nature, Tool};
use crate::edit::source_file::{self, named};
use crate::edit::working_set::AtWork;
use crate::{Answer, App, AppError, Call, Power};

pub struct ContextForget;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: String,
}

impl Tool for ContextForget {
    const NAME: &'static str = "context_forget";
    const DESCRIPTION: &'static str = "Stop tracking a file.";
    const NATURE: Nature = Nature::Adds;
    const POWER: Power = Power::Files;
    const STANDARD: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        // No permission is needed: the file itself is not touched, and may be gone.
        let place = named(app, &input.path)?;
        let at_work = AtWork::of(app)?;
        let known = at_work.listed().find(|file| file.path == place.path.to_string_lossy());
        let Some(known) = known else {
            let listed: Vec<String> = at_work
                .listed()
                .take(5)
                .map(|file| source_file::shown(app, file.path.as_ref()))
                .collect();
            let hint = match listed.as_slice() {
                [] => "no file is".to_owned(),
                names => format!("these are: {}", names.join(", ")),
            };
            return Err(AppError::not_found(format!("{} is not at work", place.shown), hint));
        };
        at_work.forget(known)?;
        let text = format!("{} is no longer at work; the file itself is untouched", place.shown);
        Ok(Answer::new(text, json!({ "path": place.shown, "forgotten": true })))
    }
}
