//! References: the ten-character ids of entries.

use std::fmt;
use std::str::FromStr;

const LENGTH: usize = 10;
const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const OPENING: &str = "[ctx:";

/// The id of an entry, written `[ctx:k3v9m2a1xq]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference([u8; LENGTH]);

/// The error for a text that is no reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a reference: expected [ctx: + 10 characters of a-z and 0-9 + ]")]
pub struct BadReference(pub String);

impl Reference {
    /// Derives a reference from random bytes.
    ///
    /// Reducing a 128-bit number keeps the modulo bias below 2^-70.
    pub fn from_random(random: [u8; 16]) -> Self {
        let mut rest = u128::from_le_bytes(random);
        let mut characters = [0; LENGTH];
        for character in &mut characters {
            *character = ALPHABET[(rest % 36) as usize];
            rest /= 36;
        }
        Self(characters)
    }

    /// The ten characters without brackets.
    pub fn as_str(&self) -> &str {
        // The alphabet is ASCII, so this cannot fail.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Parses a reference that is bare, bracketed, in upper case, or inside pasted text.
    pub fn parse(text: &str) -> Result<Self, BadReference> {
        let lower = text.trim().to_ascii_lowercase();
        Self::from_bare(&lower)
            .or_else(|| Self::first_in(&lower))
            .or_else(|| lower.strip_prefix("ctx:").and_then(Self::from_bare))
            .ok_or_else(|| BadReference(excerpt(text)))
    }

    /// Every bracketed reference in a text, each once, in the order of their characters.
    pub fn all_in(text: &str) -> Vec<Self> {
        let mut found: Vec<Self> = text
            .match_indices(OPENING)
            .filter_map(|(at, _)| text[at..].split_inclusive(']').next())
            .filter_map(|written| Self::parse(written).ok())
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn from_bare(text: &str) -> Option<Self> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(|byte| ALPHABET.contains(byte)).then_some(Self(bytes))
    }

    /// The first bracketed reference in a text.
    pub fn first_in(text: &str) -> Option<Self> {
        text.match_indices(OPENING).find_map(|(at, _)| {
            let rest = &text[at + OPENING.len()..];
            let (inner, _) = rest.split_once(']')?;
            Self::from_bare(inner.trim())
        })
    }
}

fn excerpt(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}]", self.as_str())
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Reference {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let read = Reference::parse(text).ok();
        assert_eq!(read.as_ref().map(Reference::as_str), expect, "{text:?}");
    }

    #[test]
    fn reads_every_spelling_people_paste() {
        check("k3v9m2a1xq", Some("k3v9m2a1xq"));
        check("[ctx:k3v9m2a1xq]", Some("k3v9m2a1xq"));
        check("ctx:k3v9m2a1xq", Some("k3v9m2a1xq"));
        check("  [CTX:K3V9M2A1XQ]\n", Some("k3v9m2a1xq"));
        check("see `[ctx:k3v9m2a1xq]` exit 1", Some("k3v9m2a1xq"));
        check("[ctx:oops] then [ctx:k3v9m2a1xq]", Some("k3v9m2a1xq"));
    }

    #[test]
    fn rejects_other_text() {
        check("", None);
        check("k3v9m2a1x", None);
        check("k3v9m2a1xqq", None);
        check("k3v9m2a1x!", None);
        check("[ctx:k3v9m2a1xq", None);
        check("ünïcödé-ab", None);
    }

    #[test]
    fn finds_each_reference_once() {
        let text = "see [ctx:aaaaaaaaaa], [CTX] and [ctx:bbbbbbbbbb] [ctx:aaaaaaaaaa] [ctx:broken";
        let found: Vec<String> = Reference::all_in(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["[ctx:aaaaaaaaaa]", "[ctx:bbbbbbbbbb]"]);
    }

    proptest! {
        #[test]
        fn reads_back_what_it_prints(random: [u8; 16]) {
            let reference = Reference::from_random(random);
            prop_assert_eq!(Reference::parse(&reference.to_string()), Ok(reference));
            prop_assert_eq!(Reference::parse(&reference.as_str().to_uppercase()), Ok(reference));
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = Reference::parse(&text);
        }
    }
}
