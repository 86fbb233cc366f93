//! Where a redirect leads, seen from where it was found.

/// The URL that `to` means on the page `base`; none where it means none over HTTP.
pub(super) fn join(base: &str, to: &str) -> Option<String> {
    let to = to.split('#').next().unwrap_or_default();
    if let Some((scheme, _)) = to.split_once("://")
        && scheme.chars().all(|c| c.is_ascii_alphanumeric())
    {
        let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        return is_http.then(|| to.to_owned());
    }
    let (scheme, rest) = base.split_once("://")?;
    if let Some(elsewhere) = to.strip_prefix("//") {
        return Some(format!("{scheme}://{elsewhere}"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let joined = match to.chars().next() {
        None => return None,
        Some('/') => without_dots(to),
        Some('?') => format!("{}{to}", if path.is_empty() { "/" } else { path }),
        // `mailto:` and the like are no paths.
        Some(_) if to.split(['/', '?']).next().is_some_and(|first| first.contains(':')) => {
            return None;
        }
        Some(_) => {
            let folder = path.rfind('/').map_or("/", |slash| &path[..=slash]);
            without_dots(&format!("{folder}{to}"))
        }
    };
    Some(format!("{scheme}://{authority}{joined}"))
}

/// A path without `.` and `..`; what stands after a question mark stays.
fn without_dots(path: &str) -> String {
    let end = path.find('?').unwrap_or(path.len());
    let (path, query) = path.split_at(end);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        // It names a folder.
        parts.push("");
    }
    format!("/{}{query}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_seen_from_its_page() {
        let base = "https://a.example:8443/docs/guide/index.html?x=1";
        for (to, expect) in [
            ("http://b.example/x#y", Some("http://b.example/x")),
            ("//c.example/x", Some("https://c.example/x")),
            ("/top", Some("https://a.example:8443/top")),
            ("next.html?p=2", Some("https://a.example:8443/docs/guide/next.html?p=2")),
            ("../x/./y", Some("https://a.example:8443/docs/x/y")),
            ("../../../..", Some("https://a.example:8443/")),
            ("?p=2", Some("https://a.example:8443/docs/guide/index.html?p=2")),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("", None),
        ] {
            assert_eq!(join(base, to).as_deref(), expect, "{to}");
        }
        assert_eq!(join("http://a.example", "x").as_deref(), Some("http://a.example/x"));
    }
}
