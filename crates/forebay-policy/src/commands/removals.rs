//! Removals that no rule may approve in advance.

use super::base_name;
use crate::context::CallContext;
use crate::path::{join, lies_in, normalize};
use crate::shell::{Command, Word};
use crate::wildcard::{GLOB_MANY, GLOB_ONE, HOLE};

/// Why a removal is critical, if it is.
pub(crate) fn critical(
    command: &Command,
    folders: &[String],
    context: &CallContext<'_>,
) -> Option<&'static str> {
    let name = base_name(command.words.first()?);
    if !matches!(&*name, "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash") {
        return None;
    }
    super::files::operands(command)
        .find_map(|word| folders.iter().find_map(|folder| critical_path(word, folder, context)))
}

fn critical_path(word: &Word, folder: &str, context: &CallContext<'_>) -> Option<&'static str> {
    let text = with_working_folder(word, folder);
    if is_right_under_variable(&text) {
        return Some("it removes everything under a variable, which may be empty");
    }
    let expanded = match (word.has_tilde(), context.home) {
        (true, Some(home)) if text == "~" || text.starts_with("~/") => {
            format!("{home}{}", &text[1..])
        }
        (true, _) => return Some("it removes a user's home"),
        (false, _) => join(folder, &text),
    };
    let path = normalize(&expanded);
    let folder = before_globs(&path);
    is_critical_folder(folder, folder.len() < path.len(), context)
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

fn is_critical_folder(
    path: &str,
    only_content: bool,
    context: &CallContext<'_>,
) -> Option<&'static str> {
    let depth = path.split('/').filter(|name| !name.is_empty()).count();
    if depth == 0 {
        return Some("it removes the root of the file system");
    }
    if depth == 1 && !(only_content && path == "/tmp") {
        return Some("it removes a top-level folder");
    }
    if context.home.is_some_and(|home| lies_in(&normalize(home), path)) {
        return Some("it removes the home folder");
    }
    let cwd = normalize(context.cwd);
    match (lies_in(&cwd, path), only_content) {
        (true, false) => Some("it removes the working folder"),
        (true, true) => Some("it removes everything in the working folder"),
        (false, _) => None,
    }
}
