//! The host of a URL, parsed strictly: what two parsers could read differently is refused.

use std::net::IpAddr;

/// A host in the canonical spelling that rules match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// Lower case, without a trailing dot.
    Name(String),
    Address(IpAddr),
}

/// Why a URL is not fetched at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadUrl {
    #[error("only http and https URLs can be fetched")]
    Scheme,
    #[error("the URL contains whitespace, control characters or backslashes")]
    Characters,
    #[error("the URL has no host, or an ambiguous one")]
    Host,
    #[error("the port is not between 1 and 65535")]
    Port,
    #[error("port {0} belongs to another protocol than HTTP")]
    OtherProtocol(u16),
}

/// Ports that no browser connects to, sorted: what listens there would take an HTTP request for its own protocol. From the
/// Fetch standard, "bad port".
const OTHER_PROTOCOLS: &[u16] = &[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
];

/// The full stops that separate labels in any spelling.
pub(super) const IS_DOT: [char; 4] = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'];

impl Host {
    /// Extracts the host of an http or https URL.
    pub(crate) fn from_url(url: &str) -> Result<Self, BadUrl> {
        if url.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(BadUrl::Characters);
        }
        let (scheme, rest) = url.split_once("://").ok_or(BadUrl::Scheme)?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(BadUrl::Scheme);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host_and_port = match authority.split_once('@') {
            Some((_, after)) if after.contains('@') => return Err(BadUrl::Host),
            Some((_, after)) => after,
            None => authority,
        };
        Self::parse(without_port(host_and_port)?)
    }

    /// Parses a bare host. Unicode spellings become the ASCII form that a client connects to (UTS 46).
    pub(crate) fn parse(text: &str) -> Result<Self, BadUrl> {
        // Percent-encoded hosts are decoded by some clients only.
        if text.contains('%') {
            return Err(BadUrl::Host);
        }
        let host = text.strip_suffix(IS_DOT).unwrap_or(text);
        match url::Host::parse(host).map_err(|_| BadUrl::Host)? {
            url::Host::Ipv4(address) => Ok(Self::Address(IpAddr::V4(address))),
            url::Host::Ipv6(address) => Ok(Self::Address(IpAddr::V6(address))),
            url::Host::Domain(name) if is_name(&name) => Ok(Self::Name(name)),
            url::Host::Domain(_) => Err(BadUrl::Host),
        }
    }

    /// The canonical spelling that rules match.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Address(address) => address.to_canonical().to_string(),
        }
    }

    /// Names that denote this machine whatever a resolver says.
    pub(crate) fn is_localhost(&self) -> bool {
        matches!(self, Self::Name(name) if name == "localhost" || name.ends_with(".localhost"))
    }
}

fn without_port(text: &str) -> Result<&str, BadUrl> {
    let end = text.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = text[end..].find(':') else { return Ok(text) };
    let port = &text[end + colon + 1..];
    if !port.chars().all(|c| c.is_ascii_digit()) {
        return Err(BadUrl::Host);
    }
    check_port(port)?;
    Ok(&text[..end + colon])
}

/// An empty port is the default one.
fn check_port(digits: &str) -> Result<(), BadUrl> {
    if digits.is_empty() {
        return Ok(());
    }
    let port: u16 = digits.parse().ok().filter(|port| *port > 0).ok_or(BadUrl::Port)?;
    match OTHER_PROTOCOLS.binary_search(&port) {
        Ok(_) => Err(BadUrl::OtherProtocol(port)),
        Err(_) => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    name.len() <= 253 && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: Result<&str, BadUrl>) {
        assert_eq!(Host::from_url(url).map(|host| host.text()), expect.map(str::to_owned), "{url}");
    }

    #[test]
    fn canonicalizes_hosts() {
        check("https://Example.COM./x", Ok("example.com"));
        check("http://user:pw@example.com:8080?q", Ok("example.com"));
        check("http://good.com@evil.com/", Ok("evil.com"));
        check("http://2130706433/", Ok("127.0.0.1"));
        check("http://0x7f000001/", Ok("127.0.0.1"));
        check("http://0177.0.0.1/", Ok("127.0.0.1"));
        check("http://127.1/", Ok("127.0.0.1"));
        check("http://[::ffff:127.0.0.1]/", Ok("127.0.0.1"));
        check("http://[::1]:80/", Ok("::1"));
        check("http://bücher.de/", Ok("xn--bcher-kva.de"));
        check("http://XN--BCHER-KVA.de/", Ok("xn--bcher-kva.de"));
        check("http://bu\u{308}cher.de/", Ok("xn--bcher-kva.de"));
        check("http://ＥＶＩＬ。com/", Ok("evil.com"));
        check("http://１２７.0.0.1/", Ok("127.0.0.1"));
    }

    #[test]
    fn refuses_ambiguous_urls() {
        check("http://good.com\\@evil.com/", Err(BadUrl::Characters));
        check("http://evil.com\0.good.com/", Err(BadUrl::Characters));
        check("http://a@b@c/", Err(BadUrl::Host));
        check("http://good.com%2eevil.com/", Err(BadUrl::Host));
        check("http://[fe80::1%25eth0]/", Err(BadUrl::Host));
        check("http://1.2.3.4.5/", Err(BadUrl::Host));
        check("http://999.1.1.1/", Err(BadUrl::Host));
        check("http://xn--zzzzzzzz.de\u{200d}/", Err(BadUrl::Host));
        check("http://good.com／evil.com/", Err(BadUrl::Host));
        check("http:///x", Err(BadUrl::Host));
        check("http://a:80:90/", Err(BadUrl::Host));
        check("http://a:0/", Err(BadUrl::Port));
        check("http://a:65536/", Err(BadUrl::Port));
        check("http://a:99999999999/", Err(BadUrl::Port));
        check("http://a:25/", Err(BadUrl::OtherProtocol(25)));
        check("http://a:00025/", Err(BadUrl::OtherProtocol(25)));
        check("https://[::1]:6667/", Err(BadUrl::OtherProtocol(6667)));
        check("http://a:/", Ok("a"));
        check("http://a:65535/", Ok("a"));
        check("file:///etc/passwd", Err(BadUrl::Scheme));
        check("example.com", Err(BadUrl::Scheme));
    }
}
