//! Where a host keeps permission rules, and what parsing one of its files yields.

use forebay_policy::{List, Origin};

use super::translate;
use crate::folders::BaseDir;

/// A file or folder in which a host keeps permission rules.
#[derive(Debug, Clone, Copy)]
pub struct RuleSource {
    pub folder: RuleFolder,
    /// Below the folder.
    pub path: &'static str,
    pub kind: SourceKind,
    /// Parses the text of a file; the error says what is wrong with it.
    pub parse: fn(&str, &ParseContext) -> Result<ParsedRules, String>,
}

/// The folder that a source is relative to.
#[derive(Debug, Clone, Copy)]
pub enum RuleFolder {
    /// The folder for administrators' settings, by operating system.
    Managed { linux: &'static str, macos: &'static str },
    /// The project's root, for a file that one person keeps out of version control.
    Local,
    /// The project's root.
    ProjectRoot,
    /// Every folder from the working directory up to the project's root.
    Project,
    /// A folder of the user.
    User(BaseDir),
}

impl RuleFolder {
    /// The origin of rules from this folder.
    pub const fn origin(self) -> Origin {
        match self {
            Self::Managed { .. } => Origin::Managed,
            Self::Local => Origin::Local,
            Self::ProjectRoot | Self::Project => Origin::Project,
            Self::User(_) => Origin::User,
        }
    }
}

/// What the path of a source names.
#[derive(Debug, Clone, Copy)]
pub enum SourceKind {
    File,
    /// All files with this extension in a folder.
    Folder(&'static str),
}

/// What a parser needs beside the text.
#[derive(Debug, Clone)]
pub struct ParseContext {
    pub origin: Origin,
    /// The project's root: as given, and with symbolic links resolved.
    pub roots: Vec<String>,
}

impl ParseContext {
    /// Anchors a pattern at the project's root.
    ///
    /// In a project's rules `/` is the root; in a user's rules it is another folder, so the root is
    /// spelled out.
    pub(super) fn under_root(&self, pattern: &str) -> Vec<String> {
        if self.origin == Origin::Project {
            return vec![format!("/{pattern}")];
        }
        let below = |root: &String| {
            format!("//{}/{pattern}", translate::escape_path(root.trim_matches('/')))
        };
        self.roots.iter().map(below).collect()
    }
}

/// The rules of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ParsedRules {
    /// In Forebay's rule syntax.
    pub rules: Vec<(List, String)>,
    pub diagnostics: Vec<Diagnostic>,
    /// Further folders that the host may work in.
    pub directories: Vec<String>,
    /// Only managed rules apply.
    pub is_managed_only: bool,
}

/// A rule that does not apply as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule as the file has it.
    pub rule: String,
    pub message: String,
    /// No rule replaces it; otherwise a stricter one does.
    pub is_skipped: bool,
}

impl ParsedRules {
    pub(super) fn add(&mut self, list: List, rule: impl Into<String>) {
        self.rules.push((list, rule.into()));
    }

    pub(super) fn extend(&mut self, list: List, rules: impl IntoIterator<Item = String>) {
        self.rules.extend(rules.into_iter().map(|rule| (list, rule)));
    }

    /// Reports a rule that is left out.
    pub(super) fn skip(&mut self, rule: impl Into<String>, reason: &str) {
        let message = format!("is skipped: {reason}");
        self.diagnostics.push(Diagnostic { rule: rule.into(), message, is_skipped: true });
    }

    /// Reports a rule that a stricter one replaces.
    pub(super) fn warn(&mut self, rule: impl Into<String>, message: impl Into<String>) {
        let message = message.into();
        self.diagnostics.push(Diagnostic { rule: rule.into(), message, is_skipped: false });
    }
}

/// The file in which a host records the workspaces that the user trusts.
#[derive(Debug, Clone, Copy)]
pub struct TrustFile {
    /// In the user's home folder.
    pub path: &'static str,
    /// The trusted folders in the text of the file.
    pub folders: fn(&str) -> Vec<String>,
}

#[cfg(test)]
impl ParseContext {
    pub(super) fn project() -> Self {
        Self { origin: Origin::Project, roots: vec!["/p".to_owned()] }
    }

    pub(super) fn user() -> Self {
        Self { origin: Origin::User, roots: vec!["/p".to_owned()] }
    }
}

#[cfg(test)]
impl ParsedRules {
    /// Rules and diagnostics, one a line.
    pub(super) fn lines(&self) -> Vec<String> {
        let rules = self.rules.iter().map(|(list, text)| format!("{} {text}", list.as_str()));
        let diagnostics = self.diagnostics.iter().map(|each| {
            let kind = if each.is_skipped { "skipped" } else { "warning" };
            format!("{kind}: {} {}", each.rule, each.message)
        });
        rules.chain(diagnostics).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_escaped_and_kept_in_every_spelling() {
        let roots = vec!["/a [b]*".to_owned(), "/real".to_owned()];
        let context = ParseContext { origin: Origin::User, roots };
        assert_eq!(context.under_root("x/**"), ["//a \\[b]\\*/x/**", "//real/x/**"]);
        assert_eq!(ParseContext::project().under_root("x"), ["/x"]);
    }
}
