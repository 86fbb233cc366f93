//! Shared state of all requests: one app per workspace, opened on first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;
use forebay_app::team::tokens::TokenVerifier;
use forebay_app::{App, AppError};
use forebay_domain::rights::Right;

use super::caller::{self, Caller};
use super::metrics::Metrics;
use crate::doors::calls::{CallerContext, Calls};

/// Creates the app of a workspace.
pub(crate) type WorkspaceMaker = Box<dyn Fn(&str) -> Result<App, AppError> + Send + Sync>;

/// State shared by all requests.
pub(super) struct AppState {
    own: CallerContext,
    make_workspace: WorkspaceMaker,
    workspaces: Mutex<HashMap<String, CallerContext>>,
    calls: Arc<Calls>,
    token_verifier: TokenVerifier,
    metrics: Arc<Metrics>,
}

impl AppState {
    pub(super) fn new(own: App, make_workspace: WorkspaceMaker) -> Result<Self, AppError> {
        let calls =
            if own.has_remote_store() { Calls::bounded_by_server() } else { Calls::bounded() };
        Ok(Self {
            own: new_context(own),
            make_workspace,
            workspaces: Mutex::default(),
            calls: Arc::new(calls),
            token_verifier: TokenVerifier::new()?,
            metrics: Arc::default(),
        })
    }

    /// The server's own app.
    pub(super) fn own(&self) -> &Arc<App> {
        &self.own.app
    }

    pub(super) fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    pub(super) fn token_verifier(&self) -> &TokenVerifier {
        &self.token_verifier
    }

    pub(super) fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// The app for a caller, with its workspace, name and conversation.
    pub(super) fn context_for(
        &self,
        caller: &Caller,
        name: &str,
        headers: &HeaderMap,
    ) -> Result<CallerContext, AppError> {
        let CallerContext { app, idle } = match caller.workspace() {
            Some(name) => self.workspace(name)?,
            None => self.own.clone(),
        };
        let session = caller::session(headers, caller);
        let mut app = app.on_behalf_of(name, session.as_deref());
        if let Some(token) = &caller.token {
            app = app.as_team_member(&token.name);
        }
        if let Some(project) = caller::project(headers) {
            app = with_project(app, caller, &project)?;
        }
        Ok(CallerContext { app: Arc::new(app), idle })
    }

    fn workspace(&self, name: &str) -> Result<CallerContext, AppError> {
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = workspaces.get(name) {
            return Ok(known.clone());
        }
        let app = (self.make_workspace)(name)?.with_capabilities(self.own.app.capabilities());
        let opened = new_context(app);
        workspaces.insert(name.to_owned(), opened.clone());
        Ok(opened)
    }

    /// Flushes deferred writes when no call is left.
    pub(super) fn flush(&self) {
        self.own.app.flush_usage();
        let workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        workspaces.values().for_each(|caller_context| caller_context.app.flush_usage());
    }
}

/// The project that a caller names; created if missing and the caller may write.
fn with_project(app: App, caller: &Caller, name: &str) -> Result<App, AppError> {
    // Opening a store on a server blocks, which an async worker thread must declare.
    let is_known = || tokio::task::block_in_place(|| app.has_project(name));
    if caller.rights().has(Right::Write) || is_known()? {
        return Ok(app.in_team_project(name));
    }
    Err(AppError::not_found(
        format!("unknown project `{}`", name.escape_debug()),
        "create it with forebay push, or use a token with the write right",
    ))
}

fn new_context(app: App) -> CallerContext {
    CallerContext { app: Arc::new(app), idle: Arc::default() }
}
