//! Builds SQL conditions with their values, joined by AND.

use rusqlite::types::Value;

/// SQL that follows a WHERE clause, and the values of its placeholders.
#[derive(Default, Clone)]
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition with as many `?` as there are values.
    pub(super) fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    /// Adds a condition on a text, if given.
    pub(super) fn add_text(&mut self, condition: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add(condition, [Value::from(text.to_owned())]);
        }
    }

    /// Adds that a column is one of these texts, if there are any.
    pub(super) fn add_one_of<'a>(&mut self, column: &str, texts: impl Iterator<Item = &'a str>) {
        let values: Vec<Value> = texts.map(|text| Value::from(text.to_owned())).collect();
        if !values.is_empty() {
            let marks = vec!["?"; values.len()].join(", ");
            self.add(&format!("{column} IN ({marks})"), values);
        }
    }
}
