//! Bytes that are kept whole and digested in the same pass.

use forebay_digest::{Digest, Digester};
use forebay_domain::Entry;
use forebay_store::{NewEntry, Upload};

use crate::AppError;

/// So many bytes wait for a store that is still being opened.
const MOST_WAITING: usize = 256 * 1024;

/// An entry on its way to the store, and its digest in the making.
///
/// What cannot be stored is digested all the same; the fault is told at the end.
pub(crate) struct Keeping<'a> {
    pub(crate) digester: Digester,
    waiting: Vec<u8>,
    /// Begun when there are many bytes, or all.
    upload: Option<Result<Box<dyn Upload + 'a>, AppError>>,
    begin: Box<dyn Fn() -> Result<Box<dyn Upload + 'a>, AppError> + 'a>,
}

impl<'a> Keeping<'a> {
    pub(crate) fn new(
        begin: impl Fn() -> Result<Box<dyn Upload + 'a>, AppError> + 'a,
        digester: Digester,
    ) -> Self {
        Self { digester, waiting: Vec::new(), upload: None, begin: Box::new(begin) }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.digester.push(bytes);
        if self.upload.is_none() && self.waiting.len() + bytes.len() <= MOST_WAITING {
            self.waiting.extend_from_slice(bytes);
        } else {
            self.write(bytes);
        }
    }

    /// The digest, and the entry that was stored with it or why there is none.
    pub(crate) fn finish(mut self, mut new: NewEntry) -> (Digest, Result<Entry, AppError>) {
        self.write(&[]);
        let digest = self.digester.finish();
        new.digest.clone_from(&digest.text);
        let upload = self.upload.unwrap_or_else(self.begin);
        (digest, upload.and_then(|upload| Ok(upload.finish(new)?)))
    }

    /// Writes what waited, and these.
    fn write(&mut self, bytes: &[u8]) {
        let waited = std::mem::take(&mut self.waiting);
        let begun = self.upload.get_or_insert_with(&self.begin);
        for piece in [&waited, bytes] {
            if let Ok(upload) = begun
                && let Err(error) = upload.write(piece)
            {
                *begun = Err(error.into());
            }
        }
    }
}
