//! Removals that are asked about even if a wide rule allows the command.

use super::{base_name, find};
use crate::context::CallContext;
use crate::path::{join, lies_in, normalize};
use crate::shell::{Command, Word};
use crate::wildcard::{GLOB_MANY, GLOB_ONE, HOLE};

/// Commands that remove their operands.
pub(super) const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred", "srm", "trash"];

/// A removal of more than single files and folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CriticalRemoval {
    /// No rule may approve it in advance.
    Unapprovable(&'static str),
    /// What `find` finds in the working folder: a rule with this very command may approve it.
    FoundInWorkingFolder(&'static str),
}

impl CriticalRemoval {
    /// The same removal as one that no rule may approve.
    fn without_rules(self) -> Self {
        Self::Unapprovable(self.reason())
    }

    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Unapprovable(reason) | Self::FoundInWorkingFolder(reason) => reason,
        }
    }
}

/// The critical removal that a command is, if it is one.
pub(crate) fn critical(
    command: &Command,
    folders: &[String],
    context: &CallContext<'_>,
) -> Option<CriticalRemoval> {
    let name = base_name(command.words.first()?);
    let critical =
        |word: &Word| folders.iter().find_map(|folder| critical_path(word, folder, context));
    match &*name {
        name if REMOVERS.contains(&name) => {
            super::files::operands(command).find_map(critical).map(CriticalRemoval::without_rules)
        }
        name if find::is_find(name) && find::removes_all(command) => {
            critical_search(command, folders, context)
        }
        _ => None,
    }
}

/// The critical removal of what `find` prints for `xargs` in the same text.
pub(crate) fn critical_piped(
    command: &Command,
    others: &[&Command],
    folders: &[String],
    context: &CallContext<'_>,
) -> Option<CriticalRemoval> {
    let is_remover = |other: &Command| {
        let name = other.words.first().map(base_name);
        name.is_some_and(|name| matches!(&*name, "xargs" | "parallel"))
            && find::removes_operands(&other.words)
    };
    let is_search = find::is_find(&base_name(command.words.first()?)) && find::prints_all(command);
    (is_search && others.iter().any(|other| is_remover(other)))
        .then(|| critical_search(command, folders, context))?
}

/// The critical folder that `find` walks through, if one is.
fn critical_search(
    command: &Command,
    folders: &[String],
    context: &CallContext<'_>,
) -> Option<CriticalRemoval> {
    let mut starts = find::starting_points(command).peekable();
    if starts.peek().is_none() {
        return Some(CriticalRemoval::FoundInWorkingFolder(ALL_OF_WORKING_FOLDER));
    }
    starts.find_map(|start| folders.iter().find_map(|at| critical_path(start, at, context)))
}

const ALL_OF_WORKING_FOLDER: &str = "it removes everything in the working folder";

fn critical_path(word: &Word, folder: &str, context: &CallContext<'_>) -> Option<CriticalRemoval> {
    let text = with_working_folder(word, folder);
    if is_right_under_variable(&text) {
        let reason = "it removes everything under a variable, which may be empty";
        return Some(CriticalRemoval::Unapprovable(reason));
    }
    let expanded = match (word.has_tilde(), context.home) {
        (true, Some(home)) if text == "~" || text.starts_with("~/") => {
            format!("{home}{}", &text[1..])
        }
        (true, _) => return Some(CriticalRemoval::Unapprovable("it removes a user's home")),
        (false, _) => join(folder, &text),
    };
    let path = normalize(&expanded);
    let folder = before_globs(&path);
    critical_folder(folder, folder.len() < path.len(), context)
}

/// The marked text of a word; a substitution of `pwd` at its start is the folder that the command runs in.
fn with_working_folder(word: &Word, folder: &str) -> String {
    let text = word.marked();
    let source = word.source.trim_start_matches('"');
    let is_pwd = ["$(pwd)", "`pwd`", "$(pwd -P)"].iter().any(|start| source.starts_with(start));
    match text.strip_prefix(HOLE) {
        Some(rest) if is_pwd => format!("{folder}{rest}"),
        _ => text,
    }
}

/// The path before trailing names that are nothing but globs: `*`, `.*`, `?*`, `*/*`.
fn before_globs(mut path: &str) -> &str {
    let is_all = |name: &str| {
        name.contains([GLOB_MANY, GLOB_ONE])
            && name.chars().all(|character| matches!(character, GLOB_MANY | GLOB_ONE | '.'))
    };
    while let Some((parent, _)) = path.rsplit_once('/').filter(|(_, name)| is_all(name)) {
        path = if parent.is_empty() { "/" } else { parent };
    }
    path
}

/// `$x/`, `$x/*` and `"$x"/.*` start at the root if the variable is empty.
fn is_right_under_variable(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(HOLE).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    rest.chars().all(|character| matches!(character, GLOB_MANY | GLOB_ONE | '.' | '/'))
}

fn critical_folder(
    path: &str,
    only_content: bool,
    context: &CallContext<'_>,
) -> Option<CriticalRemoval> {
    use CriticalRemoval::{FoundInWorkingFolder, Unapprovable};

    let depth = path.split('/').filter(|name| !name.is_empty()).count();
    if depth == 0 {
        return Some(Unapprovable("it removes the root of the file system"));
    }
    if depth == 1 && !(only_content && path == "/tmp") {
        return Some(Unapprovable("it removes a top-level folder"));
    }
    if context.home.is_some_and(|home| lies_in(&normalize(home), path)) {
        return Some(Unapprovable("it removes the home folder"));
    }
    let cwd = normalize(context.cwd);
    match (lies_in(&cwd, path), only_content) {
        (true, _) if path != cwd => {
            Some(Unapprovable("it removes the folder above the working folder"))
        }
        (true, false) => Some(FoundInWorkingFolder("it removes the working folder")),
        (true, true) => Some(FoundInWorkingFolder(ALL_OF_WORKING_FOLDER)),
        (false, _) => None,
    }
}
