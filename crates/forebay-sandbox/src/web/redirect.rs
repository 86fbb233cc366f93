//! Resolves the target of a redirect.

use url::Url;

/// Resolves the location `to` against the URL `base`; returns `None` unless the result is another HTTP URL.
///
/// The parser would repair blanks, control characters and backslashes, which other parsers read differently;
/// a location with any of these is rejected.
pub(super) fn resolve(base: &str, to: &str) -> Option<String> {
    let is_ambiguous = to.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    if is_ambiguous || to.is_empty() || to.starts_with('#') {
        return None;
    }
    let mut url = Url::parse(base).ok()?.join(to).ok()?;
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_locations_against_the_page() {
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
            ("mailto:a@b.example", None),
            ("", None),
            ("#part", None),
        ] {
            assert_eq!(resolve(base, to).as_deref(), expect, "{to}");
        }
        assert_eq!(resolve("http://a.example", "x").as_deref(), Some("http://a.example/x"));
    }

    #[test]
    fn rejects_ambiguous_locations() {
        for to in ["http://a.example\\@b.example/", "/a b", "/a\tb", "http://a.example\n.b/"] {
            assert_eq!(resolve("http://a.example/", to), None, "{to:?}");
        }
    }

    #[test]
    fn normalizes_addresses_for_the_policy() {
        for to in ["http://0x7f.1/", "http://2130706433/", "http://127.0.0.%31/", "//0177.0.0.1"] {
            let resolved = resolve("http://a.example/", to);
            assert_eq!(resolved.as_deref(), Some("http://127.0.0.1/"), "{to}");
        }
    }
}
