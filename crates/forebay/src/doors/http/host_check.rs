//! Host and Origin checks, against DNS rebinding and cross-site requests.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, header};
use forebay_app::AppError;
use forebay_app::settings::Serve;

#[derive(Debug, Clone)]
pub(in crate::doors) struct HostCheck {
    names: Vec<String>,
    origins: Vec<String>,
}

impl HostCheck {
    pub(in crate::doors) fn new(settings: &Serve) -> Result<Self, AppError> {
        if let Some(bad) = settings.origins.iter().find(|origin| !is_origin(origin)) {
            return Err(AppError::bad_input(
                format!("`{bad}` is not an origin"),
                "give scheme and host only: https://app.example.org",
            ));
        }
        let lower = |list: &[String]| list.iter().map(|word| word.to_lowercase()).collect();
        Ok(Self { names: lower(&settings.hosts), origins: lower(&settings.origins) })
    }

    /// The authority of a request, if its host name is known.
    ///
    /// Any IP address is accepted: unlike a name, it cannot be rebound.
    pub(in crate::doors) fn authority<'a>(
        &self,
        headers: &'a HeaderMap,
        uri: &'a Uri,
    ) -> Option<&'a str> {
        let mut given = headers.get_all(header::HOST).iter();
        let (host, further) = (given.next(), given.next());
        if further.is_some() {
            return None;
        }
        let authority = match (host, uri.authority()) {
            (Some(host), None) => host.to_str().ok()?,
            (None, Some(authority)) => authority.as_str(),
            (Some(host), Some(authority)) if host.as_bytes() == authority.as_str().as_bytes() => {
                authority.as_str()
            }
            _ => return None,
        };
        let name = name_of(authority)?.to_lowercase();
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let is_listed = self.names.iter().any(|known| *known == name || *known == authority);
        (is_address || name == "localhost" || is_listed).then_some(authority)
    }

    /// Whether the Origin of a request is allowed; non-browsers send none.
    pub(in crate::doors) fn allows_origin(&self, headers: &HeaderMap, authority: &str) -> bool {
        let mut given = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = given.next() else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        let origin = origin.to_lowercase();
        let is_own = origin
            .split_once("://")
            .is_some_and(|(scheme, rest)| scheme.starts_with("http") && rest == authority);
        given.next().is_none() && (is_own || self.origins.contains(&origin))
    }

    /// The origin of a request, if its pages may read the answer (CORS).
    pub(super) fn shared_with(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        let is_listed = |text: &str| self.origins.contains(&text.to_lowercase());
        origin.to_str().is_ok_and(is_listed).then(|| origin.clone())
    }
}

/// The host of `host:port`.
fn name_of(authority: &str) -> Option<&str> {
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    if let Some(end) = authority.strip_prefix('[').and_then(|rest| rest.find(']')) {
        let (name, rest) = authority.split_at(end + 2);
        let is_fine = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return is_fine.then_some(name);
    }
    match authority.split_once(':') {
        Some((name, port)) => is_port(port).then_some(name),
        None => Some(authority),
    }
}

fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.contains('/') && name_of(rest).is_some_and(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> HostCheck {
        let (names, origins) = (["mem.example.org"], ["https://app.example.org"]);
        HostCheck {
            names: names.map(str::to_owned).into(),
            origins: origins.map(str::to_owned).into(),
        }
    }

    #[track_caller]
    fn check_host(host: &str, expect: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        let uri = Uri::from_static("/health");
        assert_eq!(hosts().authority(&headers, &uri).is_some(), expect, "{host}");
    }

    #[test]
    fn rejects_unknown_host_names() {
        for own in ["localhost", "localhost:7878", "127.0.0.1:7878", "[::1]:7878", "10.0.0.7"] {
            check_host(own, true);
        }
        check_host("mem.example.org", true);
        check_host("MEM.example.org:443", true);
        for foreign in
            ["evil.example", "localhost.evil.example", "localhost:x", "[::1", "", "a:b:c"]
        {
            check_host(foreign, false);
        }
    }

    #[test]
    fn requires_exactly_one_host() {
        let uri = Uri::from_static("/health");
        assert!(hosts().authority(&HeaderMap::new(), &uri).is_none());
        let mut two = HeaderMap::new();
        two.append(header::HOST, "localhost".parse().unwrap());
        two.append(header::HOST, "evil.example".parse().unwrap());
        assert!(hosts().authority(&two, &uri).is_none());
    }

    #[track_caller]
    fn check_origin(origin: &str, expect: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, origin.parse().unwrap());
        assert_eq!(hosts().allows_origin(&headers, "localhost:7878"), expect, "{origin}");
    }

    #[test]
    fn rejects_foreign_origins() {
        assert!(hosts().allows_origin(&HeaderMap::new(), "localhost:7878"));
        check_origin("http://localhost:7878", true);
        check_origin("https://app.example.org", true);
        for foreign in ["null", "http://localhost:3000", "https://evil.example", "http://localhost"]
        {
            check_origin(foreign, false);
        }
    }

    #[test]
    fn validates_origins() {
        for good in ["https://a.example", "http://localhost:3000"] {
            assert!(is_origin(good), "{good}");
        }
        for bad in ["*", "a.example", "https://a.example/", "ftp://a", "https://"] {
            assert!(!is_origin(bad), "{bad}");
        }
    }
}
