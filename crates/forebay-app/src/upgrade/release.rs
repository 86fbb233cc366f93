//! Where releases come from: a server, or a folder for machines without network.
//!
//! Both have `release.json`, its signature `release.json.minisig` and the archives in one place. Other versions are
//! below it in `vVERSION/`; on GitHub, beside `latest/download` in `download/vVERSION`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_sandbox::web::{self, Download};
use minisign_verify::PublicKey;
use semver::Version;

use super::UpgradeError;
use super::manifest::Manifest;
use crate::settings;

const MANIFEST: &str = "release.json";
const SIGNATURE: &str = "release.json.minisig";
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;
const MAX_SIGNATURE_BYTES: u64 = 4 * 1024;

/// The end of the address of GitHub's newest release.
const GITHUB_LATEST: &str = "/latest/download";

/// The server and the key of this build; releases are built with them.
const BUILT_IN_URL: Option<&str> = option_env!("FOREBAY_RELEASE_URL");
const BUILT_IN_KEY: Option<&str> = option_env!("FOREBAY_RELEASE_KEY");

/// A place with a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleaseSource {
    Server {
        /// Without a slash at the end.
        base: String,
        idle_timeout: Duration,
    },
    Folder {
        folder: PathBuf,
        /// The archive, if it was named.
        archive: Option<PathBuf>,
    },
}

/// A release whose signature was verified.
#[derive(Debug)]
pub struct Release {
    manifest: Manifest,
    source: ReleaseSource,
}

/// Returns the key that releases are signed with: the user's, or that of this build.
pub fn key(settings: &settings::Upgrade) -> Result<PublicKey, UpgradeError> {
    let key = configured(&settings.key, BUILT_IN_KEY).ok_or(UpgradeError::NoKey)?;
    PublicKey::from_base64(key).map_err(|_| UpgradeError::InvalidKey)
}

fn configured<'a>(by_user: &'a str, built_in: Option<&'a str>) -> Option<&'a str> {
    [Some(by_user), built_in].into_iter().flatten().map(str::trim).find(|text| !text.is_empty())
}

impl ReleaseSource {
    /// The user's server, or that of this build.
    pub fn server(settings: &settings::Upgrade) -> Result<Self, UpgradeError> {
        let base = configured(&settings.url, BUILT_IN_URL).ok_or(UpgradeError::NoServer)?;
        let idle_timeout = Duration::from_millis(settings.timeout_ms);
        Ok(Self::Server { base: base.trim_end_matches('/').to_owned(), idle_timeout })
    }

    /// A folder with a release, or an archive in such a folder.
    pub fn path(path: &Path) -> Self {
        if path.is_dir() {
            return Self::Folder { folder: path.to_owned(), archive: None };
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::Folder { folder, archive: Some(path.to_owned()) }
    }

    /// Returns the newest release, or the one with the wanted version.
    pub fn release(
        self,
        key: &PublicKey,
        wanted: Option<&Version>,
    ) -> Result<Release, UpgradeError> {
        let newest = self.verified_manifest(key)?;
        match wanted {
            Some(wanted) if *wanted != newest.version => {
                self.of_version(wanted).exact_release(key, wanted, newest.version)
            }
            _ => Ok(Release { manifest: newest, source: self }),
        }
    }

    fn exact_release(
        self,
        key: &PublicKey,
        wanted: &Version,
        newest: Version,
    ) -> Result<Release, UpgradeError> {
        let other = |available| UpgradeError::OtherVersion { wanted: wanted.clone(), available };
        match self.verified_manifest(key) {
            Ok(manifest) if manifest.version == *wanted => Ok(Release { manifest, source: self }),
            Ok(manifest) => Err(other(manifest.version)),
            Err(error) if error.is_missing() => Err(other(newest)),
            Err(error) => Err(error),
        }
    }

    fn verified_manifest(&self, key: &PublicKey) -> Result<Manifest, UpgradeError> {
        let manifest = self.read(MANIFEST, MAX_MANIFEST_BYTES, &mut |_| {})?;
        let signature = self.read(SIGNATURE, MAX_SIGNATURE_BYTES, &mut |_| {})?;
        Manifest::verified(&manifest, &signature, key)
    }

    /// The place of another version.
    fn of_version(&self, version: &Version) -> Self {
        match self {
            Self::Server { base, idle_timeout } => {
                let base = match base.strip_suffix(GITHUB_LATEST) {
                    Some(releases) => format!("{releases}/download/v{version}"),
                    None => format!("{base}/v{version}"),
                };
                Self::Server { base, idle_timeout: *idle_timeout }
            }
            Self::Folder { folder, .. } => {
                Self::Folder { folder: folder.join(format!("v{version}")), archive: None }
            }
        }
    }

    fn read(
        &self,
        name: &str,
        max_bytes: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<u8>, UpgradeError> {
        match self {
            Self::Server { base, idle_timeout } => {
                let (url, idle_timeout) = (format!("{base}/{name}"), *idle_timeout);
                Ok(web::download(&Download { url, max_bytes, idle_timeout }, progress)?)
            }
            Self::Folder { folder, .. } => read_file(&folder.join(name), max_bytes),
        }
    }
}

impl Release {
    pub fn version(&self) -> &Version {
        &self.manifest.version
    }

    /// Returns the day on which it was published.
    pub fn published(&self) -> &str {
        &self.manifest.published
    }

    /// Returns the size of its archive for this machine.
    pub fn archive_bytes(&self) -> Result<u64, UpgradeError> {
        Ok(self.manifest.archive()?.size)
    }

    /// Reads its archive for this machine and compares it with the manifest.
    pub(super) fn archive(&self, progress: &mut dyn FnMut(u64)) -> Result<Vec<u8>, UpgradeError> {
        let archive = self.manifest.archive()?;
        let bytes = match &self.source {
            ReleaseSource::Folder { archive: Some(file), .. } => read_file(file, archive.size)?,
            source => source.read(&archive.name, archive.size, progress)?,
        };
        archive.check(&bytes)?;
        Ok(bytes)
    }
}

/// Reads a file; one byte more than the bound shows that it is larger.
fn read_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>, UpgradeError> {
    let mut bytes = Vec::new();
    let opened = File::open(path);
    let read = opened.and_then(|file| file.take(max_bytes + 1).read_to_end(&mut bytes));
    read.map_err(|source| UpgradeError::Unreadable { path: path.to_owned(), source })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_below_a_server_and_beside_githubs_newest() {
        for (base, expect) in [
            ("https://mirror.example/forebay", "https://mirror.example/forebay/v0.2.0"),
            (
                "https://github.com/o/n/releases/latest/download/",
                "https://github.com/o/n/releases/download/v0.2.0",
            ),
        ] {
            let settings =
                settings::Upgrade { url: base.to_owned(), key: String::new(), timeout_ms: 1 };
            let source =
                ReleaseSource::server(&settings).unwrap().of_version(&Version::new(0, 2, 0));
            assert!(matches!(source, ReleaseSource::Server { base, .. } if base == expect));
        }
    }
}
