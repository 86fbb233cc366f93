//! `ctx_upgrade`: how Forebay was installed, and the command that upgrades it. It runs nothing and asks no server.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::upgrade::channel::Upgrade as Means;
use crate::upgrade::{Channel, running_version};
use crate::{Answer, App, AppError, Call, Capability};

pub struct Upgrade;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for Upgrade {
    const NAME: &'static str = "ctx_upgrade";
    const DESCRIPTION: &'static str = "Tell how to upgrade Forebay here; upgrades nothing.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, _: Input, _: &Call) -> Result<Answer, AppError> {
        let installed = running_version().to_string();
        let program = app.running_program.as_ref();
        let channel = program.map(|program| Channel::detect(program.executable(), Path::new("/")));
        let command = match channel.as_ref().map(|channel| &channel.upgrade) {
            Some(Means::Command(commands)) => commands.newest.as_str(),
            Some(Means::InPlace) | None => "forebay upgrade",
        };
        let name = channel.as_ref().map(|channel| channel.name);
        let mut lines = vec![match name {
            Some(name) => format!("forebay {installed}, installed as {name}"),
            None => format!("forebay {installed}"),
        }];
        lines.push(format!("in a shell, this installs the newest version: {command}"));
        lines.extend(app.replaced_program().map(str::to_owned));
        let data = json!({ "installed": installed, "channel": name, "command": command });
        Ok(Answer::new(lines.join("\n"), data))
    }
}
