//! The files of a folder: what git ignores and what is hidden is left out, links are not followed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder, WalkParallel};

use super::Narrowed;
use super::file::Candidate;
use super::outcome::{Outcome, Skip};
use crate::AppError;
use crate::ingest::walk;

/// More files than this are hardly what was meant.
const MOST_FILES: usize = 100_000;

/// The files of a folder that are meant, in order; what cannot be looked into is counted.
pub(super) fn files(
    root: &Path,
    name: &str,
    narrowed: &Narrowed,
    outcome: &mut Outcome,
) -> Result<Vec<Candidate>, AppError> {
    let meant = Meant::of(narrowed)?;
    let skipped = Mutex::new(Vec::new());
    let mut files = walk::find(walker(root, narrowed), MOST_FILES, |entry| {
        judge(root, name, entry, &meant)?
            .map_err(|skip| skipped.lock().unwrap_or_else(PoisonError::into_inner).push(skip))
            .ok()
    });
    for skip in skipped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        outcome.skip(skip);
    }
    if files.len() > MOST_FILES {
        return Err(too_many(root));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walker(root: &Path, narrowed: &Narrowed) -> WalkParallel {
    // Hidden files are looked at only where a glob names a hidden one.
    let wants_hidden = narrowed.include.iter().any(|glob| glob.split('/').any(is_hidden_name));
    WalkBuilder::new(root)
        .hidden(!wants_hidden)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build_parallel()
}

/// A file that is meant, or why it is left out; what is no file does not count.
fn judge(
    root: &Path,
    name: &str,
    found: Result<DirEntry, ignore::Error>,
    meant: &Meant,
) -> Option<Result<Candidate, Skip>> {
    let Ok(found) = found else { return Some(Err(Skip::Unreadable)) };
    let path = place(root, &found).filter(|path| meant.has(path))?;
    if found.path_is_symlink() {
        return Some(Err(Skip::Link));
    }
    let source = if name == "." { path.clone() } else { format!("{name}/{path}") };
    Some(Ok(Candidate { path, source, file: found.into_path() }))
}

/// What of a folder is meant.
struct Meant {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Meant {
    fn of(narrowed: &Narrowed) -> Result<Self, AppError> {
        Ok(Self { include: globs(&narrowed.include)?, exclude: globs(&narrowed.exclude)? })
    }

    fn has(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(path))
    }
}

fn is_hidden_name(part: &str) -> bool {
    part.len() > 1 && part.starts_with('.') && part != ".."
}

/// The place of a file or a link in the folder; folders and devices have none.
fn place(root: &Path, found: &DirEntry) -> Option<String> {
    let kind = found.file_type()?;
    if !kind.is_file() && !kind.is_symlink() {
        return None;
    }
    let inside = found.path().strip_prefix(root).ok()?;
    Some(inside.to_string_lossy().into_owned())
}

/// The globs as one; a glob without a slash matches at any depth.
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
            set.add(glob.map_err(|error| wrong_glob(text, &error))?);
        }
    }
    set.build().map(Some).map_err(|error| wrong_glob("", &error))
}

fn wrong_glob(text: &str, error: &globset::Error) -> AppError {
    AppError::bad_input(
        format!("`{text}` is no glob: {}", error.kind()),
        "for example: docs/**/*.md",
    )
}

fn too_many(root: &Path) -> AppError {
    AppError::bad_input(
        format!("{} has more than {MOST_FILES} files", root.display()),
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
        let narrowed = Narrowed { include: owned(include), exclude: owned(exclude) };
        let found = files(folder.path(), "s", &narrowed, &mut Outcome::new("s")).unwrap();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, expect, "{include:?} {exclude:?}");
    }

    #[test]
    fn ignored_hidden_and_linked_files_are_left_out() {
        check(&[], &[], &["a.md", "b.txt", "in/c.md", "in/deep/d.md", "in/keep.log"]);
        check(&["*.md"], &[], &["a.md", "in/c.md", "in/deep/d.md"]);
        check(&["in"], &["deep"], &["in/c.md", "in/keep.log"]);
        check(&["in/*.md"], &[], &["in/c.md"]);
        check(&[".h/**"], &[], &[".h/f.md"]);
    }

    #[test]
    fn a_wrong_glob_is_told() {
        assert!(globs(&["[".to_owned()]).is_err());
    }
}
