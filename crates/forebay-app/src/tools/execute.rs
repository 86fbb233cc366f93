//! `ctx_execute`: runs a command or code, stores its output whole, answers with a digest.

use std::collections::BTreeMap;
use std::path::PathBuf;

use forebay_sandbox::{Profile, Stdin};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Nature, Tool, job};
use crate::run::{self, Command, Options, Unwatched};
use crate::{Answer, App, AppError, Call, Power};

pub struct Execute;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(alias = "command")]
    pub code: String,
    /// python, js, ts, ruby, ...; default: shell
    pub language: Option<String>,
    /// What you look for; matching lines come first
    pub intent: Option<String>,
    pub cwd: Option<String>,
    pub env: Option<BTreeMap<String, String>>,
    pub stdin: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Max tokens of the answer
    pub budget: Option<u64>,
    /// Answer at once; see ctx_job
    #[serde(default)]
    pub background: bool,
    /// A background job outlives the server
    #[serde(default)]
    pub keep: bool,
    /// "strict": no network, reads only the project
    pub isolation: Option<String>,
}

impl Tool for Execute {
    const NAME: &'static str = "ctx_execute";
    const DESCRIPTION: &'static str = "Run a shell command or code. Output is stored whole; you get exit code, \
        digest and a reference for ctx_get. Use for anything that may print much.";
    const NATURE: Nature = Nature::Runs;
    const POWER: Power = Power::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let mut command = Command::of_code(app, input.language.as_deref(), input.code)?;
        if let Some(text) = input.stdin {
            command.stdin = Stdin::Text(text.into_bytes());
        }
        let options = Options {
            intent: input.intent,
            cwd: input.cwd.map(PathBuf::from),
            env: input.env.unwrap_or_default(),
            timeout_ms: input.timeout_ms,
            budget: input.budget,
            profile: Some(tightened(app.settings.isolation.profile, input.isolation.as_deref())?),
        };
        if input.background || input.keep {
            return job::start(app, command, &options, input.keep, call);
        }
        run::run(app, command, &options, call, &mut Unwatched).map(|ran| ran.answer)
    }
}

/// The profile of a tool call, which may ask for a tighter one than `own` and never for a looser one.
fn tightened(own: Profile, asked: Option<&str>) -> Result<Profile, AppError> {
    let Some(name) = asked else {
        return Ok(own);
    };
    match Profile::from_name(name) {
        Some(asked) if own.tightened_by(asked) == asked => Ok(asked),
        Some(_) => Err(AppError::bad_input(
            format!("a call cannot loosen isolation from {own} to {name}"),
            "leave it out; the user can set isolation.profile, or `forebay run --isolation`",
        )),
        None => Err(AppError::bad_input(
            format!("there is no isolation `{name}`"),
            "leave it out, or give \"strict\"",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_tightens_and_never_loosens() {
        assert_eq!(tightened(Profile::Project, None).unwrap(), Profile::Project);
        assert_eq!(tightened(Profile::Project, Some("strict")).unwrap(), Profile::Strict);
        assert_eq!(tightened(Profile::Off, Some("project")).unwrap(), Profile::Project);
        for (own, asked) in [(Profile::Project, "off"), (Profile::Strict, "project")] {
            assert!(tightened(own, Some(asked)).is_err(), "{own} {asked}");
        }
        assert!(tightened(Profile::Off, Some("loose")).is_err());
    }
}
