//! Judging a fetch: first the rules that forbid, then the network, then the rules that allow.

use std::net::IpAddr;

use super::{Case, by_rule};
use crate::rule::{List, Specifier};
use crate::rules::Placed;
use crate::verdict::Verdict;
use crate::web::{self, url::Host};

pub(super) fn judge(case: &Case<'_>, url: &str, resolved: Option<&[IpAddr]>) -> Verdict {
    let host = match Host::of_url(url) {
        Ok(host) => host,
        Err(error) => return Verdict::deny(error.to_string()),
    };
    let covers = |placed: &Placed| matches!(&placed.rule.specifier, Specifier::Domain(pattern) if pattern.covers(&host));
    let by_list = |list| case.first_hit(list, covers).map(|(list, placed)| by_rule(list, placed));
    if let Some(verdict) = by_list(List::Deny) {
        return verdict;
    }
    match web::dial(&host, resolved, case.world().allows_loopback) {
        Err(why) => Verdict::deny(why),
        Ok(dial) => {
            let verdict = by_list(List::Ask).or_else(|| by_list(List::Allow));
            Verdict { dial, ..verdict.unwrap_or_else(|| case.unmatched()) }
        }
    }
}
