//! Texts as the server takes them: it has no NUL character, and an index holds no long name.

use std::borrow::Cow;
use std::error::Error;

use ::postgres::types::private::BytesMut;
use ::postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A name beyond this is kept by its beginning and its hash.
const NAME_BYTES: usize = 1_000;
const BEGINNING_BYTES: usize = 900;

/// A text that is only kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

/// A text by which something is found.
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

/// A text as it is kept.
pub(super) fn kept(text: &str) -> String {
    without_nul(text).into_owned()
}

/// A name as it is kept.
pub(super) fn name(text: &str) -> String {
    shortened(&without_nul(text)).into_owned()
}

/// The texts of a list.
pub(super) fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<Text<'a>> {
    all.into_iter().map(Text).collect()
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{2400}")) } else { text.into() }
}

fn shortened(name: &str) -> Cow<'_, str> {
    if name.len() <= NAME_BYTES {
        return name.into();
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let beginning = forebay_text::cut::prefix(name, BEGINNING_BYTES);
    Cow::Owned(format!("{beginning}~{}", &hash[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_told_apart_and_fit_an_index() {
        let long = |end: &str| "ä".repeat(2_000) + end;
        let (one, other) = (long("1"), long("2"));
        assert_ne!(shortened(&one), shortened(&other));
        assert!(shortened(&one).len() <= NAME_BYTES);
        assert_eq!(shortened("short"), "short");
        assert_eq!(without_nul("a\0b"), "a\u{2400}b");
    }
}
