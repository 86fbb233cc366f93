//! What a fetch may reach: the rules and the network policy, asked for each host on the way.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use forebay_policy::{Decision, host_of};

use super::permit::{Act, circumstances, permit};
use super::{Circumstances, InForce, Input, decide};
use crate::call::Reply;
use crate::{App, AppError, Call};

/// The gate of one fetch.
pub(crate) struct FetchGate<'app> {
    app: &'app App,
    in_force: Arc<InForce>,
    around: Circumstances,
    /// Hosts that the user has allowed when he was asked.
    approved: Mutex<HashSet<String>>,
}

impl<'app> FetchGate<'app> {
    pub(crate) fn new(app: &'app App) -> Result<Self, AppError> {
        let in_force = app.permissions.in_force(app)?;
        let around = circumstances(app, &in_force, &app.cwd);
        Ok(Self { app, in_force, around, approved: Mutex::default() })
    }

    /// Asks for the URL as it was given, before anything else is done with it.
    pub(crate) fn ask(&self, url: &str, call: &Call) -> Result<(), AppError> {
        permit(self.app, &[Act::Fetch(url.to_owned())], &self.app.cwd, call)?;
        self.approve(url);
        Ok(())
    }

    /// The addresses of a URL's host that may be dialled, or why none may.
    pub(crate) fn check(
        &self,
        url: &str,
        addresses: Option<&[IpAddr]>,
        call: &Call,
    ) -> Result<Vec<IpAddr>, String> {
        let input = Input {
            main: url.to_owned(),
            addresses: addresses.map(<[IpAddr]>::to_vec),
            ..Input::default()
        };
        let verdict = decide("WebFetch", &input, &self.in_force.rules, &self.around);
        match verdict.decision {
            Decision::Deny => return Err(verdict.reason),
            Decision::Ask if !self.is_approved(url) => {
                let question = format!("Allow WebFetch: {url}\n({})", verdict.reason);
                match call.ask(&question) {
                    Reply::Yes => self.approve(url),
                    Reply::No => return Err("the user declined".to_owned()),
                    Reply::Unavailable => {
                        return Err(format!("it needs the user's approval: {}", verdict.reason));
                    }
                }
            }
            Decision::Allow | Decision::Ask => {}
        }
        Ok(verdict.dial)
    }

    fn approve(&self, url: &str) {
        let mut approved = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
        approved.insert(key(url));
    }

    fn is_approved(&self, url: &str) -> bool {
        self.approved.lock().unwrap_or_else(PoisonError::into_inner).contains(&key(url))
    }
}

/// The host; of an address, the whole URL.
fn key(url: &str) -> String {
    host_of(url).unwrap_or_else(|| url.to_owned())
}
