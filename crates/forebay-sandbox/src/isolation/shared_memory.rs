//! The memory that processes share by name: a run has its own.

use std::path::{Path, PathBuf};

use super::Isolation;
use super::canonicalize::canonicalize;
use super::known_paths::SHARED_MEMORY;

/// The directory of shared memory; None if the run needs what is in it: the project, or by a setting all of it.
pub(super) fn private(isolation: &Isolation, used: &[PathBuf]) -> Option<PathBuf> {
    let folder = canonicalize(Path::new(SHARED_MEMORY)).filter(|_| cfg!(target_os = "linux"))?;
    let is_named = isolation.write.iter().any(|path| canonicalize(path).as_ref() == Some(&folder));
    let mut needed = used.iter().chain(&isolation.read).chain(&isolation.data_folder);
    let is_needed = needed.any(|path| *path != folder && path.starts_with(&folder));
    (!is_named && !is_needed).then_some(folder)
}
