//! `forebay mcp`: serves the tools to an agent over stdio.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use forebay_app::rules::SessionRules;
use forebay_app::{App, AppError, random_bytes};

use super::Common;
use super::terminal::Failure;
use crate::doors::mcp;

/// Serve the tools to an agent (MCP over stdio)
///
/// Agents start this themselves. To try it: npx @modelcontextprotocol/inspector forebay mcp
#[derive(Debug, Args)]
pub(super) struct Serve {}

impl Serve {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let common = common.clone();
        let at_start = SessionRules::read(&super::rules::environment(&common)?);
        let program = super::running_program().ok().map(Arc::new);
        mcp::serve(Box::new(move |client| {
            let app = make_app(&common, client)?.watching(program.clone());
            app.hold_rules(at_start.clone());
            Ok(app)
        }))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Each server process is its own conversation, unless the host names one.
fn make_app(common: &Common, client: &str) -> Result<App, AppError> {
    let own = format!("mcp-{}", forebay_domain::Reference::from_random(random_bytes()?).as_str());
    common.app_for(client, &own)
}
