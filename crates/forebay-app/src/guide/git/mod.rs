//! The state of git, read from its own files: a hook has no time to run git.

mod commits;
mod index;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use forebay_store::Project;
use forebay_text::cut;

use self::index::{Index, Tracked};
use super::facts::Facts;
use super::layout::Section;

/// With more files than this only those the session changed are looked at.
const MOST_LOOKED_AT: usize = 1_500;
/// Names of one line.
const NAMED: usize = 12;

/// Where the work stands in git.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitState {
    branch: Option<String>,
    /// Differ from what git has of them; staged or not is not told apart here.
    changed: Vec<String>,
    deleted: Vec<String>,
    /// Files of the session that git does not track.
    untracked: Vec<String>,
    commits: Vec<String>,
}

impl GitState {
    /// The state of a project; `touched` are the files that the session changed.
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
        let looks_at_all = index.files.len() <= MOST_LOOKED_AT;
        let looked_at =
            index.files.iter().filter(|file| looks_at_all || touched.contains(file.path.as_str()));
        for file in looked_at {
            match fs::symlink_metadata(root.join(&file.path)) {
                Err(_) => self.deleted.push(file.path.clone()),
                Ok(found) if file.differs(&root.join(&file.path), &found) => {
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

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let state = facts.git.as_ref()?;
    let mut lines = vec![match &state.branch {
        Some(branch) => format!("branch: {branch}"),
        None => "branch: none, a commit is checked out".to_owned(),
    }];
    for (word, files) in [
        ("changed, not added", &state.changed),
        ("deleted, not added", &state.deleted),
        ("new, not added", &state.untracked),
    ] {
        lines.extend(named(word, files));
    }
    if !state.commits.is_empty() {
        lines.push(format!("last commits: {}", state.commits.join("; ")));
    }
    let more = "ctx_execute command=\"git status\"";
    Some(Section::new("## Git", lines, more).weighing(10))
}

fn named(word: &str, files: &[String]) -> Option<String> {
    let shown: Vec<String> =
        files.iter().take(NAMED).map(|path| cut::suffix(path, 80).to_owned()).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    (!shown.is_empty()).then(|| format!("{word}: {}{more}", shown.join(", ")))
}
