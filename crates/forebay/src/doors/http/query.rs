//! A query string, read however it is written: what cannot be decoded stays as it is.

/// Names and values, in order.
pub(super) fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    let parts = query.unwrap_or_default().split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let escaped = (*byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten().and_then(hex);
        plain.push(escaped.unwrap_or(if *byte == b'+' { b' ' } else { *byte }));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(digits[0])? * 16 + digit(digits[1])?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_read_and_what_is_broken_stays() {
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
