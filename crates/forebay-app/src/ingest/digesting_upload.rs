//! Uploads bytes to the store and digests them in the same pass.

use forebay_digest::{Digest, Digester};
use forebay_domain::Entry;
use forebay_store::{NewEntry, Upload};

use crate::render::difference::ComparedDigest;
use crate::{App, AppError};

/// Bytes buffered while the store is being opened.
const MAX_BUFFERED_BYTES: usize = 256 * 1024;

/// Stores the digest that is delivered, unless the answer only says that the output is unchanged. The answer does not depend
/// on it.
pub(crate) fn note_delivered_digest(app: &App, entry: &mut Entry, compared: &ComparedDigest) {
    if compared.unchanged.is_none()
        && let Err(error) = store_delivered_digest(app, entry, &compared.digest)
    {
        tracing::warn!(%error, "cannot store the digest that was delivered");
    }
}

/// Stores the digest that the model gets, if it is not the one that was stored with the output.
pub(crate) fn store_delivered_digest(
    app: &App,
    entry: &mut Entry,
    digest: &Digest,
) -> Result<(), AppError> {
    if entry.digest != digest.text {
        app.stores.own()?.replace_digest(entry.reference, &digest.text)?;
        entry.digest.clone_from(&digest.text);
    }
    Ok(())
}

/// An upload and its digest in progress.
///
/// If the upload fails, the digest is built anyway and `finish` returns the error.
pub(crate) struct DigestingUpload<'a> {
    pub(crate) digester: Digester,
    waiting: Vec<u8>,
    /// Started when the buffer is full or the input complete.
    upload: Option<Result<Box<dyn Upload + 'a>, AppError>>,
    begin: Box<dyn Fn() -> Result<Box<dyn Upload + 'a>, AppError> + 'a>,
}

impl<'a> DigestingUpload<'a> {
    pub(crate) fn new(
        begin: impl Fn() -> Result<Box<dyn Upload + 'a>, AppError> + 'a,
        digester: Digester,
    ) -> Self {
        Self { digester, waiting: Vec::new(), upload: None, begin: Box::new(begin) }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.digester.push(bytes);
        if self.upload.is_none() && self.waiting.len() + bytes.len() <= MAX_BUFFERED_BYTES {
            self.waiting.extend_from_slice(bytes);
        } else {
            self.write(bytes);
        }
    }

    /// Returns the digest, and the stored entry or why it was not stored.
    pub(crate) fn finish(mut self, mut new: NewEntry) -> (Digest, Result<Entry, AppError>) {
        self.write(&[]);
        let digest = self.digester.finish();
        new.digest.clone_from(&digest.text);
        let upload = self.upload.unwrap_or_else(self.begin);
        (digest, upload.and_then(|upload| Ok(upload.finish(new)?)))
    }

    /// Writes the buffered bytes and these.
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
