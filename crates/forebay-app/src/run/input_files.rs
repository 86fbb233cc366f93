//! Resolves the paths and globs of a call to files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use crate::AppError;
use crate::ingest::walk;
use crate::next_call::NextCall;
use forebay_store::{own_files, regular_file};

/// More files are unlikely to be intended, and their content would not fit in memory.
const MAX_FILES: usize = 10_000;

/// Resolves `names` relative to `cwd` to readable files without duplicates.
pub(crate) fn resolve(cwd: &Path, names: &[String]) -> Result<Vec<PathBuf>, AppError> {
    if names.is_empty() {
        return Err(AppError::bad_input("no file given", "give a path, several, or a glob"));
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for name in names {
        let path = cwd.join(name);
        let meant =
            if is_glob(name) && !path.exists() { expand_glob(cwd, name)? } else { vec![path] };
        files.extend(meant.into_iter().filter(|path| !files.contains(path)).collect::<Vec<_>>());
    }
    if files.len() > MAX_FILES {
        return Err(too_many());
    }
    files.iter().try_for_each(|path| check_readable(path))?;
    Ok(files)
}

pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Returns the files that match a glob, sorted, without git-ignored ones.
fn expand_glob(cwd: &Path, glob: &str) -> Result<Vec<PathBuf>, AppError> {
    let pattern = cwd.join(glob);
    let matcher = matcher(&pattern.to_string_lossy())?;
    let mut found = Vec::new();
    let top = fixed_part(&pattern);
    walk::check_top(&top)?;
    let walker = WalkBuilder::new(top).require_git(false).filter_entry(walk::may_enter).build();
    for entry in walker.flatten() {
        if found.len() > MAX_FILES {
            return Err(too_many());
        }
        if entry.file_type().is_some_and(|kind| !kind.is_dir()) && matcher.is_match(entry.path()) {
            found.push(entry.into_path());
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(AppError::not_found(
            format!("no file matches `{glob}` in {}", cwd.display()),
            "`**` crosses folders; globs do not match hidden and git-ignored files: give their path",
        ));
    }
    Ok(found)
}

pub(crate) fn matcher(pattern: &str) -> Result<GlobMatcher, AppError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
        AppError::bad_input(
            format!("invalid glob: {}", error.kind()),
            "for example: logs/**/*.json",
        )
    })?;
    Ok(glob.compile_matcher())
}

/// Returns the folders of a glob before its first wildcard.
pub(crate) fn fixed_part(pattern: &Path) -> PathBuf {
    pattern.components().take_while(|part| !is_glob(&part.as_os_str().to_string_lossy())).collect()
}

fn check_readable(path: &Path) -> Result<(), AppError> {
    if path.as_os_str().as_encoded_bytes().contains(&b'\n') {
        return Err(AppError::bad_input(
            format!("the name of {} contains a line break", path.display()),
            "rename the file",
        ));
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(AppError::bad_input(
            format!("{} is a folder", path.display()),
            "name its files, or give a glob such as folder/**/*.log",
        )),
        // Reading a pipe or a device might block.
        Ok(found) if !found.is_file() => Err(AppError::bad_input(
            format!("{} is not a regular file", path.display()),
            format!("read it with {}", NextCall::new("ctx_execute").in_error()),
        )),
        Ok(_) if own_files::contains_path(path) => Err(AppError::own_database(path.display())),
        Ok(_) => regular_file::open(path).map(drop).map_err(|error| unreadable(path, &error)),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> AppError {
    if error.kind() == io::ErrorKind::NotFound {
        return AppError::not_found(
            format!("{} does not exist", path.display()),
            "check the path; relative paths start at the project's folder",
        );
    }
    AppError::bad_input(format!("cannot read {}: {error}", path.display()), "check its permissions")
}

fn too_many() -> AppError {
    AppError::bad_input(
        format!("more than {MAX_FILES} files match"),
        format!(
            "narrow the glob, or walk the folder with {}",
            NextCall::new("ctx_execute").in_error()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder {
        root: tempfile::TempDir,
    }

    impl Folder {
        fn with(files: &[&str]) -> Self {
            let root = tempfile::tempdir().unwrap();
            for name in files {
                let path = root.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, name).unwrap();
            }
            Self { root }
        }

        fn resolve(&self, names: &[&str]) -> Result<Vec<String>, String> {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let relative = |path: PathBuf| {
                path.strip_prefix(self.root.path()).unwrap().to_string_lossy().into_owned()
            };
            resolve(self.root.path(), &names)
                .map(|files| files.into_iter().map(relative).collect())
                .map_err(|error| error.message)
        }
    }

    #[test]
    fn resolves_paths_and_globs_in_order_without_duplicates() {
        let folder = Folder::with(&["b.log", "a.log", "in/c.log", "x.txt"]);
        assert_eq!(folder.resolve(&["x.txt", "*.log"]).unwrap(), ["x.txt", "a.log", "b.log"]);
        assert_eq!(folder.resolve(&["a.log", "**/*.log"]).unwrap(), ["a.log", "b.log", "in/c.log"]);
        assert_eq!(folder.resolve(&["in/*.{log,txt}"]).unwrap(), ["in/c.log"]);
    }

    #[test]
    fn existing_file_wins_over_glob() {
        let folder = Folder::with(&["a[1].log", "a1.log"]);
        assert_eq!(folder.resolve(&["a[1].log"]).unwrap(), ["a[1].log"]);
    }

    #[test]
    fn globs_skip_ignored_files_but_paths_do_not() {
        let folder = Folder::with(&["a.log", "b.log"]);
        fs::write(folder.root.path().join(".gitignore"), "b.log\n").unwrap();
        assert_eq!(folder.resolve(&["*.log"]).unwrap(), ["a.log"]);
        assert_eq!(folder.resolve(&["b.log"]).unwrap(), ["b.log"]);
    }

    #[test]
    fn reports_unreadable_files() {
        let folder = Folder::with(&["in/a"]);
        for (name, expected) in [
            ("gone", "does not exist"),
            ("in", "is a folder"),
            ("*.z", "no file matches"),
            ("[", "invalid glob"),
        ] {
            let message = folder.resolve(&[name]).unwrap_err();
            assert!(message.contains(expected), "{name}: {message}");
        }
        assert!(folder.resolve(&[]).is_err());
    }
}
