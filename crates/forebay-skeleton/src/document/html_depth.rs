//! How deep the elements of an HTML text nest, told by a glance.
//!
//! The grammar's scanner keeps the open elements and copies them all at each token, which no bound on the parser's
//! steps sees. So the text is looked at before.

/// Elements that end by themselves, or where the next of their kind begins.
const END_THEMSELVES: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// What stands in them is no element.
const RAW: &[&str] = &["script", "style"];

/// The most elements that are open at once.
pub(super) fn deepest(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut open, mut most, mut at) = (0_usize, 0, 0);
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes.get(at) == Some(&b'/') {
            open = open.saturating_sub(1);
            continue;
        }
        let name = name_at(text, at);
        if RAW.contains(&name.as_str()) {
            let end = text[at..].find("</").unwrap_or(text.len() - at);
            at += end + 1;
        } else if !name.is_empty() && !END_THEMSELVES.contains(&name.as_str()) {
            open += 1;
            most = most.max(open);
        }
    }
    most
}

/// The name of an element that begins here, in lower case.
fn name_at(text: &str, at: usize) -> String {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let length =
        rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let name = &rest[..length];
    if !name.first().is_some_and(u8::is_ascii_alphabetic) {
        return String::new();
    }
    String::from_utf8_lossy(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn open_elements_are_counted() {
        assert_eq!(deepest("<div><p>one<p>two<br></div><div>a < b</div>"), 1);
        assert_eq!(deepest("<A><b><I>x</I></b></A><u>"), 3);
        assert_eq!(deepest("<script>if (a<b && c<d) {}</script><i>"), 1);
        assert_eq!(deepest(&"<div>".repeat(2_000)), 2_000);
        assert_eq!(deepest(&"<td>one\n".repeat(2_000)), 0);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[<>/a-cé!\\- \n]{0,60}|<script>.{0,20}") {
            deepest(&text);
        }
    }
}
