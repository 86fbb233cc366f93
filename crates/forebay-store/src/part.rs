//! A part of a blob, held in memory.

use std::ops::Range;
use std::sync::Arc;

use forebay_domain::text::excerpt::Excerpt;

use crate::lately::Bytes;

/// Passages share it where it is text.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(Arc<str>),
    /// Something else, or text of which it ends within a character.
    Raw(Arc<[u8]>),
}

impl From<Vec<u8>> for Part {
    fn from(raw: Vec<u8>) -> Self {
        match String::from_utf8(raw) {
            Ok(text) => Self::Text(text.into()),
            Err(error) => Self::Raw(error.into_bytes().into()),
        }
    }
}

impl Part {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(raw) => raw,
        }
    }

    /// A stretch of it, where it is text that ends no earlier.
    pub(crate) fn excerpt(&self, range: Range<usize>) -> Option<Excerpt> {
        match self {
            Self::Text(text) => Excerpt::of(text, range),
            Self::Raw(_) => None,
        }
    }
}

impl Bytes for Part {
    fn bytes(&self) -> usize {
        self.as_bytes().len()
    }
}
