//! Identifying fields of a record: its id, its name.

use super::json::Members;
use crate::cut;

const FIELDS: &[&str] =
    &["id", "name", "title", "key", "slug", "path", "url", "email", "type", "kind", "version"];
/// Fields of a record that are inspected.
const MAX_INSPECTED: usize = 40;
const MAX_FIELDS: usize = 3;
const MAX_VALUE_BYTES: usize = 60;

/// Whether a field of this name identifies a record.
pub(super) fn is_identifying(name: &str) -> bool {
    FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name))
}

/// `id=7 name=Ada` for the JSON object at offset `at`; empty if it has no such fields.
pub(super) fn json_identity(text: &str, at: usize) -> String {
    let fields = Members::new(text, at).take(MAX_INSPECTED).filter_map(|member| {
        let name = &text[member.key.clone()?];
        let value = text.get(member.value.clone())?;
        let is_plain = !value.starts_with(['{', '[']) && value.len() <= MAX_VALUE_BYTES;
        (is_plain && is_identifying(name)).then(|| format!("{name}={}", value.trim_matches('"')))
    });
    let fields: Vec<String> = fields.take(MAX_FIELDS).collect();
    cut::one_line(&fields.join(" "), 2 * MAX_VALUE_BYTES)
}
