//! All sessions of a gateway: how many there may be, and when they end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use forebay_app::bounds::SERVERS_END_TIMEOUT;
use forebay_app::settings::Gateway as Limits;
use forebay_app::{AppError, random_bytes};
use forebay_domain::Reference;

use super::super::app_state::AppState;
use super::super::caller::Caller;
use super::super::problem::Problem;
use super::super::token_watch::TokenWatch;
use super::GatewayConfig;
use super::session::{Inbox, Servers, Session};
use crate::doors::wrap::ForebayTools;

/// Between two looks for sessions that nobody uses.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// A session that its client has not used for so long may end if that client starts another one.
const MIN_IDLE: Duration = Duration::from_secs(30);
/// Between two looks whether the servers of ended sessions are gone.
const END_INTERVAL: Duration = Duration::from_millis(20);

/// The sessions of a gateway.
pub(in crate::doors::http) struct Sessions {
    config: GatewayConfig,
    limits: Limits,
    state: Arc<AppState>,
    token_watch: Arc<TokenWatch>,
    open: Mutex<HashMap<String, Arc<Session>>>,
    /// Servers of sessions that are open, or not gone yet.
    servers: AtomicUsize,
}

impl Sessions {
    pub(in crate::doors::http) fn new(config: GatewayConfig, state: &Arc<AppState>) -> Arc<Self> {
        Arc::new(Self {
            config,
            limits: state.own().settings.gateway.clone(),
            state: Arc::clone(state),
            token_watch: TokenWatch::new(state),
            open: Mutex::default(),
            servers: AtomicUsize::default(),
        })
    }

    /// Starts a session with the servers that a caller may use.
    pub(super) async fn start(
        self: &Arc<Self>,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<Arc<Session>, Problem> {
        let reference = Reference::from_random(random_bytes()?);
        let id = format!("gateway-{}", reference.as_str());
        let count = self.config.names.iter().filter(|name| is_permitted(caller, name)).count();
        if count == 0 {
            return Err(no_server());
        }
        let owner = caller.token.as_ref().map(|token| token.id.clone());
        let (session, inbox) = Session::new(id.clone(), owner, caller.key(), count);
        // Another session may have to end for this one, which must not fail after that.
        let servers = self.servers_for(caller, headers, &id).await?;
        let reservation = self.admit(session)?;
        let session = Arc::clone(&reservation.session);
        run(reservation, inbox, servers)?;
        self.end_with_token(&session);
        Ok(session)
    }

    /// The session of a caller.
    pub(super) fn find(&self, id: &str, caller: &Caller) -> Option<Arc<Session>> {
        let session = self.open().get(id).cloned()?;
        let owner = caller.token.as_ref().map(|token| &token.id);
        (session.owner.as_ref() == owner).then_some(session)
    }

    pub(super) fn end(&self, session: &Session) {
        self.open().remove(&session.id);
        session.end();
    }

    pub(super) fn end_all(&self) {
        let all: Vec<Arc<Session>> = self.open().drain().map(|(_, session)| session).collect();
        for session in all {
            session.end();
        }
    }

    /// Ends sessions that nobody uses, for as long as the gateway runs.
    pub(super) async fn sweep(sessions: Weak<Self>) {
        loop {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            let Some(sessions) = sessions.upgrade() else { return };
            let limit = Duration::from_secs(sessions.limits.idle_seconds);
            let idle: Vec<Arc<Session>> =
                sessions.open().values().filter(|one| one.idle_time() >= limit).cloned().collect();
            // Zero is no limit; the look alone keeps the time of those that are used.
            if !limit.is_zero() {
                for session in idle {
                    sessions.end(&session);
                }
            }
        }
    }

    /// Waits until no client waits for an answer.
    pub(in crate::doors::http) async fn wait_until_answered(&self) {
        while self.open().values().any(|session| session.streams.have_unanswered()) {
            tokio::time::sleep(END_INTERVAL).await;
        }
    }

    /// Waits until all servers are gone, for a bounded time.
    pub(in crate::doors::http) async fn wait_until_gone(&self) {
        let gone = async {
            while self.servers.load(Ordering::Acquire) > 0 {
                tokio::time::sleep(END_INTERVAL).await;
            }
        };
        let _ = tokio::time::timeout(SERVERS_END_TIMEOUT, gone).await;
    }

    /// Makes room for a session, and counts it. Another session of the caller only ends if there is room then.
    fn admit(self: &Arc<Self>, session: Arc<Session>) -> Result<Reservation, Problem> {
        let mut open = self.open();
        let own = open.values().filter(|one| one.caller == session.caller);
        let mut own: Vec<&Arc<Session>> = own.collect();
        let replaced = if own.len() as u64 >= self.limits.sessions_per_caller {
            own.sort_by_key(|one| std::cmp::Reverse(one.idle_time()));
            let oldest = own.first().filter(|one| one.idle_time() >= MIN_IDLE);
            Some(oldest.map(|one| Arc::clone(one)).ok_or_else(too_many_of_caller)?)
        } else {
            None
        };
        let others = open.len() - usize::from(replaced.is_some());
        // The servers of a session that ends take their time.
        let servers = self.servers.load(Ordering::Acquire) + session.server_count;
        if others as u64 >= self.limits.sessions || servers as u64 > self.limits.servers {
            return Err(full());
        }
        if let Some(replaced) = replaced {
            open.remove(&replaced.id);
            replaced.end();
        }
        self.servers.fetch_add(session.server_count, Ordering::AcqRel);
        open.insert(session.id.clone(), Arc::clone(&session));
        Ok(Reservation { sessions: Arc::clone(self), session })
    }

    async fn servers_for(
        self: &Arc<Self>,
        caller: &Caller,
        headers: &HeaderMap,
        id: &str,
    ) -> Result<Servers, AppError> {
        let (sessions, caller, headers) = (Arc::clone(self), caller.clone(), headers.clone());
        let id = id.to_owned();
        // The caller's store may have to be opened.
        self.state
            .calls()
            .run_short(move || {
                let context = sessions.state.context_for(&caller, caller.name(), &headers)?;
                let app = context.app.on_behalf_of(caller.name(), Some(&id));
                let rights = |server: &str| caller.rights_on(server);
                Ok(Servers {
                    listed: (sessions.config.make_servers)(&app, &rights, &id),
                    listing: sessions.config.listing,
                    forebay: sessions
                        .config
                        .has_forebay_tools
                        .then(|| ForebayTools::new(app, caller.rights())),
                })
            })
            .await
    }

    /// Ends a session when its token is revoked or expires.
    fn end_with_token(self: &Arc<Self>, session: &Arc<Session>) {
        let Some(token) = session.owner.clone() else { return };
        let (sessions, session) = (Arc::downgrade(self), Arc::clone(session));
        let invalid = self.token_watch.watch(&token);
        tokio::spawn(async move {
            tokio::select! {
                () = invalid.cancelled() => {}
                () = session.closed.cancelled() => {}
            }
            if let Some(sessions) = sessions.upgrade() {
                sessions.end(&session);
            }
        });
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The room of a session, until its servers are gone.
struct Reservation {
    sessions: Arc<Sessions>,
    session: Arc<Session>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // First: a client whose session could not be started may try again at once.
        self.sessions.servers.fetch_sub(self.session.server_count, Ordering::AcqRel);
        self.sessions.end(&self.session);
    }
}

/// Runs a session on a thread of its own.
fn run(reservation: Reservation, inbox: Inbox, servers: Servers) -> Result<(), AppError> {
    let run = move || {
        if let Err(error) = reservation.session.run(inbox, servers) {
            tracing::error!(%error, "the servers of a session cannot be started");
            reservation.session.note_failure(&error);
        }
    };
    let thread = std::thread::Builder::new().name("session".to_owned()).spawn(run);
    thread.map(drop).map_err(|error| AppError::unavailable(error.to_string(), None))
}

/// Whether a caller has a right on a server.
fn is_permitted(caller: &Caller, server: &str) -> bool {
    caller.rights_on(server).iter().next().is_some()
}

fn no_server() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this token has no right on any server of this gateway",
        "get one with rights: forebay token create NAME --rights SERVER:read",
    )
}

fn too_many_of_caller() -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too many sessions of this caller",
        "end one (DELETE), or raise gateway.sessions_per_caller on the server",
    )
    .retry_after(30)
}

fn full() -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the gateway has no room for another session",
        "try again later, or raise gateway.sessions and gateway.servers on the server",
    )
    .retry_after(30)
}
