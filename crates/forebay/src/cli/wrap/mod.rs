//! `forebay wrap`: another MCP server, with long results as digests.

pub(super) mod headers;

use std::process::ExitCode;

use clap::Args;
use forebay_app::rules::SessionRules;
use forebay_app::wrap::WrappedServer;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_app::{AppError, random_bytes};
use forebay_domain::{Ending, Reference};
use forebay_sandbox::ServerProcess;

use super::terminal::Failure;
use super::{Common, project_root};
use crate::config::environment;
use crate::doors::wrap::{self, Endpoint, Restarts, StartError, Upstream};

/// What shells return for a command that a signal has ended: this and the signal's number.
const SIGNAL_BASE: i32 = 128;

/// Proxy another MCP server and replace its long results with digests and references
///
/// Forwards everything else unchanged, in both directions. Checks permission rules such as mcp__NAME__tool before each call.
/// `forebay init --wrap` configures your agents to start their servers through it.
#[derive(Debug, Args)]
pub(super) struct Wrap {
    /// The server's name in the agent's settings; permission rules name its tools mcp__NAME__tool
    #[arg(long)]
    name: String,
    /// Connect to a server at this URL (streamable HTTP, or HTTP+SSE) instead of starting a command
    #[arg(long, conflicts_with = "command", required_unless_present = "command")]
    url: Option<String>,
    /// Send a header with every request; ${VARIABLE} is replaced by the environment variable
    #[arg(long, requires = "url", value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Send a header whose whole value is that of an environment variable
    #[arg(long, requires = "url", value_name = "NAME=VARIABLE")]
    header_env: Vec<String>,
    /// Set a FOREBAY_ environment variable for the wrapper, not for the server; some agents pass no environment on
    #[arg(long, value_name = "FOREBAY_NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// How the agent's settings named the address, for `forebay init --undo`
    #[arg(long, hide = true, requires = "url")]
    entry: Option<String>,
    /// Cut long tool descriptions to their first sentences; the added tool forebay_describe returns them whole
    #[arg(long)]
    slim: bool,
    /// List three tools in place of the server's: forebay_search, forebay_describe and forebay_call
    #[arg(long, conflicts_with = "slim")]
    facade: bool,
    /// Restart the server when it exits, at most this often within five minutes
    #[arg(long, value_name = "COUNT", default_value_t = 0, conflicts_with = "url")]
    restart: usize,
    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Wrap {
    pub(super) fn run(mut self, common: &Common) -> Result<ExitCode, Failure> {
        environment::give(std::mem::take(&mut self.env));
        let endpoint = self.endpoint()?;
        let cwd = common.working_folder()?;
        // A server that starts without Forebay starts also if the project has an invalid settings file.
        let settings = common.tolerant_settings(&project_root(&cwd))?;
        let session = format!("wrap-{}", Reference::from_random(random_bytes()?).as_str());
        let app = common.app_with(settings, cwd.clone(), &cwd, &self.client(), &session)?;
        app.hold_rules(SessionRules::read(&super::rules::environment(common)?));
        let server = self.listed(WrappedServer::new(app, &self.name));
        let upstream = match endpoint {
            Some(endpoint) => Upstream::Remote(endpoint),
            None if self.restart > 0 => Upstream::Program(Restarts {
                argv: self.command,
                env: Vec::new(),
                cwd,
                max: self.restart,
            }),
            None => {
                let started = ServerProcess::start(self.command, cwd);
                let (process, pipes) = started.map_err(AppError::from)?;
                let ending = wrap::serve(server, process, pipes)?;
                return Ok(ExitCode::from(exit_code(ending)));
            }
        };
        let ending = wrap::serve_upstream(server, upstream).map_err(|error| match error {
            StartError::Run(error) => Failure::from(AppError::from(error)),
            StartError::Io(error) => error.into(),
        })?;
        Ok(ExitCode::from(exit_code(ending)))
    }

    fn listed(&self, server: WrappedServer) -> WrappedServer {
        match (self.slim, self.facade) {
            (true, _) => server.listed_as(ToolListing::Slim),
            (_, true) => server.listed_as(ToolListing::Facade),
            _ => server,
        }
    }

    /// Where the server is, if it is not started here.
    fn endpoint(&self) -> Result<Option<Endpoint>, AppError> {
        let Some(url) = &self.url else { return Ok(None) };
        Endpoint::check_url(url)
            .map_err(|why| AppError::bad_input(why, "write it as https://host/path"))?;
        let headers = headers::parse(&self.header, &self.header_env)?;
        Ok(Some(Endpoint { url: url.clone(), headers }))
    }

    fn client(&self) -> String {
        format!("wrap {}", self.name)
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as FOREBAY_NAME=VALUE")?;
    if !environment::is_own(name) {
        return Err(format!(
            "{name} is not a FOREBAY_ variable; set variables of the server in `env` of its entry"
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// The exit code of the server, as a shell would tell it.
pub(super) fn exit_code(ending: Ending) -> u8 {
    let code = match ending {
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => SIGNAL_BASE + signal,
        _ => 1,
    };
    code as u8
}
