//! Finds the crates that differ from the main branch, for `cargo xtask test --quick`.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::process;
use crate::workspace::{self, Metadata};

/// Branches that work starts from; the first that exists is the base.
const BASE_BRANCHES: [&str; 2] = ["origin/main", "main"];
/// A change of one of these concerns every crate.
const SHARED_FILES: &[&str] = &["Cargo.toml", "Cargo.lock", "clippy.toml", ".cargo/config.toml"];

/// Returns the names of workspace members with changes, committed since the merge base or not.
pub(super) fn find() -> Result<BTreeSet<String>> {
    let base = BASE_BRANCHES
        .iter()
        .find_map(|branch| git(&["merge-base", "HEAD", branch]).ok())
        .map_or_else(|| "HEAD".to_owned(), |commit| commit.trim().to_owned());
    let changed = git(&["diff", "--name-only", &base])?;
    let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
    let paths: Vec<&str> = changed.lines().chain(untracked.lines()).collect();
    let metadata = Metadata::read()?;
    let members: Vec<&str> = metadata.members().map(|package| package.name.as_str()).collect();
    Ok(crates_of(&paths, &members))
}

/// Returns those of `members` that contain one of `paths`; all of them if a shared file is among the paths.
fn crates_of(paths: &[&str], members: &[&str]) -> BTreeSet<String> {
    let is_shared = paths.iter().any(|path| SHARED_FILES.contains(path));
    let contains = |name: &str| {
        let folder = if name == "xtask" { "xtask/".to_owned() } else { format!("crates/{name}/") };
        paths.iter().any(|path| path.starts_with(&folder))
    };
    let changed = members.iter().filter(|name| is_shared || contains(name));
    changed.map(|name| (*name).to_owned()).collect()
}

fn git(arguments: &[&str]) -> Result<String> {
    process::stdout_text(process::command("git").args(arguments).current_dir(workspace::root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: [&str; 3] = ["forebay", "forebay-app", "xtask"];

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        assert_eq!(crates_of(paths, &MEMBERS).iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn maps_paths_to_crates() {
        check(&["crates/forebay/src/main.rs", "README.md"], &["forebay"]);
        check(&["crates/forebay-app/src/lib.rs", "xtask/src/main.rs"], &["forebay-app", "xtask"]);
        check(&["docs/guides/team.md"], &[]);
    }

    #[test]
    fn shared_file_concerns_every_crate() {
        check(&["Cargo.lock"], &MEMBERS);
    }
}
