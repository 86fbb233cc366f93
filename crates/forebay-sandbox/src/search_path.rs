//! Where a program of a name may lie.

use std::env;
use std::path::PathBuf;

/// A path for each folder on PATH, in its order, whether something is there or not.
pub fn on_path(program: &str) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    folders.into_iter().map(move |folder| folder.join(program))
}
