//! `ctx_execute_file`: runs code over files without showing their content to the model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool};
use crate::input;
use crate::run::input_files;
use crate::run::{self, Command, Delivery, Options, Unwatched, call_limits};
use crate::{Answer, App, AppError, Call, Capability};

pub struct ExecuteFile;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Path(s) or glob(s)
    #[serde(deserialize_with = "input::one_or_many", alias = "paths")]
    pub path: Vec<String>,
    pub language: Option<String>,
    pub code: String,
    pub intent: Option<String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
}

impl Tool for ExecuteFile {
    const NAME: &'static str = "ctx_execute_file";
    const DESCRIPTION: &'static str = "Run code over files without reading them into context: it has \
        FILE_CONTENT, FILE_PATH and the lists FILE_CONTENTS, FILES. Print only what you need.";
    const EFFECT: Effect = Effect::Execute;
    const CAPABILITY: Capability = Capability::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let files = input_files::resolve(&app.cwd, &input.path)?;
        let command = Command::for_files(app, input.language.as_deref(), input.code, files)?;
        let options = Options {
            delivery: Delivery::for_view(input.intent.is_some() || input.budget.is_some()),
            intent: input.intent,
            timeout_ms: call_limits::timeout_ms(input.timeout_ms)?,
            budget: input.budget,
            ..Options::default()
        };
        run::run(app, command, &options, call, &mut Unwatched).map(|ran| ran.answer)
    }
}
