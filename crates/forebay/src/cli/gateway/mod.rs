//! `forebay gateway`: several MCP servers as one.

mod list;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use forebay_app::rules::SessionRules;
use forebay_app::wrap::WrappedServer;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_app::{App, AppError, random_bytes};
use forebay_domain::Reference;
use forebay_domain::rights::Rights;

use self::list::ListedServer;
use super::network::{self, Network, print_address};
use super::terminal::Failure;
use super::wrap::exit_code;
use super::{Common, data_folder, project_root, serve};
use crate::doors::http::{self, GatewayConfig, ServerConfig};
use crate::doors::wrap::{self, ForebayTools, GatewayServer};

/// Serve several MCP servers as one, with long results as digests
///
/// FILE lists the servers as TOML or JSON, in the format of agents' settings: a command with args, env and cwd, or a url with
/// headers. The names of tools and prompts are prefixed with the server's name. Each server is proxied as by `forebay wrap`.
///
/// With --listen, serves a team over HTTP at /mcp. Each session starts its own processes of the servers that its token has
/// rights on (`forebay token create NAME --rights SERVER:read`).
#[derive(Debug, Args)]
pub(super) struct Gateway {
    /// Server list: TOML with [servers.NAME], or JSON with mcpServers
    #[arg(value_name = "FILE")]
    list: PathBuf,
    /// Cut long tool descriptions to their first sentences; the added tool forebay_describe returns them whole
    #[arg(long)]
    slim: bool,
    /// List three tools in place of all servers' tools: forebay_search, forebay_describe and forebay_call
    #[arg(long, conflicts_with = "slim")]
    facade: bool,
    /// Serve over HTTP on this address and port instead of stdio; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    #[command(flatten)]
    network: Network,
}

impl Gateway {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let cwd = common.working_folder()?;
        let servers = list::read(&self.list, &cwd)?;
        if let Some(address) = &self.listen {
            return self.serve_at(address, common, servers);
        }
        if !self.network.settings().is_empty() {
            let hint = "add --listen 127.0.0.1:7878 to serve over HTTP";
            return Err(AppError::bad_input("these options require --listen", hint).into());
        }
        let settings = common.tolerant_settings(&project_root(&cwd))?;
        let session = format!("gateway-{}", Reference::from_random(random_bytes()?).as_str());
        let app = common.app_with(settings, cwd.clone(), &cwd, "gateway", &session)?;
        app.hold_rules(SessionRules::read(&super::rules::environment(common)?));
        let forebay = has_forebay_tools(&servers).then(|| {
            let app = app.on_behalf_of("gateway", Some(&session));
            ForebayTools::new(app, Rights::ALL)
        });
        let started = wrapped(&servers, &app, &|_| Rights::ALL, &session);
        let ending = wrap::serve_gateway(started, self.listing(), forebay)?;
        Ok(ExitCode::from(exit_code(ending)))
    }

    /// Serves over HTTP.
    fn serve_at(
        &self,
        address: &str,
        common: &Common,
        servers: Vec<ListedServer>,
    ) -> Result<ExitCode, Failure> {
        let mut common = common.clone();
        common.set.extend(network::text("listen", Some(address)));
        common.set.extend(self.network.settings());
        // The first refusal may come before the first entry, and needs the log.
        data_folder()?.create().map_err(AppError::from)?;
        let program = super::running_program().ok().map(Arc::new);
        let app = common.app_for("gateway", "gateway")?.watching(program.clone());
        app.start_rules()?;
        let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
        let uses = names.join(", ");
        let gateway = GatewayConfig {
            names,
            listing: self.listing(),
            has_forebay_tools: has_forebay_tools(&servers),
            make_servers: Box::new(
                move |app: &App, rights: &dyn Fn(&str) -> Rights, session: &str| {
                    wrapped(&servers, app, rights, session)
                },
            ),
        };
        let make_workspace = Box::new(move |name: &str| {
            Ok(serve::workspace(&common, name)?.watching(program.clone()))
        });
        http::serve(ServerConfig {
            app,
            make_workspace,
            gateway: Some(gateway),
            print_address: Box::new(move |listening| print_address(listening, &uses)),
        })?;
        Ok(ExitCode::SUCCESS)
    }

    fn listing(&self) -> ToolListing {
        match (self.slim, self.facade) {
            (true, _) => ToolListing::Slim,
            (_, true) => ToolListing::Facade,
            _ => ToolListing::Whole,
        }
    }
}

/// The servers on which there are rights, for one session.
fn wrapped(
    servers: &[ListedServer],
    app: &App,
    rights: &dyn Fn(&str) -> Rights,
    session: &str,
) -> Vec<GatewayServer> {
    let permitted = servers.iter().map(|server| (server, rights(&server.name)));
    let permitted = permitted.filter(|(_, rights)| *rights != Rights::default());
    let wrapped = permitted.map(|(ListedServer { name, prefix, upstream }, rights)| {
        let app = app.on_behalf_of(&format!("wrap {name}"), Some(session));
        let server = WrappedServer::new(app, name);
        GatewayServer { prefix: prefix.clone(), server, upstream: upstream.clone(), rights }
    });
    wrapped.collect()
}

/// Whether Forebay's tools are offered beside those of the servers: they may be in the list already.
fn has_forebay_tools(servers: &[ListedServer]) -> bool {
    servers.iter().all(|server| server.name != "forebay")
}
