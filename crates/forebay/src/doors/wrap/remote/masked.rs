//! Texts for people, without what may be secret in the URLs in them.

const MASK: &str = "***";

/// The text with user names, passwords and queries of URLs masked: some servers take a token there.
pub(super) fn mask_urls(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + "://".len());
        masked.push_str(before);
        let end = after.find(is_delimiter).unwrap_or(after.len());
        mask_address(&after[..end], &mut masked);
        rest = &after[end..];
    }
    masked.push_str(rest);
    masked
}

/// Appends what follows the scheme of a URL.
fn mask_address(address: &str, masked: &mut String) {
    let end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let (authority, path) = address.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => masked.extend([MASK, "@", host]),
        None => masked.push_str(authority),
    }
    match path.split_once('?') {
        Some((path, _)) => masked.extend([path, "?", MASK]),
        None => masked.push_str(path),
    }
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(mask_urls(text), expect);
    }

    #[test]
    fn secrets_of_urls_are_masked_wherever_they_are() {
        check("https://u:p@a.example/mcp is gone", "https://***@a.example/mcp is gone");
        check("`https://token@a.example` and", "`https://***@a.example` and");
        check("http://a/x?api_key=k&y=1: refused", "http://a/x?*** refused");
        check("from http://a/?k to https://b/c?k#x", "from http://a/?*** to https://b/c?***");
        check("http://u:p@ss/w@a.example", "http://***@ss/w@a.example");
    }

    #[test]
    fn other_texts_stay() {
        for text in ["", "no URL?", "http://127.0.0.1:9/mcp: refused", "://", "mail a@b.example"] {
            check(text, text);
        }
    }
}
