//! Files in the caches of tools that are executed when something starts outside of isolation.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::known_paths::START_FILES;
use super::user_entry::user_name;

/// Stands for the user's name.
const USER: &str = "$USER";

/// Returns those of the user with this home directory, whether they exist or not.
pub fn start_files(home: &Path) -> Vec<PathBuf> {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| env::var(name).ok());
    let mut users: Vec<String> = named.into_iter().chain(user_name()).collect();
    users.dedup();
    let files = START_FILES.iter().filter_map(|file| file.path(Some(home)));
    files.flat_map(|file| for_users(&file, &users)).collect()
}

/// The file itself, or the one of each of the users if its name contains one.
fn for_users(file: &Path, users: &[String]) -> Vec<PathBuf> {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !name.contains(USER) {
        return vec![file.to_owned()];
    }
    // A name is not a path.
    let users = users.iter().filter(|user| !user.is_empty() && !user.contains('/'));
    users.map(|user| file.with_file_name(name.replace(USER, user))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_contains_the_user_is_completed() {
        let files = |file: &str, users: &[&str]| {
            let users: Vec<String> = users.iter().map(|user| (*user).to_owned()).collect();
            for_users(Path::new(file), &users)
        };
        let dump = "/h/.cache/p10k-dump-$USER.zsh";
        let expected =
            ["ann", "bob"].map(|user| PathBuf::from(format!("/h/.cache/p10k-dump-{user}.zsh")));
        assert_eq!(files(dump, &["ann", "../x", "", "bob"]), expected);
        assert_eq!(files(dump, &[]), <[PathBuf; 0]>::default());
        assert_eq!(files("/h/.cache/zsh", &[]), [PathBuf::from("/h/.cache/zsh")]);
    }

    #[test]
    fn the_user_is_known_without_variables() {
        let Some(name) = user_name() else { return };
        let files = start_files(Path::new("/h"));
        let ends = format!("p10k-dump-{name}.zsh");
        assert!(files.iter().any(|file| file.ends_with(&ends)), "{files:?}");
    }
}
