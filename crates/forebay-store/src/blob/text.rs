//! A decompressed part of a blob in memory, shared by the hits that quote it.

use std::ops::Range;
use std::sync::Arc;

use forebay_text::excerpt::Excerpt;

use crate::cache::ByteSize;

/// A decompressed part; hits share it where it is valid UTF-8.
#[derive(Debug, Clone)]
pub enum PartText {
    Text(Arc<str>),
    /// Not UTF-8, or cut within a character.
    Raw(Arc<[u8]>),
}

impl From<Vec<u8>> for PartText {
    fn from(raw: Vec<u8>) -> Self {
        match String::from_utf8(raw) {
            Ok(text) => Self::Text(text.into()),
            Err(error) => Self::Raw(error.into_bytes().into()),
        }
    }
}

impl PartText {
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(raw) => raw,
        }
    }

    /// Returns a range; None if the part is not text or ends earlier.
    pub fn excerpt(&self, range: Range<usize>) -> Option<Excerpt> {
        match self {
            Self::Text(text) => Excerpt::new(text, range),
            Self::Raw(_) => None,
        }
    }
}

impl ByteSize for PartText {
    fn byte_size(&self) -> usize {
        self.as_bytes().len()
    }
}
