//! Removals that are asked about even if a wide rule allows the command.

use super::base_name;
use crate::context::CallContext;
use crate::path::{join, lies_in, normalize};
use crate::shell::{Command, Word};
use crate::wildcard::{GLOB_MANY, GLOB_ONE, HOLE};

/// Commands that remove their operands.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred", "srm", "trash"];

/// Tests of `find` by which only some files match.
const NARROWING_TESTS: &[&str] = &[
    "-empty",
    "-size",
    "-links",
    "-inum",
    "-samefile",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-nouser",
    "-nogroup",
    "-perm",
    "-lname",
    "-ilname",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
];

/// Tests of `find` whose value is a pattern of names.
const NAME_TESTS: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];

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
        "find" if removes_all_found(command) => {
            let mut starts = starting_points(command).peekable();
            if starts.peek().is_none() {
                return Some(CriticalRemoval::FoundInWorkingFolder(ALL_OF_WORKING_FOLDER));
            }
            starts.find_map(critical)
        }
        _ => None,
    }
}

/// The folders that `find` walks through.
fn starting_points(command: &Command) -> impl Iterator<Item = &Word> {
    let is_option = |word: &&Word| matches!(&*word.marked(), "-H" | "-L" | "-P");
    let is_expression = |word: &&Word| word.marked().starts_with(['-', '(', '!']);
    command.words.iter().skip(1).skip_while(is_option).take_while(move |word| !is_expression(word))
}

/// Whether `find` removes what it finds, and no test narrows that to some files.
fn removes_all_found(command: &Command) -> bool {
    let words: Vec<String> = command.words.iter().skip(1).map(Word::marked).collect();
    let runs_remover = |at: usize| {
        let mut inner =
            words[at + 1..].iter().take_while(|word| !matches!(word.as_str(), ";" | "+"));
        inner.any(|word| REMOVERS.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    let removes = words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "-delete" => true,
        "-exec" | "-execdir" => runs_remover(at),
        _ => false,
    });
    let mut alternatives = words.split(|word| matches!(word.as_str(), "-o" | "-or" | ","));
    removes && !alternatives.all(is_narrowed)
}

/// Whether some test of a conjunction leaves out files.
fn is_narrowed(tests: &[String]) -> bool {
    let value = |at: usize| tests.get(at + 1).map(String::as_str).unwrap_or_default();
    let is_negated = |at: usize| at > 0 && matches!(tests[at - 1].as_str(), "!" | "-not");
    tests.iter().enumerate().any(|(at, test)| match test.as_str() {
        test if NAME_TESTS.contains(&test) => !is_negated(at) && !matches_all(value(at)),
        "-type" | "-xtype" => !is_negated(at) && !value(at).contains(['f', 'd']),
        "-empty" => !is_negated(at),
        test => NARROWING_TESTS.contains(&test) || test.starts_with("-newer"),
    })
}

/// Whether a pattern is nothing but globs: `*`, `*.*`, `./*`.
fn matches_all(pattern: &str) -> bool {
    let is_glob = |c| matches!(c, '*' | '?' | '.' | '/' | GLOB_MANY | GLOB_ONE);
    pattern.chars().all(is_glob)
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
