//! Program lookup on `PATH`.

use std::collections::HashSet;
use std::env;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Returns `program` joined to each directory of `PATH`, in order, whether the file exists or not.
pub fn path_candidates(program: &str) -> impl Iterator<Item = PathBuf> {
    path_entries().into_iter().map(move |folder| folder.join(program))
}

/// An existing directory of `PATH`.
pub(crate) struct PathFolder {
    pub(crate) path: PathBuf,
    pub(crate) metadata: Metadata,
}

/// Returns the existing directories of `PATH`, without the duplicates that links and repetition cause.
pub(crate) fn folders() -> Vec<PathFolder> {
    let mut seen = HashSet::new();
    let existing = path_entries().into_iter().filter_map(|path| {
        let metadata = path.metadata().ok().filter(Metadata::is_dir)?;
        Some(PathFolder { path, metadata })
    });
    existing
        .filter(|PathFolder { metadata, .. }| seen.insert((metadata.dev(), metadata.ino())))
        .collect()
}

fn path_entries() -> Vec<PathBuf> {
    env::var_os("PATH").iter().flat_map(env::split_paths).collect()
}
