//! Lists the files of a folder, without ignored and hidden ones; symlinks are not followed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder, WalkParallel};

use super::PathGlobs;
use super::file::Candidate;
use super::outcome::{Outcome, Skip};
use crate::AppError;
use crate::ingest::walk;

/// More files are unlikely to be intended.
const MAX_FILES: usize = 100_000;

/// Returns the selected files of a folder, sorted; counts what cannot be read.
pub(super) fn files(
    root: &Path,
    name: &str,
    path_globs: &PathGlobs,
    outcome: &mut Outcome,
) -> Result<Vec<Candidate>, AppError> {
    walk::check_top(root)?;
    let filter = PathFilter::new(path_globs)?;
    let skipped = Mutex::new(Vec::new());
    let mut files = walk::find(walker(root, path_globs), MAX_FILES, |entry| {
        judge(root, name, entry, &filter)?
            .map_err(|skip| skipped.lock().unwrap_or_else(PoisonError::into_inner).push(skip))
            .ok()
    });
    for skip in skipped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        outcome.skip(skip);
    }
    if files.len() > MAX_FILES {
        return Err(too_many(root));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walker(root: &Path, path_globs: &PathGlobs) -> WalkParallel {
    // Hidden files are visited only if a glob names a hidden one.
    let wants_hidden = path_globs.include.iter().any(|glob| glob.split('/').any(is_hidden_name));
    WalkBuilder::new(root)
        .hidden(!wants_hidden)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git" && walk::may_enter(entry))
        .build_parallel()
}

/// Returns a selected file or why it is skipped; None for anything but files.
fn judge(
    root: &Path,
    name: &str,
    found: Result<DirEntry, ignore::Error>,
    filter: &PathFilter,
) -> Option<Result<Candidate, Skip>> {
    let Ok(found) = found else { return Some(Err(Skip::Unreadable)) };
    let path = relative_path(root, &found).filter(|path| filter.has(path))?;
    if found.path_is_symlink() {
        return Some(Err(Skip::Link));
    }
    let source = if name == "." { path.clone() } else { format!("{name}/{path}") };
    Some(Ok(Candidate { path, source, file: found.into_path() }))
}

/// The include and exclude globs of a folder.
struct PathFilter {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl PathFilter {
    fn new(path_globs: &PathGlobs) -> Result<Self, AppError> {
        Ok(Self { include: globs(&path_globs.include)?, exclude: globs(&path_globs.exclude)? })
    }

    fn has(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(path))
    }
}

fn is_hidden_name(part: &str) -> bool {
    part.len() > 1 && part.starts_with('.') && part != ".."
}

/// Returns the path of a file or symlink relative to the folder, or None for folders and devices.
fn relative_path(root: &Path, found: &DirEntry) -> Option<String> {
    let kind = found.file_type()?;
    if !kind.is_file() && !kind.is_symlink() {
        return None;
    }
    let inside = found.path().strip_prefix(root).ok()?;
    Some(inside.to_string_lossy().into_owned())
}

/// Compiles the globs into one set; a glob without a slash matches at any depth.
fn globs(texts: &[String]) -> Result<Option<GlobSet>, AppError> {
    if texts.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let text = text.trim_start_matches("./");
        let anywhere = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
        let below = format!("{}/**", anywhere.trim_end_matches('/'));
        for pattern in [anywhere, below] {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
            set.add(glob.map_err(|error| invalid_glob(text, &error))?);
        }
    }
    set.build().map(Some).map_err(|error| invalid_glob("", &error))
}

fn invalid_glob(text: &str, error: &globset::Error) -> AppError {
    AppError::bad_input(
        format!("invalid glob `{text}`: {}", error.kind()),
        "for example: docs/**/*.md",
    )
}

fn too_many(root: &Path) -> AppError {
    AppError::bad_input(
        format!("{} has more than {MAX_FILES} files", root.display()),
        "narrow it with include or exclude, or index a folder in it",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], expect: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "a.md",
            "b.txt",
            "in/c.md",
            "in/deep/d.md",
            "out/e.md",
            ".h/f.md",
            "in/keep.log",
            "in/x.log",
        ];
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "out/\n*.log\n").unwrap();
        fs::write(folder.path().join("in/.gitignore"), "!keep.log\n").unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("in/loop")).unwrap();
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let path_globs = PathGlobs { include: owned(include), exclude: owned(exclude) };
        let found = files(folder.path(), "s", &path_globs, &mut Outcome::new("s")).unwrap();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, expect, "{include:?} {exclude:?}");
    }

    #[test]
    fn skips_ignored_hidden_and_linked_files() {
        check(&[], &[], &["a.md", "b.txt", "in/c.md", "in/deep/d.md", "in/keep.log"]);
        check(&["*.md"], &[], &["a.md", "in/c.md", "in/deep/d.md"]);
        check(&["in"], &["deep"], &["in/c.md", "in/keep.log"]);
        check(&["in/*.md"], &[], &["in/c.md"]);
        check(&[".h/**"], &[], &[".h/f.md"]);
    }

    #[test]
    fn reports_an_invalid_glob() {
        assert!(globs(&["[".to_owned()]).is_err());
    }
}
