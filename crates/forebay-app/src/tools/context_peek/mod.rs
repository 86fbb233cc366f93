//! `context_peek`: skeletons of files and folders, a symbol's body, or the map of the repository.

mod map;
mod skeletons;
mod symbol;
mod targets;

use forebay_skeleton::{SkeletonOptions, Verbosity};
use schemars::JsonSchema;
use serde::Deserialize;

use self::targets::Targets;
use super::{Effect, Tool};
use crate::input;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextPeek;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(deserialize_with = "input::one_or_many", alias = "path")]
    pub paths: Vec<String>,
    pub symbol: Option<String>,
    /// minimal, standard, verbose
    pub verbosity: Option<String>,
    pub deps: Option<bool>,
    pub budget: Option<u64>,
    /// Items show their line numbers; on by default.
    #[schemars(skip)]
    pub line_numbers: Option<bool>,
    /// Shows private items too.
    #[schemars(skip)]
    pub private: Option<bool>,
}

impl Tool for ContextPeek {
    const NAME: &'static str = "context_peek";
    const DESCRIPTION: &'static str =
        "Skeletons of files, a folder, a glob; a symbol's body; \".\" maps the repository.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let options = options(&input)?;
        if let Some(symbol) = &input.symbol {
            let budget = input::budget(input.budget, app.settings.files.peek)?;
            return symbol::answer(app, &input.paths, symbol, budget, call);
        }
        match Targets::resolve(app, &input.paths, call)? {
            Targets::Repository => {
                map::answer(app, input::budget(input.budget, app.settings.files.map)?)
            }
            Targets::Files(targets) => {
                let budget = input::budget(input.budget, app.settings.files.peek)?;
                let deps = input.deps.unwrap_or(false);
                skeletons::answer(app, targets, options, deps, budget)
            }
        }
    }
}

fn options(input: &Input) -> Result<SkeletonOptions, AppError> {
    let verbosity = match input.verbosity.as_deref() {
        None | Some("standard") => Verbosity::Standard,
        Some("minimal") => Verbosity::Minimal,
        Some("verbose") => Verbosity::Verbose,
        Some(other) => {
            return Err(input::one_of("verbosity", other, ["minimal", "standard", "verbose"]));
        }
    };
    Ok(SkeletonOptions {
        verbosity,
        line_numbers: input.line_numbers.unwrap_or(true),
        include_private: input.private.unwrap_or(false),
    })
}
