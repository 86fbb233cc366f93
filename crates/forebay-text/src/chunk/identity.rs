//! What tells one record from the others: its id, its name.

use super::json::Members;
use crate::cut;

const FIELDS: &[&str] =
    &["id", "name", "title", "key", "slug", "path", "url", "email", "type", "kind", "version"];
/// So many fields of a record are looked at.
const LOOKED_AT: usize = 40;
const MOST_FIELDS: usize = 3;
const MOST_VALUE_BYTES: usize = 60;

/// Whether a field of this name tells what a record is.
pub(super) fn is_field(name: &str) -> bool {
    FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name))
}

/// `id=7 name=Ada` for the JSON object that begins at `at`; empty where it has no such fields.
pub(super) fn of_json(text: &str, at: usize) -> String {
    let told = Members::of(text, at).take(LOOKED_AT).filter_map(|member| {
        let name = &text[member.key.clone()?];
        let value = text.get(member.value.clone())?;
        let is_plain = !value.starts_with(['{', '[']) && value.len() <= MOST_VALUE_BYTES;
        (is_plain && is_field(name)).then(|| format!("{name}={}", value.trim_matches('"')))
    });
    let told: Vec<String> = told.take(MOST_FIELDS).collect();
    cut::one_line(&told.join(" "), 2 * MOST_VALUE_BYTES)
}
