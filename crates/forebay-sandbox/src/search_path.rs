//! Where a program of a name may lie.

use std::collections::HashSet;
use std::env;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// A path for each folder on PATH, in its order, whether something is there or not.
pub fn on_path(program: &str) -> impl Iterator<Item = PathBuf> {
    listed().into_iter().map(move |folder| folder.join(program))
}

/// A folder that is there.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) metadata: Metadata,
}

/// The folders on PATH that are there, each once: lists are long, and half of them are links or repeated.
pub(crate) fn folders() -> Vec<Folder> {
    let mut known = HashSet::new();
    let there = listed().into_iter().filter_map(|path| {
        let metadata = path.metadata().ok().filter(Metadata::is_dir)?;
        Some(Folder { path, metadata })
    });
    there.filter(|Folder { metadata, .. }| known.insert((metadata.dev(), metadata.ino()))).collect()
}

fn listed() -> Vec<PathBuf> {
    env::var_os("PATH").iter().flat_map(env::split_paths).collect()
}
