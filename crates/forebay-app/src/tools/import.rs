//! `ctx_import`: past conversations of agents, made searchable.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Nature, Tool};
use crate::ingest::import::{self, Wanted};
use crate::{Answer, App, AppError, Call, Power};

pub struct Import;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Files or folders
    #[serde(default)]
    pub paths: Vec<String>,
    /// Other projects, too
    #[serde(default)]
    pub all: bool,
}

impl Tool for Import {
    const NAME: &'static str = "ctx_import";
    const DESCRIPTION: &'static str = "Load this project's past agent transcripts into the store.";
    const NATURE: Nature = Nature::Indexes;
    const POWER: Power = Power::Files;
    const STANDARD: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let paths = input.paths.into_iter().map(PathBuf::from).collect();
        let wanted = Wanted { paths, all: input.all };
        let report = import::import(app, &wanted, call, &mut |done, _| {
            call.report(done as f64, "bytes read");
        })?;
        Ok(report.into_answer())
    }
}
