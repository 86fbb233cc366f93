//! What deny rules put out of reach for good: paths and programs, for whoever can hold them back.
//!
//! A command is read before it runs; what a program then opens or starts by itself is not. Whoever
//! runs it can still make these paths unreachable, whatever the program does.

use super::path::{Ground, Place};
use super::rule::{List, Specifier, ToolPattern};
use super::rules::{Placed, Rules};
use super::wildcard::Reading;
use super::world::World;

/// What may not be done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denied {
    /// It may be read, but not changed.
    Change,
    /// Neither.
    Reading,
}

/// Where paths lie that a rule denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Absolute.
    pub path: String,
    /// The path itself with all below it is denied; otherwise only some below it.
    pub whole: bool,
    pub denied: Denied,
}

/// The deny rules that hold in a place.
pub struct Denials<'a> {
    rules: &'a Rules,
    ground: Ground<'a>,
}

impl<'a> Denials<'a> {
    pub fn new(rules: &'a Rules, world: &'a World<'a>) -> Self {
        Self { rules, ground: Ground::new(world) }
    }

    /// Where to look for denied paths.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions = Vec::new();
        for (placed, denied) in self.about_paths() {
            let Specifier::Path(pattern) = &placed.rule.specifier else { continue };
            let roots = pattern.roots(&self.place(placed));
            regions.extend(roots.into_iter().map(|(path, whole)| Region { path, whole, denied }));
        }
        regions
    }

    /// What is denied of an absolute path.
    pub fn of(&self, path: &str) -> Option<Denied> {
        let path = self.ground.tidy(path);
        let covering = self.about_paths().filter(|(placed, _)| match &placed.rule.specifier {
            Specifier::Path(pattern) => pattern.covers(&path, Reading::Closed, &self.place(placed)),
            _ => false,
        });
        covering.map(|(_, denied)| denied).max()
    }

    /// Names of programs that may not be run at all, whatever their arguments.
    pub fn programs(&self) -> Vec<&'a str> {
        let denying = self.rules.counting(List::Deny, self.ground.world);
        let named = denying.filter_map(|placed| match &placed.rule.specifier {
            Specifier::Command(pattern) | Specifier::CommandOrParameter(pattern, _) => {
                pattern.whole_program()
            }
            _ => None,
        });
        named.collect()
    }

    fn about_paths(&self) -> impl Iterator<Item = (&'a Placed, Denied)> {
        let denying = self.rules.counting(List::Deny, self.ground.world);
        denying.filter_map(|placed| match &placed.rule.tool {
            ToolPattern::Name(name) if name == "Read" => Some((placed, Denied::Reading)),
            ToolPattern::Name(name) if name == "Edit" => Some((placed, Denied::Change)),
            _ => None,
        })
    }

    fn place(&self, placed: &Placed) -> Place<'_> {
        Place { ground: &self.ground, origin: placed.origin, list: List::Deny }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Origin;
    use super::super::world::{Mode, Trust, Unmatched, no_links};
    use super::*;

    fn with_rules(texts: &[&str], check: impl Fn(&Denials<'_>)) {
        let written = texts.iter().map(|text| (Origin::Project, List::Deny, *text));
        let (rules, _) = Rules::compile(written);
        let world = World {
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
        check(&Denials::new(&rules, &world));
    }

    #[track_caller]
    fn region(rule: &str, path: &str, whole: bool, denied: Denied) {
        with_rules(&[rule], |denials| {
            let expected = Region { path: path.to_owned(), whole, denied };
            assert_eq!(denials.regions(), [expected], "{rule}");
        });
    }

    #[test]
    fn a_rule_says_where_to_look() {
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
    fn the_stronger_of_two_denials_counts() {
        with_rules(&["Edit(/a/**)", "Read(/a/secret)"], |denials| {
            assert_eq!(denials.of("/p/a/x"), Some(Denied::Change));
            assert_eq!(denials.of("/p/a/secret"), Some(Denied::Reading));
            assert_eq!(denials.of("/p/b"), None);
        });
    }

    #[test]
    fn a_program_is_denied_when_all_its_calls_are() {
        let rules = ["Bash(sudo:*)", "Bash(curl *)", "Bash(git push:*)", "Bash(rm)", "Bash(n*)"];
        with_rules(&rules, |denials| assert_eq!(denials.programs(), ["sudo", "curl"]));
    }
}
