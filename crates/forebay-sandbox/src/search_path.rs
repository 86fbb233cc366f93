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

/// The folders on PATH that are there, each once: lists are long, and half of them are links or repeated.
pub(crate) fn folders() -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let is_new = |folder: &PathBuf| {
        let there = folder.metadata().ok().filter(Metadata::is_dir);
        there.is_some_and(|folder| known.insert((folder.dev(), folder.ino())))
    };
    let mut folders = listed();
    folders.retain(is_new);
    folders
}

fn listed() -> Vec<PathBuf> {
    env::var_os("PATH").iter().flat_map(env::split_paths).collect()
}
