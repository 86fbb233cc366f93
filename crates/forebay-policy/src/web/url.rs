//! The host of a URL, read strictly: what two readers could read differently is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host in the one spelling that rules are laid beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// Lower case, without a trailing dot.
    Name(String),
    Address(IpAddr),
}

/// Why a URL is not fetched at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadUrl {
    #[error("only http and https are fetched")]
    Scheme,
    #[error("the URL holds blanks, control characters or backslashes")]
    Characters,
    #[error("the URL has no host, or one that cannot be read in one way only")]
    Host,
    #[error("the host has characters beyond ASCII; write it in its xn-- form")]
    Unicode,
}

impl Host {
    /// Finds the host of an http or https URL.
    pub(crate) fn of_url(url: &str) -> Result<Self, BadUrl> {
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

    /// Reads a host alone.
    pub(crate) fn parse(text: &str) -> Result<Self, BadUrl> {
        if !text.is_ascii() {
            return Err(BadUrl::Unicode);
        }
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or(BadUrl::Host)?;
            // A zone (`fe80::1%eth0`) names an interface of this machine, and does not parse.
            let address: Ipv6Addr = inner.parse().map_err(|_| BadUrl::Host)?;
            return Ok(Self::Address(IpAddr::V6(address)));
        }
        let name = text.to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        if ends_in_number(name) {
            return legacy_v4(name).map(|v4| Self::Address(IpAddr::V4(v4))).ok_or(BadUrl::Host);
        }
        if is_name(name) { Ok(Self::Name(name.to_owned())) } else { Err(BadUrl::Host) }
    }

    /// The spelling that rules are laid beside.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Address(address) => address.to_canonical().to_string(),
        }
    }

    /// Names that mean this machine whatever a resolver says.
    pub(crate) fn is_localhost(&self) -> bool {
        matches!(self, Self::Name(name) if name == "localhost" || name.ends_with(".localhost"))
    }
}

fn without_port(text: &str) -> Result<&str, BadUrl> {
    let end = text.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = text[end..].find(':') else { return Ok(text) };
    let port = &text[end + colon + 1..];
    let is_port = port.len() <= 5 && port.chars().all(|c| c.is_ascii_digit());
    if is_port { Ok(&text[..end + colon]) } else { Err(BadUrl::Host) }
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    name.len() <= 253 && name.split('.').all(label)
}

/// Such a host is an address to every resolver, or an error.
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_hex =
        last.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
    !last.is_empty() && (is_hex || last.chars().all(|c| c.is_ascii_digit()))
}

/// Reads `127.1`, `0x7f.1`, `0177.0.0.1` and `2130706433` as `inet_aton` does.
fn legacy_v4(name: &str) -> Option<Ipv4Addr> {
    let numbers: Vec<u64> = name.split('.').map(legacy_number).collect::<Option<_>>()?;
    let (last, leading) = numbers.split_last()?;
    if leading.len() > 3 || leading.iter().any(|number| *number > 255) {
        return None;
    }
    let room = 8 * (4 - leading.len() as u32);
    if *last >= 1_u64 << room {
        return None;
    }
    let high = leading.iter().fold(0_u64, |bits, number| bits << 8 | number);
    u32::try_from(high << room | last).ok().map(Ipv4Addr::from_bits)
}

fn legacy_number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some("") => ("0", 16),
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: Result<&str, BadUrl>) {
        assert_eq!(Host::of_url(url).map(|host| host.text()), expect.map(str::to_owned), "{url}");
    }

    #[test]
    fn hosts_have_one_spelling() {
        check("https://Example.COM./x", Ok("example.com"));
        check("http://user:pw@example.com:8080?q", Ok("example.com"));
        check("http://good.com@evil.com/", Ok("evil.com"));
        check("http://2130706433/", Ok("127.0.0.1"));
        check("http://0x7f000001/", Ok("127.0.0.1"));
        check("http://0177.0.0.1/", Ok("127.0.0.1"));
        check("http://127.1/", Ok("127.0.0.1"));
        check("http://[::ffff:127.0.0.1]/", Ok("127.0.0.1"));
        check("http://[::1]:80/", Ok("::1"));
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        check("http://good.com\\@evil.com/", Err(BadUrl::Characters));
        check("http://evil.com\0.good.com/", Err(BadUrl::Characters));
        check("http://a@b@c/", Err(BadUrl::Host));
        check("http://good.com%2eevil.com/", Err(BadUrl::Host));
        check("http://[fe80::1%25eth0]/", Err(BadUrl::Host));
        check("http://1.2.3.4.5/", Err(BadUrl::Host));
        check("http://999.1.1.1/", Err(BadUrl::Host));
        check("http://bücher.de/", Err(BadUrl::Unicode));
        check("http:///x", Err(BadUrl::Host));
        check("http://a:80:90/", Err(BadUrl::Host));
        check("file:///etc/passwd", Err(BadUrl::Scheme));
        check("example.com", Err(BadUrl::Scheme));
    }
}
