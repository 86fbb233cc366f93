//! Resolves rules of hosts in which a later rule overrides an earlier one.
//!
//! In Forebay's rules nothing overrides a deny. So a deny rule is kept only if no later rule softens any
//! part of it; if a later rule softens a part, it becomes an ask rule; if a later rule softens all of it,
//! it is dropped.

use forebay_policy::List;

use super::glob::Glob;
use super::source::ParsedRules;
use super::translate::Translation;

/// A rule and its translation.
#[derive(Debug, Clone)]
pub(super) struct OrderedRule {
    /// The rule as the file has it.
    pub(super) text: String,
    pub(super) list: List,
    pub(super) pattern: Pattern,
    /// `None` for a rule that only overrides others.
    pub(super) translation: Option<Translation>,
}

/// What a rule matches.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Glob(Glob),
    /// Not known, for example a regular expression.
    Unknown,
}

impl Pattern {
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Glob(one), Self::Glob(two)) => one.overlaps(two),
            _ => true,
        }
    }

    fn contains(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Glob(one), Self::Glob(two)) if one.contains(two))
    }
}

/// Adds the effective rules; each of `rules` overrides those before it.
pub(super) fn resolve(rules: &[OrderedRule], parsed: &mut ParsedRules) {
    for (at, rule) in rules.iter().enumerate() {
        let softer = || rules[at + 1..].iter().filter(|later| later.list > rule.list);
        let Some(translation) = &rule.translation else { continue };
        if softer().any(|later| later.pattern.contains(&rule.pattern)) {
            continue;
        }
        let overridden_by = softer().find(|later| later.pattern.overlaps(&rule.pattern));
        add_rule(rule, translation, overridden_by, parsed);
    }
}

fn add_rule(
    rule: &OrderedRule,
    translation: &Translation,
    overridden_by: Option<&OrderedRule>,
    parsed: &mut ParsedRules,
) {
    let rules = translation.rules.iter().cloned();
    match (rule.list, overridden_by, translation.is_exact) {
        (List::Deny | List::Ask, None, true) => parsed.extend(rule.list, rules),
        (List::Deny | List::Ask, Some(later), _) => {
            let message = format!("applies as an ask rule: `{}` overrides part of it", later.text);
            parsed.warn(&rule.text, message);
            parsed.extend(List::Ask, rules);
        }
        (List::Deny | List::Ask, None, false) => {
            let written = translation.rules.join(", ");
            let message = format!("has no exact translation: {written} applies as an ask rule");
            parsed.warn(&rule.text, message);
            parsed.extend(List::Ask, rules);
        }
        (List::Allow, _, true) => parsed.extend(List::Allow, rules),
        // An inexact translation would allow more than the rule does.
        (List::Allow, _, false) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::translate;
    use super::*;

    fn resolved(rules: &[(&str, List)]) -> Vec<String> {
        let ordered = rules.iter().map(|(pattern, list)| OrderedRule {
            text: (*pattern).to_owned(),
            list: *list,
            pattern: Pattern::Glob(Glob::new(pattern)),
            translation: Some(translate::command_glob(pattern)),
        });
        let mut parsed = ParsedRules::default();
        resolve(&ordered.collect::<Vec<_>>(), &mut parsed);
        parsed.lines()
    }

    #[test]
    fn keeps_deny_unless_a_later_rule_softens_it() {
        assert_eq!(
            resolved(&[("*", List::Allow), ("rm *", List::Deny)]),
            ["allow Bash", "deny Bash(rm *)"]
        );
        assert_eq!(
            resolved(&[("rm *", List::Deny), ("git *", List::Allow)]),
            ["deny Bash(rm *)", "allow Bash(git *)"]
        );
        assert_eq!(resolved(&[("rm *", List::Deny), ("*", List::Allow)]), ["allow Bash"]);
        assert_eq!(
            resolved(&[("*", List::Deny), ("git *", List::Allow)]),
            [
                "ask Bash",
                "allow Bash(git *)",
                "warning: * applies as an ask rule: `git *` overrides part of it"
            ]
        );
        assert_eq!(resolved(&[("rm *", List::Deny), ("*", List::Ask)]), ["ask Bash"]);
    }

    #[test]
    fn keeps_deny_that_follows_an_allow() {
        let rules = [("rm *", List::Deny), ("*", List::Allow), ("rm -rf *", List::Deny)];
        assert_eq!(resolved(&rules), ["allow Bash", "deny Bash(rm -rf *)"]);
    }

    #[test]
    fn inexact_deny_becomes_ask_and_inexact_allow_is_dropped() {
        assert_eq!(
            resolved(&[("rm ?", List::Deny), ("ls ?", List::Allow)]),
            [
                "ask Bash(rm *)",
                "warning: rm ? has no exact translation: Bash(rm *) applies as an ask rule"
            ]
        );
    }
}
