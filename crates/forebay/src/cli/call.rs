//! `forebay call`: one tool, with its input as JSON.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use serde_json::Value;

use super::Common;
use super::terminal::Failure;

/// Call a tool with its input as JSON
///
/// Answers the function calls of a model whose API has no MCP: forebay call ctx_search '{"query":"retry"}'.
/// `forebay schema` declares the tools to it.
#[derive(Debug, Args)]
pub(super) struct Call {
    /// The tool, e.g. ctx_execute
    tool: String,
    /// Its input; - reads it from stdin
    #[arg(default_value = "{}")]
    input: String,
}

impl Call {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let text = if self.input == "-" { from_stdin()? } else { self.input };
        let input = parse(&text)?;
        common.ask(&self.tool, input)
    }
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn parse(text: &str) -> Result<Value, AppError> {
    serde_json::from_str(text).map_err(|error| {
        AppError::bad_input(
            format!("the input is no JSON: {error}"),
            "give an object with the tool's fields; `forebay schema` lists them",
        )
    })
}
