//! Why an upgrade failed. In every case the installed program is as it was.

use std::io;
use std::path::{Path, PathBuf};

use forebay_sandbox::web::FetchError;
use semver::Version;

use crate::{AppError, ErrorKind};

#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    #[error("this build names no release server")]
    NoServer,
    #[error("this build has no key to verify releases with")]
    NoKey,
    #[error("the key in `upgrade.key` is no minisign public key")]
    InvalidKey,
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("the signature of release.json does not match the key; nothing was changed")]
    WrongSignature,
    #[error("release.json is invalid: {0}")]
    InvalidManifest(String),
    #[error("release {version} has no archive for {target}")]
    NoArchive { version: Version, target: &'static str },
    #[error("{name} is not the file that was signed ({difference}); nothing was changed")]
    WrongArchive { name: String, difference: String },
    #[error("the archive of {version} is invalid: {reason}; nothing was changed")]
    InvalidArchive { version: Version, reason: String },
    #[error("the release is {available}, older than the installed {running}")]
    Older { running: Version, available: Version },
    #[error("there is no release {wanted}: {available} was found")]
    OtherVersion { wanted: Version, available: Version },
    #[error("the new program does not start here: {0}; nothing was changed")]
    DoesNotStart(String),
    #[error("no version before {} is kept", .0.display())]
    NoPrevious(PathBuf),
    #[error("another upgrade is running")]
    Busy,
    #[error("{} cannot be replaced: {source}", path.display())]
    NotWritable { path: PathBuf, source: io::Error },
    #[error("no space left for the new version in {}; nothing was changed", .0.display())]
    DiskFull(PathBuf),
}

impl UpgradeError {
    /// Wraps an error of the folder that the executable is in.
    pub(super) fn io(executable: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull(executable.parent().unwrap_or(executable).to_owned())
            }
            _ => Self::NotWritable { path: executable.to_owned(), source },
        }
    }

    /// Whether a server or a folder does not have a file.
    pub(super) fn is_missing(&self) -> bool {
        const NOT_FOUND: u16 = 404;
        match self {
            Self::Fetch(FetchError::Status { status, .. }) => *status == NOT_FOUND,
            Self::Unreadable { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::NoServer | Self::NoKey => "build Forebay anew from its sources, use --from with a downloaded release, \
                 or set upgrade.url and upgrade.key in your settings to a server and its minisign public key"
                .to_owned(),
            Self::InvalidKey => "it is the line of the .pub file that begins with RW".to_owned(),
            Self::Fetch(_) => "check upgrade.url, the network and HTTPS_PROXY; \
                 --from takes a release that was downloaded otherwise"
                .to_owned(),
            Self::Unreadable { .. } => "--from takes a folder with release.json, release.json.minisig and the archive, \
                 or the archive beside them"
                .to_owned(),
            Self::WrongSignature => "the server or a proxy may serve other files than those that were released; \
                 `forebay config` shows the key, if upgrade.key sets one"
                .to_owned(),
            Self::InvalidManifest(_) | Self::InvalidArchive { .. } => {
                "the release itself is faulty: report it to those who made it".to_owned()
            }
            Self::NoArchive { .. } => "build this version from its sources".to_owned(),
            Self::WrongArchive { .. } => "try again: the download may have been cut short".to_owned(),
            Self::Older { available, .. } => {
                format!("`forebay upgrade --version {available}` installs it nevertheless")
            }
            Self::OtherVersion { available, .. } => {
                format!("`forebay upgrade --version {available}` installs that one")
            }
            Self::DoesNotStart(_) => {
                "the release may need a newer system; `forebay doctor` describes this one".to_owned()
            }
            Self::NoPrevious(_) => {
                "`forebay upgrade --version X` installs a version by its number".to_owned()
            }
            Self::Busy => "wait until it has ended".to_owned(),
            Self::NotWritable { path, .. } => {
                format!("as its owner: sudo {} upgrade", path.display())
            }
            Self::DiskFull(_) => "free some space: the version before is kept beside the new one".to_owned(),
        }
    }

    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Older { .. } | Self::InvalidKey => ErrorKind::BadInput,
            Self::NoPrevious(_) | Self::OtherVersion { .. } | Self::NoArchive { .. } => {
                ErrorKind::NotFound
            }
            Self::Busy => ErrorKind::Busy,
            _ => ErrorKind::Unavailable,
        }
    }
}

impl From<UpgradeError> for AppError {
    fn from(error: UpgradeError) -> Self {
        let hint = error.hint();
        Self { kind: error.kind(), ..Self::bad_input(error.to_string(), hint) }
    }
}
