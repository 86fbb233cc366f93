//! `ctx_execute`: runs a command or code, stores its whole output, answers with a digest.

use std::collections::BTreeMap;

use forebay_sandbox::{Profile, Stdin};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool, job};
use crate::run::{self, Command, Delivery, Options, Unwatched, call_limits};
use crate::{Answer, App, AppError, Call, Capability};

pub struct Execute;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(alias = "command")]
    pub code: String,
    /// python, js, ts, ruby, ...; default: shell
    pub language: Option<String>,
    /// What you look for; matching lines first
    pub intent: Option<String>,
    pub cwd: Option<String>,
    pub env: Option<BTreeMap<String, String>>,
    pub stdin: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Max tokens of the answer
    pub budget: Option<u64>,
    /// Return at once; see ctx_job
    #[serde(default)]
    pub background: bool,
    /// The job outlives the server
    #[serde(default)]
    pub keep: bool,
    /// "strict": no network, reads only the project
    pub isolation: Option<String>,
}

impl Tool for Execute {
    const NAME: &'static str = "ctx_execute";
    const DESCRIPTION: &'static str = "Run a shell command or code. Output is stored whole; you get exit code, \
        digest and a reference for ctx_get. Use for anything with long output.";
    const EFFECT: Effect = Effect::Execute;
    const CAPABILITY: Capability = Capability::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let mut command = Command::from_code(app, input.language.as_deref(), input.code)?;
        if let Some(text) = input.stdin {
            command.stdin = Stdin::Text(text.into_bytes());
        }
        let options = Options {
            delivery: Delivery::for_view(input.intent.is_some() || input.budget.is_some()),
            intent: input.intent,
            cwd: call_limits::folder(app, input.cwd)?,
            env: input.env.unwrap_or_default(),
            timeout_ms: call_limits::timeout_ms(input.timeout_ms)?,
            budget: input.budget,
            profile: Some(tightened(app.settings.isolation.profile, input.isolation.as_deref())?),
        };
        if input.background || input.keep {
            return job::start(app, command, &options, input.keep, call);
        }
        run::run(app, command, &options, call, &mut Unwatched).map(|ran| ran.answer)
    }
}

/// Returns the profile of a call: it may tighten the configured one, never loosen it.
fn tightened(own: Profile, requested: Option<&str>) -> Result<Profile, AppError> {
    let Some(name) = requested else {
        return Ok(own);
    };
    match Profile::from_name(name) {
        Some(profile) if own.tightened_by(profile) == profile => Ok(profile),
        Some(_) => Err(AppError::bad_input(
            format!("a call cannot loosen isolation from {own} to {name}"),
            "omit it; the user can set isolation.profile, or `forebay run --isolation`",
        )),
        None => Err(AppError::bad_input(
            format!("unknown isolation profile `{name}`"),
            "omit it, or give \"strict\"",
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
        for (own, requested) in [(Profile::Project, "off"), (Profile::Strict, "project")] {
            assert!(tightened(own, Some(requested)).is_err(), "{own} {requested}");
        }
        assert!(tightened(Profile::Off, Some("loose")).is_err());
    }
}
