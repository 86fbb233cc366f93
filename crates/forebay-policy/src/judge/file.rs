//! Judging a read or a change of a file.

use super::{Action, Case, by_rule};
use crate::path::{Place, join};
use crate::rule::{List, Specifier, ToolPattern};
use crate::rules::Placed;
use crate::verdict::Verdict;
use crate::wildcard::Reading;
use crate::world::{Mode, Paths};

/// Folders whose content decides what programs do.
const PROTECTED_FOLDERS: &[&str] =
    &[".git", ".claude", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".ssh"];
/// Files that decide what shells and tools do.
const PROTECTED_FILES: &[&str] = &[
    ".mcp.json",
    ".claude.json",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".gitconfig",
    ".gitmodules",
    ".envrc",
    ".ripgreprc",
];

/// Whether a tidy path is never changed without being asked about.
pub(super) fn is_protected(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    PROTECTED_FILES.contains(&name) || path.split('/').any(|name| PROTECTED_FOLDERS.contains(&name))
}

pub(super) fn protected_reason(path: &str) -> String {
    format!("{path} is protected: no setting allows a change of it in advance")
}

pub(super) fn judge(case: &Case<'_>, paths: &Paths) -> Verdict {
    let given = case.ground.tidy(&join(case.world().cwd, &paths.given));
    let resolved = paths.resolved.as_deref().map(|path| case.ground.tidy(path));
    let target = Target {
        paths: std::iter::once(given).chain(resolved).collect(),
        is_edit: matches!(case.call.action, Action::Edit(_)),
    };
    [List::Deny, List::Ask]
        .into_iter()
        .find_map(|list| case.first_hit(list, |placed| target.is_forbidden_by(case, placed, list)))
        .map(|(list, placed)| by_rule(list, placed))
        .or_else(|| target.protected(case))
        .or_else(|| target.allowed(case))
        .unwrap_or_else(|| case.unmatched())
}

/// The file, by every path that leads to it.
struct Target {
    paths: Vec<String>,
    is_edit: bool,
}

impl Target {
    /// One of its paths is enough.
    fn is_forbidden_by(&self, case: &Case<'_>, placed: &Placed, list: List) -> bool {
        let concerns = match &placed.rule.tool {
            ToolPattern::Name(name) if name == "Edit" => self.is_edit,
            ToolPattern::Name(name) if name == "Read" => !self.is_edit || list == List::Deny,
            _ => false,
        };
        let place = Place { ground: case.ground, origin: placed.origin, list };
        concerns
            && match &placed.rule.specifier {
                Specifier::Whole => true,
                Specifier::Path(pattern) => {
                    self.paths.iter().any(|path| pattern.covers(path, Reading::Closed, &place))
                }
                _ => false,
            }
    }

    fn protected(&self, case: &Case<'_>) -> Option<Verdict> {
        if !self.is_edit || case.world().mode == Mode::BypassPermissions {
            return None;
        }
        let path = self.paths.iter().find(|path| is_protected(path))?;
        Some(Verdict::ask(protected_reason(path)))
    }

    fn allowed(&self, case: &Case<'_>) -> Option<Verdict> {
        case.first_hit(List::Allow, |placed| self.is_allowed_by(case, placed))
            .map(|(list, placed)| by_rule(list, placed))
            .or_else(|| self.allowed_by_place(case))
    }

    /// All of its paths are needed.
    fn is_allowed_by(&self, case: &Case<'_>, placed: &Placed) -> bool {
        let name = if self.is_edit { "Edit" } else { "Read" };
        let place = Place { ground: case.ground, origin: placed.origin, list: List::Allow };
        placed.rule.tool == ToolPattern::Name(name.to_owned())
            && matches!(&placed.rule.specifier, Specifier::Path(pattern)
                if self.paths.iter().all(|path| pattern.covers(path, Reading::Closed, &place)))
    }

    /// The host reads in its working folders unasked, and edits there when its mode accepts it.
    fn allowed_by_place(&self, case: &Case<'_>) -> Option<Verdict> {
        let accepts = match case.world().mode {
            Mode::Forebay(_) | Mode::BypassPermissions => false,
            Mode::AcceptEdits => true,
            Mode::Default | Mode::Plan | Mode::DontAsk => !self.is_edit,
        };
        let is_inside = self.paths.iter().all(|path| case.ground.is_working_folder(path));
        (accepts && is_inside).then(|| Verdict::allow("it lies in a working folder"))
    }
}
