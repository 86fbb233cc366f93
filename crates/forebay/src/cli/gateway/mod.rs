//! `forebay gateway`: several MCP servers as one.

mod list;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::random_bytes;
use forebay_app::rules::SessionRules;
use forebay_app::wrap::WrappedServer;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_domain::Reference;

use self::list::ListedServer;
use super::terminal::Failure;
use super::wrap::exit_code;
use super::{Common, project_root};
use crate::doors::wrap::{self, GatewayServer};

/// Serve several MCP servers as one, with long results as digests
///
/// The file lists servers as agents do, as TOML or JSON: a command with args, env and cwd, or a url with headers. Tools and
/// prompts get the server's name as a prefix. Each server is treated as by `forebay wrap`.
#[derive(Debug, Args)]
pub(super) struct Gateway {
    /// The list of servers: TOML with [servers.NAME], or JSON with mcpServers
    #[arg(value_name = "FILE")]
    list: PathBuf,
    /// Cut long descriptions of tools to their first sentences; forebay_describe returns the whole
    #[arg(long)]
    slim: bool,
    /// List three tools in place of all servers' tools: to search, describe and call them
    #[arg(long, conflicts_with = "slim")]
    facade: bool,
}

impl Gateway {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let cwd = common.working_folder()?;
        let servers = list::read(&self.list, &cwd)?;
        let settings = common.tolerant_settings(&project_root(&cwd))?;
        let session = format!("gateway-{}", Reference::from_random(random_bytes()?).as_str());
        let app = common.app_with(settings, cwd.clone(), &cwd, "gateway", &session)?;
        app.hold_rules(SessionRules::read(&super::rules::environment(common)?));
        let servers = servers.into_iter().map(|ListedServer { name, prefix, upstream }| {
            let app = app.on_behalf_of(&format!("wrap {name}"), Some(&session));
            GatewayServer { prefix, server: WrappedServer::new(app, &name), upstream }
        });
        let ending = wrap::serve_gateway(servers.collect(), self.listing())?;
        Ok(ExitCode::from(exit_code(ending)))
    }

    fn listing(&self) -> ToolListing {
        match (self.slim, self.facade) {
            (true, _) => ToolListing::Slim,
            (_, true) => ToolListing::Facade,
            _ => ToolListing::Whole,
        }
    }
}
