//! The state of the working tree, read from git's files: running git takes too long for a hook.

mod commits;
mod index;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use forebay_store::Project;
use forebay_text::cut;

use self::index::{Index, Tracked};
use super::layout::Section;
use super::session_facts::SessionFacts;

/// With more tracked files, only those that the session changed are checked.
const MAX_CHECKED_FILES: usize = 1_500;
/// File names per line.
const MAX_LISTED_FILES: usize = 12;

/// The state of the working tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitState {
    branch: Option<String>,
    /// Files that differ from the index.
    changed: Vec<String>,
    deleted: Vec<String>,
    /// Files that the session created and git does not track.
    untracked: Vec<String>,
    commits: Vec<String>,
}

impl GitState {
    /// Reads the state of a project; `touched` are the files that the session changed.
    pub(super) fn read(project: &Project, touched: &[String]) -> Option<Self> {
        let folder = project.git_folder()?;
        let branch = project.branch();
        let mut state =
            Self { commits: commits::last(folder, branch.as_deref()), branch, ..Self::default() };
        if let Some(index) = Index::read(&folder.join("index")) {
            state.compare(&index, &project.root, touched);
        }
        Some(state)
    }

    fn compare(&mut self, index: &Index, root: &Path, touched: &[String]) {
        let touched: BTreeSet<&str> = touched.iter().map(String::as_str).collect();
        let checks_all = index.files.len() <= MAX_CHECKED_FILES;
        let checked =
            index.files.iter().filter(|file| checks_all || touched.contains(file.path.as_str()));
        for file in checked {
            match fs::symlink_metadata(root.join(&file.path)) {
                Err(_) => self.deleted.push(file.path.clone()),
                Ok(metadata) if file.differs(&root.join(&file.path), &metadata) => {
                    self.changed.push(file.path.clone());
                }
                Ok(_) => {}
            }
        }
        let tracked: BTreeSet<&str> = index.files.iter().map(Tracked::path).collect();
        let is_new = |path: &&str| !tracked.contains(*path) && root.join(path).is_file();
        let inside = touched.into_iter().filter(|path| !Path::new(path).is_absolute());
        self.untracked = inside.filter(is_new).map(str::to_owned).collect();
    }
}

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let state = facts.git.as_ref()?;
    let mut lines = vec![match &state.branch {
        Some(branch) => format!("branch: {branch}"),
        None => "branch: none, detached HEAD".to_owned(),
    }];
    for (word, files) in [
        ("changed, not added", &state.changed),
        ("deleted, not added", &state.deleted),
        ("new, not added", &state.untracked),
    ] {
        lines.extend(list_files(word, files));
    }
    if !state.commits.is_empty() {
        lines.push(format!("last commits: {}", state.commits.join("; ")));
    }
    let more = "ctx_execute command=\"git status\"";
    Some(Section::new("## Git", lines, more).with_percent(10))
}

fn list_files(word: &str, files: &[String]) -> Option<String> {
    let shown: Vec<String> =
        files.iter().take(MAX_LISTED_FILES).map(|path| cut::suffix(path, 80).to_owned()).collect();
    let more = match files.len().saturating_sub(MAX_LISTED_FILES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    (!shown.is_empty()).then(|| format!("{word}: {}{more}", shown.join(", ")))
}
