//! A text as the key of a map that is asked for millions of lines: short ones lie in the map itself, so
//! that finding one touches one place in memory.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// Room for a date with its time, a number, an address, an id.
const INLINE: usize = 38;

#[derive(Debug, Clone)]
pub(crate) enum Key {
    Short { length: u8, bytes: [u8; INLINE] },
    Long(Box<str>),
}

impl Key {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // It was made of a text.
            Self::Short { .. } => std::str::from_utf8(self.bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => &bytes[..usize::from(*length).min(INLINE)],
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        if text.len() > INLINE {
            return Self::Long(text.into());
        }
        let mut bytes = [0; INLINE];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self::Short { length: text.len() as u8, bytes }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_any_length_stays_as_it_was() {
        for length in [0, 1, INLINE - 1, INLINE, INLINE + 1, 500] {
            let text = "ä".repeat(length / 2) + &"x".repeat(length % 2);
            let key = Key::from(text.as_str());
            assert_eq!((key.as_str(), key.bytes()), (text.as_str(), text.as_bytes()));
        }
    }
}
