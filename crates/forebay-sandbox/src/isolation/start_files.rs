//! Files in the caches of tools that are executed when something starts outside of isolation.

use std::env;
use std::path::{Path, PathBuf};

use super::known_paths::START_FILES;

/// Returns those of the user with this home directory, whether they exist or not.
pub fn start_files(home: &Path) -> Vec<PathBuf> {
    let user = ["USER", "LOGNAME"].iter().find_map(|name| env::var(name).ok());
    let files = START_FILES.iter().filter_map(|file| file.path(Some(home)));
    files.filter_map(|file| with_user(file, user.as_deref())).collect()
}

fn with_user(file: PathBuf, user: Option<&str>) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    if !name.contains("$USER") {
        return Some(file);
    }
    // A name is not a path.
    let user = user.filter(|user| !user.is_empty() && !user.contains('/'))?;
    Some(file.with_file_name(name.replace("$USER", user)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_contains_the_user_is_completed() {
        let file = || PathBuf::from("/h/.cache/p10k-dump-$USER.zsh");
        assert_eq!(with_user(file(), Some("ann")), Some("/h/.cache/p10k-dump-ann.zsh".into()));
        assert_eq!(with_user(file(), Some("../x")), None);
        assert_eq!(with_user(file(), None), None);
        assert_eq!(with_user("/h/.cache/zsh".into(), None), Some("/h/.cache/zsh".into()));
    }
}
