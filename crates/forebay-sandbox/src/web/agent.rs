//! The HTTP client of one hop, which connects only to addresses that the policy allows.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::config::{Config, ConfigBuilder};
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error, Proxy};

use super::{AddressPolicy, FetchError, dns};

/// Prefers markdown, since HTML is converted to it anyway.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, \
                      application/json;q=0.8, application/pdf;q=0.7, */*;q=0.1";
const USER_AGENT: &str = concat!("forebay/", env!("CARGO_PKG_VERSION"));
/// Bounds the headers of a server that never ends them.
const MAX_HEADER_BYTES: usize = 64 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns a client for `url` if the policy allows it.
pub(super) fn agent_for(
    url: &str,
    timeout: Duration,
    policy: AddressPolicy<'_>,
) -> Result<Agent, FetchError> {
    let refused = |reason| FetchError::Refused { url: url.to_owned(), reason };
    let literal = policy(url, None).map_err(refused)?;
    let uri: Uri = url.parse().map_err(|_| refused("it is not a valid URI".to_owned()))?;
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let proxy = Proxy::try_from_env().filter(|proxy| !proxy.is_no_proxy(&uri));
    if let Some(proxy) = proxy {
        // The proxy resolves the host itself; if this machine can resolve it too, the policy applies.
        if let Ok(addresses) = dns::lookup(&host, timeout) {
            policy(url, Some(&addresses)).map_err(refused)?;
        }
        let config = config(timeout, Some(proxy));
        return Ok(Agent::with_parts(
            config,
            DefaultConnector::default(),
            DefaultResolver::default(),
        ));
    }
    let allowed = if literal.is_empty() {
        let addresses =
            dns::lookup(&host, timeout).map_err(|_| FetchError::Unresolved(host.clone()))?;
        policy(url, Some(&addresses)).map_err(refused)?
    } else {
        literal
    };
    let pinned = PinnedResolver { addresses: allowed, port };
    Ok(Agent::with_parts(config(timeout, None), DefaultConnector::default(), pinned))
}

pub(super) fn config(timeout: Duration, proxy: Option<Proxy>) -> Config {
    builder(proxy)
        .timeout_global(Some(timeout))
        .timeout_connect(Some(CONNECT_TIMEOUT.min(timeout)))
        .build()
}

/// For responses that may take as long as they want.
pub(super) fn unhurried_config(proxy: Option<Proxy>) -> Config {
    builder(proxy).timeout_connect(Some(CONNECT_TIMEOUT)).build()
}

fn builder(proxy: Option<Proxy>) -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .proxy(proxy)
        .tls_config(tls())
        .max_redirects(0)
        .http_status_as_error(false)
        .user_agent(USER_AGENT)
        .accept(ACCEPT)
        .max_response_header_size(MAX_HEADER_BYTES)
}

/// Returns the proxy that the environment names for `url`, unless `NO_PROXY` or the host itself rules it out.
pub(super) fn proxy_for(url: &str) -> Option<Proxy> {
    let uri: Uri = url.parse().ok()?;
    Proxy::try_from_env().filter(|proxy| !proxy.is_no_proxy(&uri) && !is_loopback(&uri))
}

/// Whether the host is this machine, which a proxy would take for its own.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns the TLS configuration with the root certificates of this machine, loaded once.
fn tls() -> TlsConfig {
    static ROOTS: OnceLock<Vec<Certificate<'static>>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let loaded = rustls_native_certs::load_native_certs();
        loaded
            .certs
            .iter()
            .map(|certificate| Certificate::from_der(certificate).to_owned())
            .collect()
    });
    TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

/// Resolves every host to the allowed addresses.
#[derive(Debug)]
struct PinnedResolver {
    addresses: Vec<IpAddr>,
    port: u16,
}

impl Resolver for PinnedResolver {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        const MAX_ADDRESSES: usize = 16;
        let mut resolved = self.empty();
        for address in self.addresses.iter().take(MAX_ADDRESSES) {
            resolved.push(SocketAddr::new(*address, self.port));
        }
        if resolved.is_empty() { Err(Error::HostNotFound) } else { Ok(resolved) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bypasses_the_proxy_for_this_machine() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1", "https://[::1]:8/x"] {
            assert!(is_loopback(&url.parse().unwrap()), "{url}");
        }
        for url in ["http://localhost.example.org/", "http://10.0.0.1/", "http://[::2]/"] {
            assert!(!is_loopback(&url.parse().unwrap()), "{url}");
        }
    }
}
