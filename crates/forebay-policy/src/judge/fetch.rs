//! Judges a fetch: deny and ask rules, then the network policy, then allow rules.

use std::net::IpAddr;

use super::{PolicyCheck, by_rule};
use crate::rule::{List, Specifier};
use crate::rules::SourcedRule;
use crate::verdict::{Ground, Verdict};
use crate::web::{self, url::Host};

pub(super) fn judge(check: &PolicyCheck<'_>, url: &str, resolved: Option<&[IpAddr]>) -> Verdict {
    let host = match Host::from_url(url) {
        Ok(host) => host,
        Err(error) => return Verdict::deny(Ground::Address, error.to_string()),
    };
    let covers = |sourced: &SourcedRule| matches!(&sourced.rule.specifier, Specifier::Domain(pattern) if pattern.covers(&host));
    let by_list =
        |list| check.first_match(list, covers).map(|(list, sourced)| by_rule(list, sourced));
    if let Some(verdict) = by_list(List::Deny) {
        return verdict;
    }
    match web::permitted_addresses(&host, resolved, check.context().allows_loopback) {
        Err(why) => Verdict::deny(Ground::Address, why),
        Ok(dial) => {
            let verdict = by_list(List::Ask).or_else(|| by_list(List::Allow));
            Verdict { dial, ..verdict.unwrap_or_else(|| check.unmatched()) }
        }
    }
}
