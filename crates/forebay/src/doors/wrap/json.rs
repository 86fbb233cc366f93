//! JSON values as they are written: an object's members and a list's items as pieces of the text.
//!
//! A proxy that decodes and encodes a message changes it: the order of keys, the digits of a number, an escape. Only
//! values that are replaced are written anew.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The members of an object, in order.
#[derive(Debug, Clone)]
pub(in crate::doors) struct Members<'a>(Vec<(String, Cow<'a, str>)>);

/// Why a text has no members.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::doors) enum NoMembers {
    NotAnObject,
    /// The key is there twice: readers differ in which of the values counts.
    Repeated(String),
}

impl<'a> Members<'a> {
    pub(in crate::doors) fn parse(text: &'a str) -> Result<Self, NoMembers> {
        let members = Scan::new(text).object().ok_or(NoMembers::NotAnObject)?;
        let mut seen = HashSet::with_capacity(members.len());
        if let Some((key, _)) = members.iter().find(|(key, _)| !seen.insert(key.as_str())) {
            return Err(NoMembers::Repeated(key.clone()));
        }
        Ok(Self(members))
    }

    /// The source of a value.
    pub(in crate::doors) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_ref())
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// A value that is a string.
    pub(in crate::doors) fn string(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// A value that is an object.
    pub(in crate::doors) fn object(&self, key: &str) -> Option<Members<'_>> {
        Members::parse(self.get(key)?).ok()
    }

    /// Replaces a value; a new key is the last one.
    pub(super) fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(own, _)| own == key) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((key.to_owned(), value.into())),
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> bool {
        let count = self.0.len();
        self.0.retain(|(own, _)| own != key);
        self.0.len() < count
    }

    pub(super) fn into_text(self) -> String {
        let members = self.0.iter().map(|(key, value)| format!("{}:{value}", quoted(key)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// An id in the spelling by which it is compared: servers may write `1.50` or an escape in another way.
pub(in crate::doors) fn id_key(source: &str) -> String {
    let value = serde_json::from_str::<Value>(source);
    value.map_or_else(|_| source.to_owned(), |value| value.to_string())
}

/// The items of a list; `None` for anything else.
pub(in crate::doors) fn items(text: &str) -> Option<Vec<&str>> {
    Scan::new(text).list()
}

/// The messages of a text: those of a batch, or the text itself.
pub(super) fn split_batch(text: &str) -> Vec<&str> {
    items(text).unwrap_or_else(|| vec![text])
}

/// The values of a text that has one behind the other; the whole text if there is anything else in it.
pub(super) fn values(text: &str) -> Vec<&str> {
    let mut scan = Scan::new(text);
    let mut values = Vec::new();
    while scan.end().is_none() {
        match scan.value() {
            Some(value) => values.push(value),
            None => return vec![text],
        }
    }
    values
}

/// A list of these items.
pub(super) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    format!("[{}]", items.join(","))
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A position in a text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn object(mut self) -> Option<Vec<(String, Cow<'a, str>)>> {
        let mut members = Vec::new();
        self.take(b'{')?;
        if self.take(b'}').is_none() {
            loop {
                let key: String = self.next()?;
                self.take(b':')?;
                members.push((key, self.value()?.into()));
                if self.take(b',').is_none() {
                    break;
                }
            }
            self.take(b'}')?;
        }
        self.end().map(|()| members)
    }

    fn list(mut self) -> Option<Vec<&'a str>> {
        let mut items = Vec::new();
        self.take(b'[')?;
        if self.take(b']').is_none() {
            loop {
                items.push(self.value()?);
                if self.take(b',').is_none() {
                    break;
                }
            }
            self.take(b']')?;
        }
        self.end().map(|()| items)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.text.as_bytes().get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    /// Whether nothing follows.
    fn end(&mut self) -> Option<()> {
        self.skip_space();
        (self.at == self.text.len()).then_some(())
    }

    /// The source of the next value, whose syntax is checked.
    fn value(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        self.next::<IgnoredAny>()?;
        self.text.get(start..self.at)
    }

    fn next<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_text_are_told_apart() {
        assert_eq!(values("{\"a\":1}\n [2]{}\n"), ["{\"a\":1}", "[2]", "{}"]);
        assert_eq!(values("{} x"), ["{} x"]);
        assert_eq!(values(" "), [""; 0]);
    }

    #[test]
    fn values_stay_as_they_are_written() {
        let text = r#" { "a" : 1.50e0, "b\u0063":[1,  {"x":"\u00e9"}] , "c":"d"} "#;
        let mut members = Members::parse(text).unwrap();
        assert_eq!(members.get("a"), Some("1.50e0"));
        assert_eq!(members.get("bc"), Some(r#"[1,  {"x":"\u00e9"}]"#));
        assert_eq!(members.string("c").as_deref(), Some("d"));
        members.set("c", "null".to_owned());
        assert!(members.remove("a") && !members.remove("a"));
        assert_eq!(members.into_text(), r#"{"bc":[1,  {"x":"\u00e9"}],"c":null}"#);
        assert_eq!(items("[1 , [2,3],\"]\"]").unwrap(), ["1", "[2,3]", "\"]\""]);
        assert_eq!(Members::parse("{}").unwrap().into_text(), "{}");
        assert_eq!(items("[ ]").unwrap().len(), 0);
    }

    #[test]
    fn anything_else_is_no_object() {
        for text in ["", "[]", "{", "{}x", r#"{"a"}"#, r#"{"a":1,}"#, r#"{"a":01}"#, "{1:2}", "x"] {
            assert_eq!(Members::parse(text).unwrap_err(), NoMembers::NotAnObject, "{text}");
        }
        let repeated = Members::parse(r#"{"id":1,"\u0069d":2}"#).unwrap_err();
        assert_eq!(repeated, NoMembers::Repeated("id".to_owned()));
        for text in ["", "{}", "[", "[1,]", "[1]x"] {
            assert_eq!(items(text), None, "{text}");
        }
    }

    #[test]
    fn depth_needs_no_stack() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(Members::parse(&deep).is_ok());
    }
}
