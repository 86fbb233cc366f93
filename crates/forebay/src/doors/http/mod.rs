//! HTTP: the tools for whoever speaks it, and MCP for hosts that do not start a process.
//!
//! ```text
//! listener  accepts, bounds and ends connections        tls    with a certificate, if one is given
//! router    the table of routes                         guard  who may come in: Host, Origin, token, rate
//! desk      whose app answers a caller                  body   what a caller may send, and how fast
//! ```
//! The rest has one file a route.

mod body;
mod caller;
mod context;
mod desk;
mod entries;
mod events;
mod guard;
mod health;
mod hosts;
mod listener;
mod mcp;
mod metrics;
mod oauth;
mod openapi;
mod problem;
mod query;
mod rate;
mod router;
mod sealed;
mod search;
mod team;
mod tls;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use forebay_app::settings::Serve;
use forebay_app::{App, AppError, Powers};
use tokio_util::sync::CancellationToken;

use self::desk::Desk;
pub(crate) use self::desk::WorkspaceMaker;
use super::mcp::LAST_WORDS;
use super::signals;

/// Everything a server is started with.
pub(crate) struct Plan {
    /// The server's own app; callers are answered on its behalf.
    pub(crate) app: App,
    pub(crate) make_workspace: WorkspaceMaker,
    /// Called with the address once it listens.
    pub(crate) tell: Box<dyn FnOnce(&Listening)>,
}

/// Where a server can be reached, and by whom.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) has_tls: bool,
    pub(crate) needs_token: bool,
    pub(crate) powers: Powers,
}

/// Serves until a signal asks to end; then what is being answered is answered.
pub(crate) fn serve(plan: Plan) -> Result<(), AppError> {
    let end = CancellationToken::new();
    signals::end_with(end.clone()).map_err(fault)?;
    let settings = plan.app.settings.serve.clone();
    let listener = listener::bind(&settings.listen)?;
    let address = listener.local_addr().map_err(fault)?;
    let access = Access::of(&settings, address)?;
    if access.needs_token {
        check_tokens(&plan.app)?;
    }
    let tls = tls::acceptor(&settings)?;
    let desk = Arc::new(Desk::new(plan.app.limited_to(access.powers), plan.make_workspace)?);
    let listening = Listening {
        address,
        has_tls: tls.is_some(),
        needs_token: access.needs_token,
        powers: access.powers,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)?;
    let served = runtime.block_on(async {
        let streams_end = CancellationToken::new();
        let router = router::router(&desk, &settings, access, &end, &streams_end);
        let listener = listener::Listener::new(listener, tls, &settings)?;
        (plan.tell)(&listening);
        let quiet = desk.calls().quiet();
        listener.serve(router, desk.metrics(), end, quiet, streams_end).await
    });
    desk.calls().end_all();
    runtime.shutdown_timeout(LAST_WORDS);
    desk.write_last_words();
    served.map_err(fault)
}

/// Who may come in, and for what.
#[derive(Clone)]
struct Access {
    needs_token: bool,
    powers: Powers,
    hosts: hosts::Hosts,
}

impl Access {
    /// A server that others can reach has no powers over its machine, unless they are given.
    fn of(settings: &Serve, address: SocketAddr) -> Result<Self, AppError> {
        let is_private =
            address.ip().is_loopback() && settings.hosts.is_empty() && settings.issuer.is_empty();
        let powers = if is_private { Powers::ALL } else { enabled(&settings.enable)? };
        Ok(Self {
            needs_token: settings.require_token || !is_private,
            powers,
            hosts: hosts::Hosts::of(settings)?,
        })
    }
}

fn enabled(words: &[String]) -> Result<Powers, AppError> {
    let mut powers = Powers::STORE_ONLY;
    for word in words {
        match word.as_str() {
            "files" => powers.files = true,
            "execute" => powers.execute = true,
            _ => {
                return Err(AppError::bad_input(
                    format!("there is no power `{word}` to enable"),
                    "files, execute",
                ));
            }
        }
    }
    Ok(powers)
}

fn check_tokens(app: &App) -> Result<(), AppError> {
    if forebay_app::team::tokens::any_in_force(app)? {
        return Ok(());
    }
    Err(AppError::refused(
        "nobody could come in: this server needs a token, and there is none",
        "forebay token create <name> --rights read,write",
    ))
}

fn fault(error: std::io::Error) -> AppError {
    AppError::unavailable(error.to_string(), None)
}
