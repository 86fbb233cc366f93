//! Paths and programs that deny rules forbid, for enforcement by the sandbox.
//!
//! A command is judged before it runs; what a program then opens or starts is not. The sandbox makes these paths
//! unreachable whatever the program does.

use super::context::CallContext;
use super::path::{BaseDirs, MatchContext};
use super::rule::{List, Specifier, ToolPattern};
use super::rules::{Rules, SourcedRule};
use super::wildcard::UnknownParts;

/// Which access to a path is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denied {
    /// Writing.
    Change,
    /// Reading and writing.
    Reading,
}

/// A region that contains denied paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Absolute.
    pub path: String,
    /// The path and everything below it is denied; otherwise only some paths below.
    pub whole: bool,
    pub denied: Denied,
}

/// The deny rules in effect.
pub struct Denials<'a> {
    rules: &'a Rules,
    base_dirs: BaseDirs<'a>,
}

impl<'a> Denials<'a> {
    pub fn new(rules: &'a Rules, context: &'a CallContext<'a>) -> Self {
        Self { rules, base_dirs: BaseDirs::new(context) }
    }

    /// Regions that contain denied paths.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions = Vec::new();
        for (sourced, denied) in self.about_paths() {
            let Specifier::Path(pattern) = &sourced.rule.specifier else { continue };
            let roots = pattern.roots(&self.match_context(sourced));
            regions.extend(roots.into_iter().map(|(path, whole)| Region { path, whole, denied }));
        }
        regions
    }

    /// What is denied for an absolute path.
    pub fn denial_for(&self, path: &str) -> Option<Denied> {
        let path = self.base_dirs.normalize(path);
        let covering = self.about_paths().filter(|(sourced, _)| match &sourced.rule.specifier {
            Specifier::Path(pattern) => {
                pattern.covers(&path, UnknownParts::Closed, &self.match_context(sourced))
            }
            _ => false,
        });
        covering.map(|(_, denied)| denied).max()
    }

    /// Programs that are denied with any arguments.
    pub fn programs(&self) -> Vec<&'a str> {
        let denying = self.rules.applicable(List::Deny, self.base_dirs.context);
        let named = denying.filter_map(|sourced| match &sourced.rule.specifier {
            Specifier::Command(pattern) | Specifier::CommandOrParameter(pattern, _) => {
                pattern.whole_program()
            }
            _ => None,
        });
        named.collect()
    }

    fn about_paths(&self) -> impl Iterator<Item = (&'a SourcedRule, Denied)> {
        let denying = self.rules.applicable(List::Deny, self.base_dirs.context);
        denying.filter_map(|sourced| match &sourced.rule.tool {
            ToolPattern::Name(name) if name == "Read" => Some((sourced, Denied::Reading)),
            ToolPattern::Name(name) if name == "Edit" => Some((sourced, Denied::Change)),
            _ => None,
        })
    }

    fn match_context(&self, sourced: &SourcedRule) -> MatchContext<'_> {
        MatchContext { base_dirs: &self.base_dirs, origin: sourced.origin, list: List::Deny }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::{Mode, Trust, Unmatched, no_links};
    use super::super::rules::Origin;
    use super::*;

    fn with_rules(texts: &[&str], check: impl Fn(&Denials<'_>)) {
        let written = texts.iter().map(|text| (Origin::Project, List::Deny, *text));
        let (rules, _) = Rules::compile(written);
        let context = CallContext {
            cwd: "/p/sub",
            root: "/p",
            home: Some("/h"),
            directories: &[],
            trust: Trust::Workspace,
            mode: Mode::Forebay(Unmatched::Run),
            ignores_case: false,
            allows_loopback: false,
            real_path: &no_links,
        };
        check(&Denials::new(&rules, &context));
    }

    #[track_caller]
    fn region(rule: &str, path: &str, whole: bool, denied: Denied) {
        with_rules(&[rule], |denials| {
            let expected = Region { path: path.to_owned(), whole, denied };
            assert_eq!(denials.regions(), [expected], "{rule}");
        });
    }

    #[test]
    fn lists_regions_of_rules() {
        region("Read(/.env)", "/p/.env", true, Denied::Reading);
        region("Read(~/.ssh/**)", "/h/.ssh", true, Denied::Reading);
        region("Read(//etc/shadow)", "/etc/shadow", true, Denied::Reading);
        region("Read(**/.env*)", "/p/sub", false, Denied::Reading);
        region("Read(.env)", "/p/sub", false, Denied::Reading);
        region("Edit(/src/*.lock)", "/p/src", false, Denied::Change);
        region("Edit(./gen/**)", "/p/sub/gen", true, Denied::Change);
        with_rules(&["Read", "Bash(cat:*)"], |denials| assert_eq!(denials.regions(), []));
    }

    #[test]
    fn the_stricter_denial_applies() {
        with_rules(&["Edit(/a/**)", "Read(/a/secret)"], |denials| {
            assert_eq!(denials.denial_for("/p/a/x"), Some(Denied::Change));
            assert_eq!(denials.denial_for("/p/a/secret"), Some(Denied::Reading));
            assert_eq!(denials.denial_for("/p/b"), None);
        });
    }

    #[test]
    fn denies_programs_whose_every_call_is_denied() {
        let rules = ["Bash(sudo:*)", "Bash(curl *)", "Bash(git push:*)", "Bash(rm)", "Bash(n*)"];
        with_rules(&rules, |denials| assert_eq!(denials.programs(), ["sudo", "curl"]));
    }
}
