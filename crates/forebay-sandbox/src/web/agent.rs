//! The client of one hop: it dials what the gate allows and nothing else.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error, Proxy};

use super::{FetchError, Gate, resolve};

/// Markdown is what we would make of it anyway.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, \
                      application/json;q=0.8, application/pdf;q=0.7, */*;q=0.1";
const USER_AGENT: &str = concat!("forebay/", env!("CARGO_PKG_VERSION"));
/// Headers of a server that never ends them.
const MOST_HEADER_BYTES: usize = 64 * 1024;
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// A client for one URL, once the gate has let it pass.
pub(super) fn for_hop(url: &str, time: Duration, gate: Gate<'_>) -> Result<Agent, FetchError> {
    let refused = |why| FetchError::Refused { url: url.to_owned(), why };
    let literal = gate(url, None).map_err(refused)?;
    let uri: Uri =
        url.parse().map_err(|_| refused("it cannot be read in one way only".to_owned()))?;
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let proxy = Proxy::try_from_env().filter(|proxy| !proxy.is_no_proxy(&uri));
    if let Some(proxy) = proxy {
        // The proxy resolves the name; where this machine can as well, its answer counts here, too.
        if let Ok(addresses) = resolve::addresses(&host, time) {
            gate(url, Some(&addresses)).map_err(refused)?;
        }
        let config = config(time, Some(proxy));
        return Ok(Agent::with_parts(
            config,
            DefaultConnector::default(),
            DefaultResolver::default(),
        ));
    }
    let allowed = if literal.is_empty() {
        let addresses =
            resolve::addresses(&host, time).map_err(|_| FetchError::Unresolved(host.clone()))?;
        gate(url, Some(&addresses)).map_err(refused)?
    } else {
        literal
    };
    let pinned = Pinned { addresses: allowed, port };
    Ok(Agent::with_parts(config(time, None), DefaultConnector::default(), pinned))
}

pub(super) fn config(time: Duration, proxy: Option<Proxy>) -> Config {
    Agent::config_builder()
        .proxy(proxy)
        .tls_config(tls())
        .max_redirects(0)
        .http_status_as_error(false)
        .user_agent(USER_AGENT)
        .accept(ACCEPT)
        .max_response_header_size(MOST_HEADER_BYTES)
        .timeout_global(Some(time))
        .timeout_connect(Some(CONNECT_TIME.min(time)))
        .build()
}

/// The certificates this machine trusts, read once.
fn tls() -> TlsConfig {
    static ROOTS: OnceLock<Vec<Certificate<'static>>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        found
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

/// Answers every question with the addresses that were allowed.
#[derive(Debug)]
struct Pinned {
    addresses: Vec<IpAddr>,
    port: u16,
}

impl Resolver for Pinned {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        const MOST_ADDRESSES: usize = 16;
        let mut found = self.empty();
        for address in self.addresses.iter().take(MOST_ADDRESSES) {
            found.push(SocketAddr::new(*address, self.port));
        }
        if found.is_empty() { Err(Error::HostNotFound) } else { Ok(found) }
    }
}
