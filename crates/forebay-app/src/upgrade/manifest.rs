//! The manifest of a release, `release.json`: its version and archives, signed with minisign.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{TARGET, UpgradeError};

/// The largest archive that is downloaded.
const MAX_ARCHIVE_BYTES: u64 = 256 * 1024 * 1024;

/// What a release contains. A later release may add fields.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Manifest {
    pub(super) version: Version,
    /// The day, as in `2026-11-18`.
    pub(super) published: String,
    /// By target triple.
    archives: BTreeMap<String, Archive>,
}

/// An archive beside the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Archive {
    pub(super) name: String,
    sha256: String,
    pub(super) size: u64,
}

impl Manifest {
    /// Parses a manifest once its signature is verified.
    pub(super) fn verified(
        text: &[u8],
        signature: &[u8],
        key: &PublicKey,
    ) -> Result<Self, UpgradeError> {
        let signature = std::str::from_utf8(signature).ok();
        let signature = signature.and_then(|text| Signature::decode(text).ok());
        let is_signed =
            signature.is_some_and(|signature| key.verify(text, &signature, false).is_ok());
        if !is_signed {
            return Err(UpgradeError::WrongSignature);
        }
        serde_json::from_slice(text)
            .map_err(|error| UpgradeError::InvalidManifest(error.to_string()))
    }

    /// Returns the archive for this machine.
    pub(super) fn archive(&self) -> Result<&Archive, UpgradeError> {
        let Some(archive) = self.archives.get(TARGET) else {
            return Err(UpgradeError::NoArchive { version: self.version.clone(), target: TARGET });
        };
        let invalid = |why: &str| {
            Err(UpgradeError::InvalidManifest(format!("archive `{}` {why}", archive.name)))
        };
        if archive.name.starts_with('.') || archive.name.contains(['/', '\\']) {
            return invalid("is not the name of a file beside it");
        }
        if archive.size > MAX_ARCHIVE_BYTES {
            return invalid("is too large");
        }
        Ok(archive)
    }
}

impl Archive {
    /// Refuses other bytes than those that were signed.
    pub(super) fn check(&self, bytes: &[u8]) -> Result<(), UpgradeError> {
        let wrong = |difference| UpgradeError::WrongArchive { name: self.name.clone(), difference };
        if bytes.len() as u64 != self.size {
            return Err(wrong(format!("{} bytes of {}", bytes.len(), self.size)));
        }
        if !self.sha256.eq_ignore_ascii_case(&sha256(bytes)) {
            return Err(wrong("SHA-256 differs".to_owned()));
        }
        Ok(())
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
