//! `ctx_import`: makes past conversations of agents searchable.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool};
use crate::ingest::import::{self, TranscriptSelection};
use crate::{Answer, App, AppError, Call, Capability};

pub struct Import;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Files or folders
    #[serde(default)]
    pub paths: Vec<String>,
    /// Other projects too
    #[serde(default)]
    pub all: bool,
}

impl Tool for Import {
    const NAME: &'static str = "ctx_import";
    const DESCRIPTION: &'static str = "Load this project's past agent transcripts into the store.";
    const EFFECT: Effect = Effect::Index;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let paths = input.paths.into_iter().map(PathBuf::from).collect();
        let wanted = TranscriptSelection { paths, all: input.all };
        let report = import::import(app, &wanted, call, &mut |done, total| {
            call.report_of(done as f64, Some(total as f64), "bytes read");
        })?;
        Ok(report.into_answer())
    }
}
