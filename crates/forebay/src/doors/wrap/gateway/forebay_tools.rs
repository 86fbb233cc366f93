//! Forebay's own tools beside those of the servers: without them, a client that has no other server could not read what a
//! reference stands for.

use forebay_app::tools::{self, ToolDescriptor};
use forebay_app::{App, AppError, Call};
use forebay_domain::rights::Rights;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::doors::mcp;

const NAMES: [&str; 2] = ["ctx_search", "ctx_get"];

/// The tools of a client.
pub(crate) struct ForebayTools {
    app: App,
    rights: Rights,
}

impl ForebayTools {
    pub(crate) fn new(app: App, rights: Rights) -> Self {
        Self { app, rights }
    }

    /// The tools as they are listed.
    pub(super) fn list(&self) -> Vec<String> {
        let listed = self.available().map(|tool| serde_json::to_string(&mcp::listing(tool)));
        listed.filter_map(Result::ok).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.available().any(|tool| tool.name == name)
    }

    /// The result of a call, with its arguments as JSON.
    pub(super) fn call(&self, name: &str, arguments: &str) -> String {
        let result = self.answer(name, arguments).unwrap_or_else(|error| {
            CallToolResult::error(vec![ContentBlock::text(error.to_text())])
        });
        serde_json::to_string(&result).unwrap_or_default()
    }

    fn answer(&self, name: &str, arguments: &str) -> Result<CallToolResult, AppError> {
        let input: Value = serde_json::from_str(arguments).map_err(|error| {
            AppError::bad_input(format!("invalid arguments: {error}"), "send a JSON object")
        })?;
        let answer = self.app.call(name, input, &Call::default())?;
        Ok(mcp::success(name, answer, &self.app))
    }

    fn available(&self) -> impl Iterator<Item = &'static ToolDescriptor> {
        let named = NAMES.iter().filter_map(|name| tools::find(name).ok());
        named.filter(move |tool| mcp::check_right(tool, self.rights).is_ok())
    }
}
