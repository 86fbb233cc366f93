//! Judges a read or an edit of a file.

use super::{Action, PolicyCheck, by_rule, protected};
use crate::context::{Mode, Paths};
use crate::path::{MatchContext, join};
use crate::rule::{List, Specifier, ToolPattern};
use crate::rules::SourcedRule;
use crate::verdict::{Ground, Verdict};
use crate::wildcard::UnknownParts;

pub(super) fn judge(check: &PolicyCheck<'_>, paths: &Paths) -> Verdict {
    let given = check.base_dirs.normalize(&join(check.context().cwd, &paths.given));
    let resolved = paths.resolved.as_deref().map(|path| check.base_dirs.normalize(path));
    let target = Target {
        paths: std::iter::once(given).chain(resolved).collect(),
        is_edit: matches!(check.call.action, Action::Edit(_)),
    };
    [List::Deny, List::Ask]
        .into_iter()
        .find_map(|list| {
            check.first_match(list, |sourced| target.is_forbidden_by(check, sourced, list))
        })
        .map(|(list, sourced)| by_rule(list, sourced))
        .or_else(|| target.protected(check))
        .or_else(|| target.allowed(check))
        .unwrap_or_else(|| check.unmatched())
}

/// A file by every path that leads to it.
struct Target {
    paths: Vec<String>,
    is_edit: bool,
}

impl Target {
    /// One matching path is enough.
    fn is_forbidden_by(&self, check: &PolicyCheck<'_>, sourced: &SourcedRule, list: List) -> bool {
        let concerns = match &sourced.rule.tool {
            ToolPattern::Name(name) if name == "Edit" => self.is_edit,
            ToolPattern::Name(name) if name == "Read" => !self.is_edit || list == List::Deny,
            _ => false,
        };
        let rule_context =
            MatchContext { base_dirs: check.base_dirs, origin: sourced.origin, list };
        concerns
            && match &sourced.rule.specifier {
                Specifier::Whole => true,
                Specifier::Path(pattern) => self
                    .paths
                    .iter()
                    .any(|path| pattern.covers(path, UnknownParts::Closed, &rule_context)),
                _ => false,
            }
    }

    fn protected(&self, check: &PolicyCheck<'_>) -> Option<Verdict> {
        if !self.is_edit || check.context().mode == Mode::BypassPermissions {
            return None;
        }
        let path = self.paths.iter().find(|path| protected::is_protected(path))?;
        Some(Verdict::ask(Ground::ProtectedFile, protected::reason(path)))
    }

    fn allowed(&self, check: &PolicyCheck<'_>) -> Option<Verdict> {
        check
            .first_match(List::Allow, |sourced| self.is_allowed_by(check, sourced))
            .map(|(list, sourced)| by_rule(list, sourced))
            .or_else(|| self.allowed_in_working_dir(check))
    }

    /// All paths must match.
    fn is_allowed_by(&self, check: &PolicyCheck<'_>, sourced: &SourcedRule) -> bool {
        let name = if self.is_edit { "Edit" } else { "Read" };
        let rule_context =
            MatchContext { base_dirs: check.base_dirs, origin: sourced.origin, list: List::Allow };
        sourced.rule.tool == ToolPattern::Name(name.to_owned())
            && matches!(&sourced.rule.specifier, Specifier::Path(pattern)
                if self.paths.iter().all(|path| pattern.covers(path, UnknownParts::Closed, &rule_context)))
    }

    /// Hosts read in working directories without asking, and edit there if their mode accepts it.
    fn allowed_in_working_dir(&self, check: &PolicyCheck<'_>) -> Option<Verdict> {
        let accepts = match check.context().mode {
            Mode::Forebay(_) | Mode::BypassPermissions => false,
            Mode::AcceptEdits => true,
            Mode::Default | Mode::Plan | Mode::DontAsk => !self.is_edit,
        };
        let is_inside = self.paths.iter().all(|path| check.base_dirs.is_working_folder(path));
        (accepts && is_inside).then(|| Verdict::allow("it is in a working folder"))
    }
}
