//! Query strings, parsed leniently: malformed escapes are kept as they are.

use form_urlencoded::parse;

/// Names and values, in order.
pub(super) fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_escapes_and_keeps_malformed_ones() {
        let read = |query| {
            pairs(Some(query)).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        let check = |query, expect: &[&str]| {
            let found: Vec<String> = read(query);
            assert_eq!(found, expect, "{query}");
        };
        check("a=1&b=x%20y+z&&c", &["a=1", "b=x y z", "c="]);
        check("a=%zz&b=%&c=%e4%", &["a=%zz", "b=%", "c=\u{fffd}%"]);
        check("p=a%2Fb%C3%A4", &["p=a/bä"]);
        assert!(pairs(None).is_empty());
    }
}
