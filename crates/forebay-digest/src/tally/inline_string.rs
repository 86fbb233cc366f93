//! String keys that store short texts inline.
//!
//! A lookup then touches one memory location, which matters for maps that are queried for millions
//! of lines. Hand-written for speed: `cargo xtask bench --only digest`.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// Enough for a timestamp, a number, an address or an id.
const INLINE_BYTES: usize = 38;

#[derive(Debug, Clone)]
pub(crate) enum InlineString {
    Short { length: u8, bytes: [u8; INLINE_BYTES] },
    Long(Box<str>),
}

impl InlineString {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // Always valid, because it was copied from a `str`.
            Self::Short { .. } => std::str::from_utf8(self.bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => &bytes[..usize::from(*length).min(INLINE_BYTES)],
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for InlineString {
    fn from(text: &str) -> Self {
        if text.len() > INLINE_BYTES {
            return Self::Long(text.into());
        }
        let mut bytes = [0; INLINE_BYTES];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self::Short { length: text.len() as u8, bytes }
    }
}

impl PartialEq for InlineString {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for InlineString {}

impl Hash for InlineString {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl Borrow<[u8]> for InlineString {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_text_of_any_length() {
        for length in [0, 1, INLINE_BYTES - 1, INLINE_BYTES, INLINE_BYTES + 1, 500] {
            let text = "ä".repeat(length / 2) + &"x".repeat(length % 2);
            let string = InlineString::from(text.as_str());
            assert_eq!((string.as_str(), string.bytes()), (text.as_str(), text.as_bytes()));
        }
    }
}
