//! The files of a command as absolute paths, from every directory it may run in.

use super::RuleMatch;
use crate::commands::files::{self, Access, NamedBy, NamedFile};
use crate::commands::{ReachableCommands, base_name};
use crate::path::{BaseDirs, MatchContext, PathPattern, join, normalize, shows_its_name};
use crate::shell::{Command, Word};
use crate::wildcard::{HOLE, UnknownParts, has_marks, is_mark};

/// Directories that are tracked.
const MAX_FOLDERS: usize = 64;

/// A file that a command accesses, by absolute path.
pub(super) struct AccessedFile {
    pub(super) access: Access,
    pub(super) by: NamedBy,
    /// Canonical, with marks for unknown parts.
    pub(super) given: String,
    pub(super) resolved: Option<String>,
    /// Its start is unknown, so it may be anywhere.
    is_anywhere: bool,
    /// No glob in it can lead out of the directory before it.
    globs_descend: bool,
}

impl AccessedFile {
    fn new(file: &NamedFile, folder: &str, base_dirs: &BaseDirs<'_>) -> Self {
        let text = expand_home(file, base_dirs);
        let full = join(folder, &text);
        let real = if has_marks(&full) { None } else { (base_dirs.context.real_path)(&full) };
        Self {
            access: file.access,
            by: file.by,
            given: base_dirs.normalize(&full),
            resolved: real.map(|path| base_dirs.normalize(&path)),
            is_anywhere: text.starts_with(HOLE) || full.starts_with(HOLE),
            globs_descend: globs_descend(&text),
        }
    }

    /// How certainly a pattern covers the file, as given or resolved.
    pub(super) fn match_pattern(
        &self,
        pattern: &PathPattern,
        rule_context: &MatchContext<'_>,
    ) -> RuleMatch {
        let covers = |path: &str, reading| pattern.covers(path, reading, rule_context);
        let is_resolved =
            self.resolved.as_deref().is_some_and(|path| covers(path, UnknownParts::Closed));
        if is_resolved || covers(&self.given, UnknownParts::Closed) {
            return RuleMatch::Yes;
        }
        if !has_marks(&self.given) || !(self.is_anywhere || covers(&self.given, UnknownParts::Open))
        {
            return RuleMatch::No;
        }
        let only_globs = !self.given.contains(HOLE);
        if only_globs && shows_its_name(&self.given) { RuleMatch::Yes } else { RuleMatch::Maybe }
    }

    /// Whether a pattern covers the file by every path.
    pub(super) fn is_allowed_by(
        &self,
        pattern: &PathPattern,
        rule_context: &MatchContext<'_>,
    ) -> bool {
        let covers = |path: &str| pattern.covers(path, UnknownParts::Closed, rule_context);
        !has_marks(&self.given)
            && covers(&self.given)
            && self.resolved.as_deref().is_none_or(covers)
    }

    /// The given and the resolved path.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.given.as_str()).chain(self.resolved.as_deref())
    }

    pub(super) fn is_in_working_folder(&self, base_dirs: &BaseDirs<'_>) -> bool {
        !has_marks(&self.given) && self.paths().all(|path| base_dirs.is_working_folder(path))
    }

    /// Whether reading it reads in working directories only; globs may stay open.
    pub(super) fn is_read_inside(&self, base_dirs: &BaseDirs<'_>) -> bool {
        const HARMLESS: [&str; 2] = ["/dev/null", "/dev/stdin"];
        let is_known = !self.given.contains(HOLE) && self.globs_descend;
        HARMLESS.contains(&&*self.given)
            || is_known && self.paths().all(|path| base_dirs.is_working_folder(path))
    }
}

/// Whether no glob can match `..`, and none is followed by it: `.*` may be the parent, `*/..` the target of a link.
fn globs_descend(path: &str) -> bool {
    let may_be_parent =
        |name: &str| name.strip_prefix('.').is_some_and(|rest| rest.starts_with(is_mark));
    !has_marks(path) || !path.split('/').any(|name| name == ".." || may_be_parent(name))
}

fn expand_home(file: &NamedFile, base_dirs: &BaseDirs<'_>) -> String {
    let path = &file.path;
    if !file.has_tilde {
        return path.clone();
    }
    match base_dirs.context.home {
        Some(home) if path == "~" || path.starts_with("~/") => format!("{home}{}", &path[1..]),
        // Another user's home directory, or an unknown one.
        _ => format!("{HOLE}{}", path.find('/').map_or("", |at| &path[at..])),
    }
}

/// Every file that a command accesses, for each directory it may run in.
pub(super) fn for_command(
    command: &Command,
    folders: &[String],
    base_dirs: &BaseDirs<'_>,
) -> Vec<AccessedFile> {
    let named = files::named_files(command);
    let from_each = named.iter().flat_map(|file| {
        folders.iter().map(move |folder| AccessedFile::new(file, folder, base_dirs))
    });
    from_each.collect()
}

/// Words as files that are read, for each directory they may be relative to.
pub(super) fn for_words<'a>(
    words: impl Iterator<Item = &'a Word>,
    folders: &[String],
    base_dirs: &BaseDirs<'_>,
) -> Vec<AccessedFile> {
    let named = words.map(|word| NamedFile::from_word(word, Access::Read, NamedBy::Argument));
    named
        .flat_map(|file| {
            folders
                .iter()
                .map(move |folder| AccessedFile::new(&file, folder, base_dirs))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A directory that commands run in.
pub(super) fn for_folder(folder: &str, base_dirs: &BaseDirs<'_>) -> AccessedFile {
    let file = NamedFile {
        access: Access::Read,
        path: folder.to_owned(),
        has_tilde: false,
        by: NamedBy::Argument,
    };
    AccessedFile::new(&file, base_dirs.context.cwd, base_dirs)
}

/// One operand as a file, relative to the initial directory.
pub(super) fn for_operand(word: &Word, base_dirs: &BaseDirs<'_>) -> AccessedFile {
    let file = NamedFile::from_word(word, Access::Write, NamedBy::Argument);
    AccessedFile::new(&file, base_dirs.context.cwd, base_dirs)
}

/// The directories commands may run in: the initial one and every `cd` target, relative to it or to the previous one.
pub(super) fn folders(reachable: &ReachableCommands<'_>, base_dirs: &BaseDirs<'_>) -> Vec<String> {
    let mut folders = vec![base_dirs.context.cwd.to_owned()];
    let mut last = base_dirs.context.cwd.to_owned();
    for target in reachable.commands.iter().flat_map(|candidate| changes_to(&candidate.command)) {
        let file = NamedFile::from_word(&target, Access::Read, NamedBy::Argument);
        let text = expand_home(&file, base_dirs);
        let from_last = if text.starts_with(HOLE) { text.clone() } else { join(&last, &text) };
        for next in [join(base_dirs.context.cwd, &text), from_last.clone()] {
            if !folders.contains(&next) {
                folders.push(next);
            }
        }
        last = from_last;
        if folders.len() > MAX_FOLDERS {
            // Too many to track: it may be anywhere.
            folders.push(HOLE.to_string());
            break;
        }
    }
    folders
}

/// Whether a command changes the working directory.
pub(super) fn leaves(command: &Command, base_dirs: &BaseDirs<'_>) -> bool {
    changes_to(command).iter().any(|target| {
        let text = target.marked();
        has_marks(&text)
            || normalize(&join(base_dirs.context.cwd, &text)) != normalize(base_dirs.context.cwd)
    })
}

fn changes_to(command: &Command) -> Vec<Word> {
    let words = &command.words;
    let mut targets = Vec::new();
    if words.first().is_some_and(|word| matches!(&*base_name(word), "cd" | "pushd" | "chdir")) {
        targets.push(match files::operands(command).next() {
            Some(target) => target.clone(),
            None if words.iter().any(|word| word.marked() == "-") => Word::unknown(),
            None => Word::home(),
        });
    }
    let is_option = |word: &Word| matches!(&*word.marked(), "-C" | "--directory" | "--chdir");
    targets.extend(words.windows(2).filter(|pair| is_option(&pair[0])).map(|pair| pair[1].clone()));
    targets
}
