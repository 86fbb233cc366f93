//! Text encoding for the server: no NUL characters, and names short enough for an index.

use std::borrow::Cow;
use std::error::Error;

use ::postgres::types::private::BytesMut;
use ::postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// Longer names are stored as a prefix and a hash.
const MAX_NAME_BYTES: usize = 1_000;
const PREFIX_BYTES: usize = 900;

/// A text that is stored, not looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

/// A text that is looked up through an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a>(pub(super) &'a str);

impl ToSql for Text<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        without_nul(self.0).as_ref().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl ToSql for Name<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        shortened(&without_nul(self.0)).as_ref().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

/// Returns a text as it is stored.
pub(super) fn stored(text: &str) -> String {
    without_nul(text).into_owned()
}

/// Returns a name as it is stored.
pub(super) fn name(text: &str) -> String {
    shortened(&without_nul(text)).into_owned()
}

/// Wraps the texts of a list.
pub(super) fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<Text<'a>> {
    all.into_iter().map(Text).collect()
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{2400}")) } else { text.into() }
}

fn shortened(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return name.into();
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let prefix = forebay_text::cut::prefix(name, PREFIX_BYTES);
    Cow::Owned(format!("{prefix}~{}", &hash[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_distinct_and_fit_an_index() {
        let long = |end: &str| "ä".repeat(2_000) + end;
        let (one, other) = (long("1"), long("2"));
        assert_ne!(shortened(&one), shortened(&other));
        assert!(shortened(&one).len() <= MAX_NAME_BYTES);
        assert_eq!(shortened("short"), "short");
        assert_eq!(without_nul("a\0b"), "a\u{2400}b");
    }
}
