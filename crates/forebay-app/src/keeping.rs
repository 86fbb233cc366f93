//! Bytes that are kept whole and digested in the same pass.

use forebay_digest::{Digest, Digester};
use forebay_domain::Entry;
use forebay_store::{NewEntry, Store, StoreError, Upload};

/// An entry on its way to the store, and its digest in the making.
///
/// What cannot be stored is digested all the same; the fault is told at the end.
pub(crate) struct Keeping<'a> {
    upload: Result<Box<dyn Upload + 'a>, StoreError>,
    pub(crate) digester: Digester,
}

impl<'a> Keeping<'a> {
    pub(crate) fn new(store: &'a dyn Store, digester: Digester) -> Result<Self, StoreError> {
        Ok(Self { upload: Ok(store.upload()?), digester })
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.digester.push(bytes);
        if let Ok(upload) = &mut self.upload
            && let Err(error) = upload.write(bytes)
        {
            self.upload = Err(error);
        }
    }

    /// The digest, and the entry that was stored with it or why there is none.
    pub(crate) fn finish(self, mut new: NewEntry) -> (Digest, Result<Entry, StoreError>) {
        let digest = self.digester.finish();
        new.digest.clone_from(&digest.text);
        (digest, self.upload.and_then(|upload| upload.finish(new)))
    }
}
