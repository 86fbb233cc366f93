//! Positions in a settings file, for errors.

use toml_edit::{Document, Item};

/// `line:column` of a setting; of the innermost part of its key that the text has.
pub(super) fn of_key(text: &str, key: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let mut item: &Item = document.as_item();
    let mut offset = None;
    for part in key.split('.') {
        // An item of a list is named `keep[1]`; the list has the position.
        let part = part.split('[').next().unwrap_or(part);
        let Some((name, value)) = item.as_table_like().and_then(|table| table.get_key_value(part))
        else {
            break;
        };
        offset = name.span().map(|span| span.start).or(offset);
        item = value;
    }
    offset.map(|offset| of_offset(text, offset))
}

/// `line:column` of a byte, both from 1.
pub(super) fn of_offset(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    format!("{line}:{}", before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_in_every_layout() {
        let text =
            "# é\n[digest]\nbudget = 1\n\n[a]\n  b = { c = 2 }\n[recognizers.x]\nkeep = ['(']\n";
        assert_eq!(of_key(text, "digest.budget").as_deref(), Some("3:1"));
        assert_eq!(of_key(text, "digest.none").as_deref(), Some("2:2"));
        assert_eq!(of_key(text, "a.b.c").as_deref(), Some("6:9"));
        assert_eq!(of_key(text, "recognizers.x.keep[0]").as_deref(), Some("8:1"));
        assert_eq!(of_key("digest.budget = 1", "digest.budget").as_deref(), Some("1:8"));
        assert_eq!(of_key(text, "get.budget"), None);
    }
}
