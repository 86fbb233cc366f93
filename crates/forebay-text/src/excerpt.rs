//! Shared substrings.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A substring of a reference-counted text.
#[derive(Debug, Clone)]
pub struct Excerpt {
    whole: Arc<str>,
    range: Range<usize>,
}

impl Excerpt {
    /// Returns None if the range exceeds the text or splits a character.
    pub fn new(whole: &Arc<str>, range: Range<usize>) -> Option<Self> {
        whole.get(range.clone()).is_some().then(|| Self { whole: Arc::clone(whole), range })
    }
}

impl Deref for Excerpt {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.range.clone()]
    }
}

impl From<String> for Excerpt {
    fn from(text: String) -> Self {
        Self { range: 0..text.len(), whole: text.into() }
    }
}

impl PartialEq for Excerpt {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_must_lie_on_character_boundaries() {
        let whole: Arc<str> = "größer".into();
        assert_eq!(Excerpt::new(&whole, 2..6).as_deref(), Some("öß"));
        assert_eq!(Excerpt::new(&whole, 0..8), Some("größer".to_owned().into()));
        for range in [3..6, 2..5, 0..9, 9..9] {
            assert_eq!(Excerpt::new(&whole, range.clone()), None, "{range:?}");
        }
    }
}
