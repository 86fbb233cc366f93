//! The executable in the archive of a release.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use semver::Version;

use super::{TARGET, UpgradeError};

/// The largest content of an archive that is unpacked.
const MAX_UNPACKED_BYTES: u64 = 1024 * 1024 * 1024;

/// Returns the one regular file `forebay-VERSION-TARGET/forebay` of an archive; all others are ignored.
pub(super) fn program(packed: &[u8], version: &Version) -> Result<Vec<u8>, UpgradeError> {
    let name = format!("forebay-{version}-{TARGET}/forebay");
    find_file(packed, &name)
        .map_err(|error| error.to_string())
        .and_then(|found| found.ok_or_else(|| format!("it has no file {name}")))
        .map_err(|reason| UpgradeError::InvalidArchive { version: version.clone(), reason })
}

fn find_file(packed: &[u8], name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut archive = tar::Archive::new(GzDecoder::new(packed).take(MAX_UNPACKED_BYTES));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let is_wanted = *entry.path()? == *Path::new(name);
        if is_wanted && entry.header().entry_type().is_file() {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            return Ok((content.len() as u64 == entry.size()).then_some(content));
        }
    }
    Ok(None)
}
