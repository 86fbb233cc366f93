//! Subscriptions: a client hears of every change of the jobs that it follows.
//!
//! Until revision 2025-11-25 a session subscribes to one resource after another; since 2026-07-28 a request that stays
//! open (`subscriptions/listen`) names all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_app::bounds::{JOB_CHECK_INTERVAL, MAX_SUBSCRIPTIONS};
use forebay_app::resources::{self, JobPhase, JobStatus};
use forebay_app::{App, AppError, ErrorKind};
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use tokio::task::{AbortHandle, JoinSet};

use super::handler::{Context, Handler};
use super::resources::Address;
use crate::doors::calls::Calls;

/// The resources that a session follows. They end with it.
#[derive(Default)]
pub(super) struct Subscriptions {
    /// The task that watches a resource; none for one that never changes.
    watches: Mutex<HashMap<String, Option<AbortHandle>>>,
}

impl Subscriptions {
    fn watches(&self) -> MutexGuard<'_, HashMap<String, Option<AbortHandle>>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a subscription; `watch` starts its task unless there is one already.
    fn add(&self, uri: &str, watch: impl FnOnce() -> Option<AbortHandle>) -> Result<(), AppError> {
        let mut watches = self.watches();
        if watches.contains_key(uri) {
            return Ok(());
        }
        watches.retain(|_, watch| watch.as_ref().is_none_or(|watch| !watch.is_finished()));
        if watches.len() >= MAX_SUBSCRIPTIONS {
            return Err(AppError::refused(
                format!("this session already follows {MAX_SUBSCRIPTIONS} resources"),
                "unsubscribe from one first",
            ));
        }
        watches.insert(uri.to_owned(), watch());
        Ok(())
    }

    fn remove(&self, uri: &str) {
        if let Some(Some(watch)) = self.watches().remove(uri) {
            watch.abort();
        }
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        self.watches().values().flatten().for_each(AbortHandle::abort);
    }
}

impl Handler {
    pub(super) async fn follow(&self, uri: &str, context: &Context) -> Result<(), AppError> {
        let (address, caller) = self.check_address(uri, context).await?;
        let (peer, calls) = (context.peer.clone(), Arc::clone(&self.calls));
        let (app, job) = (caller.caller_context.app, address.job().map(str::to_owned));
        let changed = uri.to_owned();
        let notify = move || {
            let update = ResourceUpdatedNotificationParam::new(changed.clone());
            let peer = peer.clone();
            async move { peer.notify_resource_updated(update).await.is_ok() }
        };
        let start = || job.map(|job| tokio::spawn(watch(calls, app, job, notify)).abort_handle());
        self.subscriptions.add(uri, start)
    }

    /// Ends a subscription; one that does not exist is no error.
    pub(super) fn unfollow(&self, uri: &str) -> Result<(), AppError> {
        Address::parse(uri)?;
        self.subscriptions.remove(uri);
        Ok(())
    }

    /// Notifies of changes until the client cancels the request.
    pub(super) async fn notify_listener(&self, context: SubscriptionContext) {
        let mut watches = JoinSet::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            // What the caller may not read, or does not exist, never changes.
            let checked = self.check_address(uri, context.request_context()).await;
            let Ok((address, caller)) = checked else { continue };
            let Some(job) = address.job() else { continue };
            let (sink, changed) = (context.sink().clone(), uri.clone());
            let notify = move || {
                let (sink, changed) = (sink.clone(), changed.clone());
                async move { sink.notify_resource_updated(changed).await.is_ok() }
            };
            let (calls, app) = (Arc::clone(&self.calls), caller.caller_context.app);
            watches.spawn(watch(calls, app, job.to_owned(), notify));
        }
        context.cancelled().await;
    }
}

/// The part of a filter that can be accepted: a bounded number of addresses that name a resource.
pub(super) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let uris = requested.resource_subscriptions.iter().flatten();
    let known = uris.filter(|uri| Address::parse(uri).is_ok()).take(MAX_SUBSCRIPTIONS);
    let mut filter = SubscriptionFilter::new();
    filter.resource_subscriptions =
        requested.resource_subscriptions.as_ref().map(|_| known.cloned().collect());
    filter
}

/// Calls `notify` after each change of a job, until it has ended or `notify` fails.
async fn watch<F: Future<Output = bool>>(
    calls: Arc<Calls>,
    app: Arc<App>,
    job: String,
    notify: impl Fn() -> F,
) {
    let mut last: Option<JobStatus> = None;
    loop {
        let (app, name) = (Arc::clone(&app), job.clone());
        // A job whose record was removed ends the watch; a busy server delays it.
        match calls.run_short(move || resources::job(&app, &name)).await {
            Ok(status) => {
                let is_over = status.phase != JobPhase::Running;
                let has_changed = last.as_ref().is_some_and(|last| *last != status);
                let is_heard = !(is_over || has_changed) || notify().await;
                if is_over || !is_heard {
                    return;
                }
                last = Some(status);
            }
            Err(error) if error.kind == ErrorKind::Busy => {}
            Err(_) => return,
        }
        tokio::time::sleep(JOB_CHECK_INTERVAL).await;
    }
}
