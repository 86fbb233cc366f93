//! Fetches: domain rules and the network policy.

pub(crate) mod address;
pub(crate) mod url;

use std::borrow::Cow;
use std::net::IpAddr;

use self::address::Kind;
use self::url::{Host, IS_DOT};
use super::wildcard::{UnknownParts, Wildcard};

/// The pattern after `domain:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DomainPattern {
    Every,
    /// `*.x`: any subdomain of x, but not x.
    Below(String),
    /// Label by label; `*` is one label or part of one.
    Labels(Vec<Wildcard>),
}

impl DomainPattern {
    /// Parses `domain:host`; None for any other specifier.
    pub(crate) fn parse(specifier: &str) -> Option<Self> {
        let text = specifier.strip_prefix("domain:")?.trim().to_ascii_lowercase();
        let text = text.strip_suffix(IS_DOT).unwrap_or(&text);
        if text == "*" {
            return Some(Self::Every);
        }
        if !text.contains('*') {
            return Some(match Host::parse(text).ok()? {
                Host::Name(name) => {
                    Self::Labels(name.split('.').map(Wildcard::from_text).collect())
                }
                address @ Host::Address(_) => {
                    Self::Labels(vec![Wildcard::from_text(&address.text())])
                }
            });
        }
        if !matches!(Host::parse(&text.replace('*', "x")), Ok(Host::Name(_))) {
            return None;
        }
        let labels = text.split(IS_DOT).map(ascii_label).collect::<Option<Vec<_>>>()?;
        match labels.as_slice() {
            [first, rest @ ..] if first == "*" && !rest.concat().contains('*') => {
                Some(Self::Below(format!(".{}", rest.join("."))))
            }
            labels => Some(Self::Labels(labels.iter().map(|l| Wildcard::from_text(l)).collect())),
        }
    }

    pub(crate) fn covers(&self, host: &Host) -> bool {
        let text = host.text();
        match self {
            Self::Every => true,
            Self::Below(suffix) => matches!(host, Host::Name(_)) && text.ends_with(suffix.as_str()),
            Self::Labels(pattern) => {
                let labels: Vec<&str> = match host {
                    Host::Name(_) => text.split('.').collect(),
                    Host::Address(_) => vec![&text],
                };
                pattern.len() == labels.len()
                    && pattern
                        .iter()
                        .zip(labels)
                        .all(|(p, label)| p.matches(label, UnknownParts::Closed))
            }
        }
    }
}

/// A label in the ASCII form that hosts are compared in; one with a wildcard must be ASCII already.
fn ascii_label(label: &str) -> Option<String> {
    // As part of a name: on its own, a number would be an address.
    let in_a_name = |label: &str| match Host::parse(&format!("{label}.invalid")) {
        Ok(Host::Name(name)) => name.strip_suffix(".invalid").map(str::to_owned),
        _ => None,
    };
    if !label.contains('*') {
        return in_a_name(label);
    }
    (label.is_ascii() && in_a_name(&label.replace('*', "x")).is_some()).then(|| label.to_owned())
}

/// The host name of a URL as passed to a resolver; `None` if it is refused or an address.
pub fn host_of(url: &str) -> Option<String> {
    match Host::from_url(url).ok()? {
        Host::Name(name) => Some(name),
        Host::Address(_) => None,
    }
}

/// A URL with its host in the one spelling that is resolved, judged and stored; other URLs stay as they are.
pub fn with_plain_host(url: &str) -> Cow<'_, str> {
    let Ok(host) = Host::from_url(url) else { return Cow::Borrowed(url) };
    if url.is_ascii() && url.contains(&host.text()) {
        return Cow::Borrowed(url);
    }
    ::url::Url::parse(url).map_or(Cow::Borrowed(url), |url| Cow::Owned(url.into()))
}

/// The addresses of a host that may be connected to, or why none may.
///
/// `resolved` is `None` before resolution: then names pass, and are judged again with their addresses before a
/// connection is made.
pub(crate) fn permitted_addresses(
    host: &Host,
    resolved: Option<&[IpAddr]>,
    allows_loopback: bool,
) -> Result<Vec<IpAddr>, String> {
    if host.is_localhost() && !allows_loopback {
        return Err(format!("{} is loopback, which fetch.loopback = false disables", host.text()));
    }
    let addresses: &[IpAddr] = match (host, resolved) {
        (Host::Address(address), _) => &[*address],
        (Host::Name(_), Some(resolved)) => resolved,
        (Host::Name(_), None) => return Ok(Vec::new()),
    };
    let may = |address: &&IpAddr| match address::kind(**address) {
        Kind::Public => true,
        Kind::Loopback => allows_loopback,
        Kind::Special(_) => false,
    };
    let open: Vec<IpAddr> = addresses.iter().filter(may).copied().collect();
    match (open.is_empty(), addresses.first()) {
        (false, _) => Ok(open),
        (true, None) => Err(format!("{} does not resolve", host.text())),
        (true, Some(first)) => Err(refusal(host, *first)),
    }
}

fn refusal(host: &Host, address: IpAddr) -> String {
    let what = match address::kind(address) {
        Kind::Loopback => "loopback, which fetch.loopback = false disables",
        Kind::Special(name) => name,
        Kind::Public => "not allowed",
    };
    match host {
        Host::Address(_) => format!("{address}: {what}"),
        Host::Name(name) => format!("{name} resolves to {address}: {what}"),
    }
}
