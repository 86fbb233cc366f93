//! `forebay wrap`: another MCP server, with long results as digests.

use std::process::ExitCode;

use clap::Args;
use forebay_app::rules::SessionRules;
use forebay_app::wrap::WrappedServer;
use forebay_app::{AppError, random_bytes};
use forebay_domain::{Ending, Reference};
use forebay_sandbox::ServerProcess;

use super::terminal::Failure;
use super::{Common, project_root};
use crate::doors::wrap;

/// What shells return for a command that a signal has ended: this and the signal's number.
const SIGNAL_BASE: i32 = 128;

/// Stand in front of another MCP server: its long results become digests with references
///
/// Everything else passes unchanged in both directions. `forebay init --wrap` puts it in front of the servers that your
/// agents have. Permission rules such as mcp__NAME__tool are asked before each call.
#[derive(Debug, Args)]
pub(super) struct Wrap {
    /// The server's name in the agent's settings, by which permission rules know its tools
    #[arg(long)]
    name: String,
    /// The command that starts the server
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Wrap {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let cwd = common.working_folder()?;
        // A server that starts without Forebay starts also if the project has an invalid settings file.
        let settings = common.tolerant_settings(&project_root(&cwd))?;
        let session = format!("wrap-{}", Reference::from_random(random_bytes()?).as_str());
        let app = common.app_with(settings, cwd.clone(), &cwd, &self.client(), &session)?;
        app.hold_rules(SessionRules::read(&super::rules::environment(common)?));
        let server = WrappedServer::new(app, &self.name);
        let (process, pipes) = ServerProcess::start(self.command, cwd).map_err(AppError::from)?;
        let ending = wrap::serve(server, process, pipes)?;
        Ok(ExitCode::from(exit_code(ending)))
    }

    fn client(&self) -> String {
        format!("wrap {}", self.name)
    }
}

/// The exit code of the server, as a shell would tell it.
fn exit_code(ending: Ending) -> u8 {
    let code = match ending {
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => SIGNAL_BASE + signal,
        _ => 1,
    };
    code as u8
}
