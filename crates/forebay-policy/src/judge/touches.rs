//! The files of a command as full paths, from every folder it may be in.

use crate::commands::files::{self, Access, By, Touch};
use crate::commands::{Survey, base_name};
use crate::path::{Ground, PathPattern, Place, join, normalize, shows_its_name};
use crate::shell::{Command, Word};
use crate::wildcard::{HOLE, Reading, has_marks};

/// Folders a command may change to that are followed.
const MOST_FOLDERS: usize = 64;

/// How surely a rule covers something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hit {
    No,
    /// What is not known yet may make it so.
    Maybe,
    Yes,
}

/// A file that is touched, by its full path.
pub(super) struct Touched {
    pub(super) access: Access,
    pub(super) by: By,
    /// Tidy, with marks.
    pub(super) given: String,
    pub(super) resolved: Option<String>,
    /// Its beginning is not known, so it may be anywhere.
    is_anywhere: bool,
}

impl Touched {
    fn new(touch: &Touch, folder: &str, ground: &Ground<'_>) -> Self {
        let text = expand_home(touch, ground);
        let full = join(folder, &text);
        let real = if has_marks(&full) { None } else { (ground.world.real_path)(&full) };
        Self {
            access: touch.access,
            by: touch.by,
            given: ground.tidy(&full),
            resolved: real.map(|path| ground.tidy(&path)),
            is_anywhere: text.starts_with(HOLE) || full.starts_with(HOLE),
        }
    }

    /// How surely a pattern covers the file, given or resolved.
    pub(super) fn hit(&self, pattern: &PathPattern, place: &Place<'_>) -> Hit {
        let covers = |path: &str, reading| pattern.covers(path, reading, place);
        let is_resolved =
            self.resolved.as_deref().is_some_and(|path| covers(path, Reading::Closed));
        if is_resolved || covers(&self.given, Reading::Closed) {
            return Hit::Yes;
        }
        if !has_marks(&self.given) || !(self.is_anywhere || covers(&self.given, Reading::Open)) {
            return Hit::No;
        }
        let only_globs = !self.given.contains(HOLE);
        if only_globs && shows_its_name(&self.given) { Hit::Yes } else { Hit::Maybe }
    }

    /// Whether a pattern covers the file whichever way it is reached.
    pub(super) fn is_allowed_by(&self, pattern: &PathPattern, place: &Place<'_>) -> bool {
        let covers = |path: &str| pattern.covers(path, Reading::Closed, place);
        !has_marks(&self.given)
            && covers(&self.given)
            && self.resolved.as_deref().is_none_or(covers)
    }

    /// The paths that count.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.given.as_str()).chain(self.resolved.as_deref())
    }

    pub(super) fn is_in_working_folder(&self, ground: &Ground<'_>) -> bool {
        !has_marks(&self.given) && self.paths().all(|path| ground.is_working_folder(path))
    }
}

fn expand_home(touch: &Touch, ground: &Ground<'_>) -> String {
    let path = &touch.path;
    if !touch.has_tilde {
        return path.clone();
    }
    match ground.world.home {
        Some(home) if path == "~" || path.starts_with("~/") => format!("{home}{}", &path[1..]),
        // Another user's home, or an unknown one.
        _ => format!("{HOLE}{}", path.find('/').map_or("", |at| &path[at..])),
    }
}

/// Every file the commands of a survey touch, once for each folder they may be in.
pub(super) fn of_command(
    command: &Command,
    folders: &[String],
    ground: &Ground<'_>,
) -> Vec<Touched> {
    let touches = files::touched(command);
    let from_each = touches
        .iter()
        .flat_map(|touch| folders.iter().map(move |folder| Touched::new(touch, folder, ground)));
    from_each.collect()
}

/// One operand as a file, from the folder the call starts in.
pub(super) fn of_operand(word: &Word, ground: &Ground<'_>) -> Touched {
    let touch = Touch::of_word(word, Access::Write, By::Argument);
    Touched::new(&touch, ground.world.cwd, ground)
}

/// The folders commands may be in: where the call starts, and wherever it changes to, from there or
/// from the folder before.
pub(super) fn folders(survey: &Survey, ground: &Ground<'_>) -> Vec<String> {
    let mut folders = vec![ground.world.cwd.to_owned()];
    let mut last = ground.world.cwd.to_owned();
    for target in survey.parts.iter().flat_map(|part| changes_to(&part.command)) {
        let touch = Touch::of_word(&target, Access::Read, By::Argument);
        let text = expand_home(&touch, ground);
        let from_last = if text.starts_with(HOLE) { text.clone() } else { join(&last, &text) };
        for next in [join(ground.world.cwd, &text), from_last.clone()] {
            if !folders.contains(&next) {
                folders.push(next);
            }
        }
        last = from_last;
        if folders.len() > MOST_FOLDERS {
            // Too many to follow: it may be anywhere.
            folders.push(HOLE.to_string());
            break;
        }
    }
    folders
}

/// Whether a command goes to another folder than the one it is in.
pub(super) fn leaves(command: &Command, ground: &Ground<'_>) -> bool {
    changes_to(command).iter().any(|target| {
        let text = target.marked();
        has_marks(&text) || normalize(&join(ground.world.cwd, &text)) != normalize(ground.world.cwd)
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
