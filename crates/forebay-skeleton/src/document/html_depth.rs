//! Estimates the nesting depth of HTML without parsing it.
//!
//! The grammar's scanner copies the stack of open elements at each token, which the bound on parser steps does not
//! cover. So the depth is checked first.

/// Void elements, and elements whose end tag is optional.
const VOID_OR_OPTIONAL_END: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// Elements whose content is not markup.
const RAW_TEXT: &[&str] = &["script", "style"];

/// Returns the largest number of elements that are open at the same time.
pub(super) fn max_element_depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut open, mut max, mut at) = (0_usize, 0, 0);
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes.get(at) == Some(&b'/') {
            open = open.saturating_sub(1);
            continue;
        }
        let name = element_name_at(text, at);
        if RAW_TEXT.contains(&name.as_str()) {
            let end = text[at..].find("</").unwrap_or(text.len() - at);
            at += end + 1;
        } else if !name.is_empty() && !VOID_OR_OPTIONAL_END.contains(&name.as_str()) {
            open += 1;
            max = max.max(open);
        }
    }
    max
}

/// Returns the element name at an offset, in lower case.
fn element_name_at(text: &str, at: usize) -> String {
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
        assert_eq!(max_element_depth("<div><p>one<p>two<br></div><div>a < b</div>"), 1);
        assert_eq!(max_element_depth("<A><b><I>x</I></b></A><u>"), 3);
        assert_eq!(max_element_depth("<script>if (a<b && c<d) {}</script><i>"), 1);
        assert_eq!(max_element_depth(&"<div>".repeat(2_000)), 2_000);
        assert_eq!(max_element_depth(&"<td>one\n".repeat(2_000)), 0);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[<>/a-cé!\\- \n]{0,60}|<script>.{0,20}") {
            max_element_depth(&text);
        }
    }
}
