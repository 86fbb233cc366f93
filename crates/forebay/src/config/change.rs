//! Changes one setting in the text of a settings file; comments and layout stay.

use toml::Value;
use toml_edit::{DocumentMut, Item, Table};

/// Sets `section.name` to a value. The text must be valid TOML.
pub(super) fn set(text: &str, key: &str, value: &Value) -> Option<String> {
    let (section, name) = key.split_once('.')?;
    let mut document: DocumentMut = text.parse().ok()?;
    let table = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut()?;
    let mut new: toml_edit::Value = value.to_string().parse().ok()?;
    if let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) {
        // The decor has the spaces around the value and the comment behind it.
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        table.insert(name, Item::Value(new));
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, key: &str, value: impl Into<Value>, expect: &str) {
        assert_eq!(set(text, key, &value.into()).as_deref(), Some(expect));
    }

    #[test]
    fn comments_and_layout_stay() {
        check(
            "# mine\n[digest] # here\nbudget   = 1 # small\n\n[get]\nbudget = 2\n",
            "digest.budget",
            300,
            "# mine\n[digest] # here\nbudget   = 300 # small\n\n[get]\nbudget = 2\n",
        );
        check(
            "[digest]\nbudget = 1\n",
            "digest.verbatim",
            2,
            "[digest]\nbudget = 1\nverbatim = 2\n",
        );
        check("digest.budget = 1 # x\n", "digest.budget", 2, "digest.budget = 2 # x\n");
        check("digest = { budget = 1 }\n", "digest.budget", 2, "digest = { budget = 2 }\n");
    }

    #[test]
    fn missing_sections_are_added() {
        check("", "team.project", "a \"b\"", "[team]\nproject = 'a \"b\"'\n");
        check(
            "[get]\nbudget = 2\n",
            "isolation.deny",
            vec!["/a", "b"],
            "[get]\nbudget = 2\n\n[isolation]\ndeny = [\"/a\", \"b\"]\n",
        );
    }
}
