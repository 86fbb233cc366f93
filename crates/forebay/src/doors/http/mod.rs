//! HTTP: a JSON API, and MCP for hosts that do not start a process: Forebay's own tools, or the servers of a gateway.
//!
//! ```text
//! listener   accepts, limits and closes connections     tls    TLS, if a certificate is configured
//! router     the table of routes                        guard  checks: Host, Origin, token, rate
//! app_state  the app that answers a caller              body   limits of request bodies
//! ```
//! The rest has one file per route.

mod app_state;
pub(super) mod body;
mod caller;
mod context;
mod dashboard;
mod entries;
mod events;
mod gateway;
mod guard;
mod health;
pub(super) mod host_check;
pub(super) mod listener;
mod mcp;
pub(super) mod metrics;
mod oauth;
mod openapi;
pub(super) mod problem;
mod query;
mod router;
mod search;
mod session_mac;
mod team;
mod tls;
mod token_watch;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use forebay_app::bounds::RUNS_TIMEOUT;
use forebay_app::settings::Serve;
use forebay_app::{App, AppError, Capabilities};
use tokio_util::sync::CancellationToken;

use self::app_state::AppState;
pub(crate) use self::app_state::WorkspaceMaker;
pub(crate) use self::gateway::GatewayConfig;
use self::gateway::Sessions;
use self::session_mac::SessionMac;
use super::signals;

/// Parameters of a server.
pub(crate) struct ServerConfig {
    /// The server's own app.
    pub(crate) app: App,
    pub(crate) make_workspace: WorkspaceMaker,
    /// The servers behind `/mcp`, in place of Forebay's own tools.
    pub(crate) gateway: Option<GatewayConfig>,
    /// Called with the address once the server listens.
    pub(crate) print_address: Box<dyn FnOnce(&Listening) + Send>,
}

/// The address of a server, and who may use it.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) has_tls: bool,
    pub(crate) needs_token: bool,
    pub(crate) capabilities: Capabilities,
}

/// Serves until a signal; then finishes requests in progress.
pub(crate) fn serve(config: ServerConfig) -> Result<(), AppError> {
    let end = CancellationToken::new();
    signals::end_with(end.clone()).map_err(fault)?;
    let settings = config.app.settings.serve.clone();
    let listener = listener::bind(&settings.listen)?;
    let address = listener.local_addr().map_err(fault)?;
    let mut access = Access::new(&settings, address)?;
    if config.gateway.is_some() {
        // Its callers use the servers of the list, and what these have said.
        access.capabilities = Capabilities::STORE_ONLY;
    }
    if access.needs_token {
        check_tokens(&config.app)?;
    }
    let tls = tls::acceptor(&settings)?;
    let session_mac = SessionMac::new()?;
    let state = Arc::new(AppState::new(
        config.app.with_capabilities(access.capabilities),
        config.make_workspace,
    )?);
    let sessions = config.gateway.map(|gateway| Sessions::new(gateway, &state));
    let listening = Listening {
        address,
        has_tls: tls.is_some(),
        needs_token: access.needs_token,
        capabilities: access.capabilities,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)?;
    let served = runtime.block_on(async {
        let streams_end = CancellationToken::new();
        let mcp = match &sessions {
            Some(sessions) => gateway::service(sessions, &streams_end),
            None => mcp::service(&state, &settings, &streams_end, session_mac),
        };
        let router = router::router(&state, &settings, access, &end, &streams_end, mcp);
        let listener = listener::Listener::new(listener, tls, &settings)?;
        (config.print_address)(&listening);
        let idle = async {
            state.calls().wait_until_idle().await;
            if let Some(sessions) = &sessions {
                sessions.wait_until_answered().await;
            }
        };
        let served = listener.serve(router, state.metrics(), end, idle, streams_end).await;
        if let Some(sessions) = &sessions {
            sessions.wait_until_gone().await;
        }
        served
    });
    state.calls().end_all();
    runtime.shutdown_timeout(RUNS_TIMEOUT);
    state.flush();
    served.map_err(fault)
}

/// Who may access the server, and with which capabilities.
#[derive(Clone)]
struct Access {
    needs_token: bool,
    capabilities: Capabilities,
    hosts: host_check::HostCheck,
}

impl Access {
    /// A server reachable by others has no capabilities beyond the store unless enabled.
    fn new(settings: &Serve, address: SocketAddr) -> Result<Self, AppError> {
        let is_private =
            address.ip().is_loopback() && settings.hosts.is_empty() && settings.issuer.is_empty();
        let capabilities = if is_private { Capabilities::ALL } else { enabled(&settings.enable)? };
        Ok(Self {
            needs_token: settings.require_token || !is_private,
            capabilities,
            hosts: host_check::HostCheck::new(settings)?,
        })
    }
}

fn enabled(words: &[String]) -> Result<Capabilities, AppError> {
    let mut capabilities = Capabilities::STORE_ONLY;
    for word in words {
        match word.as_str() {
            "files" => capabilities.files = true,
            "execute" => capabilities.execute = true,
            _ => {
                return Err(AppError::bad_input(
                    format!("unknown capability `{word}`"),
                    "use files or execute",
                ));
            }
        }
    }
    Ok(capabilities)
}

fn check_tokens(app: &App) -> Result<(), AppError> {
    if forebay_app::team::tokens::has_active_token(app)? {
        return Ok(());
    }
    Err(AppError::refused(
        "this server requires a token, and none exists",
        "create one: forebay token create <name> --rights read,write",
    ))
}

fn fault(error: std::io::Error) -> AppError {
    AppError::unavailable(error.to_string(), None)
}
