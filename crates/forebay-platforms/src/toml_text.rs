//! Settings of Forebay in the text of a TOML file: changes that keep comments and layout, and positions for errors.

use toml_edit::{Document, DocumentMut, Item, Table};

/// Sets `section.name` to a value, given as TOML. None if a text is not TOML or the section is not a table.
pub fn set(text: &str, key: &str, value: &str) -> Option<String> {
    let (section, name) = key.split_once('.')?;
    let mut document: DocumentMut = text.parse().ok()?;
    let table = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut()?;
    let mut new: toml_edit::Value = value.parse().ok()?;
    if let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) {
        // The decor has the spaces around the value and the comment behind it.
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        table.insert(name, Item::Value(new));
    }
    let new = document.to_string();
    // The parser reads CRLF and writes LF.
    let has_crlf = text.contains("\r\n");
    Some(if has_crlf { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new })
}

/// `line:column` of a setting; of the innermost part of its key that the text has.
pub fn position_of_key(text: &str, key: &str) -> Option<String> {
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
    offset.map(|offset| position_of_offset(text, offset))
}

/// `line:column` of a byte, both from 1.
pub fn position_of_offset(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    format!("{line}:{}", before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, key: &str, value: &str, expect: &str) {
        assert_eq!(set(text, key, value).as_deref(), Some(expect));
    }

    #[test]
    fn line_endings_stay() {
        check(
            "# mine\r\n[digest]\r\nbudget = 1\r\n",
            "digest.verbatim",
            "2",
            "# mine\r\n[digest]\r\nbudget = 1\r\nverbatim = 2\r\n",
        );
    }

    #[test]
    fn comments_and_layout_stay() {
        check(
            "# mine\n[digest] # here\nbudget   = 1 # small\n\n[get]\nbudget = 2\n",
            "digest.budget",
            "300",
            "# mine\n[digest] # here\nbudget   = 300 # small\n\n[get]\nbudget = 2\n",
        );
        check(
            "[digest]\nbudget = 1\n",
            "digest.verbatim",
            "2",
            "[digest]\nbudget = 1\nverbatim = 2\n",
        );
        check("digest.budget = 1 # x\n", "digest.budget", "2", "digest.budget = 2 # x\n");
        check("digest = { budget = 1 }\n", "digest.budget", "2", "digest = { budget = 2 }\n");
    }

    #[test]
    fn missing_sections_are_added() {
        check("", "team.project", "'a \"b\"'", "[team]\nproject = 'a \"b\"'\n");
        check(
            "[get]\nbudget = 2\n",
            "isolation.deny",
            r#"["/a", "b"]"#,
            "[get]\nbudget = 2\n\n[isolation]\ndeny = [\"/a\", \"b\"]\n",
        );
    }

    #[test]
    fn finds_keys_in_every_layout() {
        let text =
            "# é\n[digest]\nbudget = 1\n\n[a]\n  b = { c = 2 }\n[recognizers.x]\nkeep = ['(']\n";
        assert_eq!(position_of_key(text, "digest.budget").as_deref(), Some("3:1"));
        assert_eq!(position_of_key(text, "digest.none").as_deref(), Some("2:2"));
        assert_eq!(position_of_key(text, "a.b.c").as_deref(), Some("6:9"));
        assert_eq!(position_of_key(text, "recognizers.x.keep[0]").as_deref(), Some("8:1"));
        assert_eq!(position_of_key("digest.budget = 1", "digest.budget").as_deref(), Some("1:8"));
        assert_eq!(position_of_key(text, "get.budget"), None);
    }
}
