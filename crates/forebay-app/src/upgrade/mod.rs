//! Replaces the executable with another release, if no package manager does that.
//!
//! - [`channel`]: how Forebay was installed, and which command upgrades it;
//! - [`release`]: where releases come from, a server or a folder;
//! - `manifest`: what a release contains, signed; `archive`: the executable in an archive;
//! - `program_files`: the swap, and the way back;
//! - `running_program`: whether the program of this process was replaced;
//! - `error`: what can go wrong, with hints.
//!
//! Nothing here runs unless a person asks for it, and only [`release`] uses the network.

mod archive;
pub mod channel;
mod error;
mod manifest;
mod program_files;
pub mod release;
mod running_program;

use std::path::Path;

use semver::Version;

pub use self::channel::Channel;
pub use self::error::UpgradeError;
pub use self::program_files::ProgramFiles;
pub use self::release::{Release, ReleaseSource};
pub use self::running_program::RunningProgram;

/// The target triple of this build.
pub const TARGET: &str = env!("FOREBAY_TARGET");

/// Returns the version of this build.
pub fn running_version() -> Version {
    // Cargo accepts no other version in a manifest.
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}

/// Refuses a release that is older than this build, unless it was asked for by its version.
pub fn check_not_older(release: &Release, wanted: Option<&Version>) -> Result<(), UpgradeError> {
    let (running, available) = (running_version(), release.version().clone());
    if available < running && wanted != Some(&available) {
        return Err(UpgradeError::Older { running, available });
    }
    Ok(())
}

/// Downloads a release, checks it, and swaps it in for the executable; the version before is kept.
pub fn install(
    release: &Release,
    executable: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<(), UpgradeError> {
    let files = ProgramFiles::lock(executable)?;
    let program = archive::program(&release.archive(progress)?, release.version())?;
    files.install(&program, release.version())
}

/// Swaps the version before in again, and keeps the current one in its place. Returns the version that is installed now.
pub fn roll_back(executable: &Path) -> Result<Version, UpgradeError> {
    ProgramFiles::lock(executable)?.install_previous()
}
