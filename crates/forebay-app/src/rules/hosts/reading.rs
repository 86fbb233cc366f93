//! What a reader makes of a host's file: rules in Forebay's own form, and what it has to say about them.

use forebay_policy::{List, Origin};

use super::spell;

/// The rules of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) rows: Vec<(List, String)>,
    pub(super) notes: Vec<Note>,
}

/// Something in a file that does not count as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// The rule as the file has it.
    pub(super) text: String,
    pub(super) what: String,
    /// Nothing in force stands for it.
    pub(super) is_lost: bool,
}

impl Reading {
    pub(super) fn row(&mut self, list: List, text: impl Into<String>) {
        self.rows.push((list, text.into()));
    }

    pub(super) fn rows(&mut self, list: List, texts: impl IntoIterator<Item = String>) {
        self.rows.extend(texts.into_iter().map(|text| (list, text)));
    }

    /// A rule that is skipped.
    pub(super) fn lost(&mut self, text: impl Into<String>, why: &str) {
        let what = format!("is skipped: {why}");
        self.notes.push(Note { text: text.into(), what, is_lost: true });
    }

    /// A rule that counts for more than it says.
    pub(super) fn stricter(&mut self, text: impl Into<String>, what: impl Into<String>) {
        self.notes.push(Note { text: text.into(), what: what.into(), is_lost: false });
    }
}

/// What a reader must know beside the text.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    /// Where the file lies: the user's home, or the project.
    pub(super) origin: Origin,
    /// The project's root, in every spelling that leads to it.
    pub(super) roots: Vec<String>,
}

impl Scene {
    /// A pattern below the project's root. A project's rules have an anchor for that; to the user's,
    /// `/` is another folder, so they name the root in full.
    pub(super) fn below_root(&self, pattern: &str) -> Vec<String> {
        if self.origin == Origin::Project {
            return vec![format!("/{pattern}")];
        }
        let below = |root: &String| format!("//{}/{pattern}", spell::path(root.trim_matches('/')));
        self.roots.iter().map(below).collect()
    }
}

/// Where a host's file lies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lies {
    /// Below a folder of the user's: the one a variable names, or else one in his home.
    User { variable: &'static str, otherwise: &'static str },
    /// In the project's folders.
    Project,
}

/// What lies there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    File,
    /// Files with this ending count.
    Folder(&'static str),
}

/// A place where a host keeps rules, and who reads them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) lies: Lies,
    pub(super) path: &'static str,
    pub(super) holds: Holds,
    /// Reads a text; the error says why it is none of the host's.
    pub(super) read: fn(&str, &Scene) -> Result<Reading, String>,
}

#[cfg(test)]
impl Scene {
    pub(super) fn project() -> Self {
        Self { origin: Origin::Project, roots: vec!["/p".to_owned()] }
    }

    pub(super) fn user() -> Self {
        Self { origin: Origin::User, roots: vec!["/p".to_owned()] }
    }
}

#[cfg(test)]
impl Reading {
    /// Rows and notes as lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let rows = self.rows.iter().map(|(list, text)| format!("{} {text}", list.as_str()));
        let notes = self.notes.iter().map(|note| {
            format!("{} {} {}", if note.is_lost { "lost" } else { "note" }, note.text, note.what)
        });
        rows.chain(notes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_matched_as_it_is_in_every_spelling() {
        let roots = vec!["/a [b]*".to_owned(), "/real".to_owned()];
        let scene = Scene { origin: Origin::User, roots };
        assert_eq!(scene.below_root("x/**"), ["//a \\[b]\\*/x/**", "//real/x/**"]);
        assert_eq!(Scene::project().below_root("x"), ["/x"]);
    }
}
