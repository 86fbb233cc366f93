//! `forebay call`: calls one tool with JSON input.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use serde_json::Value;

use super::Common;
use super::terminal::Failure;

/// Call a tool with its input as JSON
///
/// Executes the function calls of a model whose API has no MCP: forebay call ctx_search '{"query":"retry"}'.
/// `forebay schema` prints the declarations of the tools.
#[derive(Debug, Args)]
pub(super) struct Call {
    /// The tool, e.g. ctx_execute
    tool: String,
    /// Its input; - reads it from stdin
    #[arg(default_value = "{}")]
    input: String,
}

impl Call {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let text = if self.input == "-" { from_stdin()? } else { self.input };
        let input = parse(&text)?;
        common.call_tool(&self.tool, input)
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
            format!("the input is not JSON: {error}"),
            "give an object with the tool's fields; `forebay schema` lists them",
        )
    })
}
