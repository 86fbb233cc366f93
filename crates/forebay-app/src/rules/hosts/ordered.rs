//! Rules of hosts where a stronger rule takes back what a weaker one says.
//!
//! In Forebay's own form a deny is never taken back. So a deny stays one only where nothing stronger
//! allows a part of it; where a part is allowed the whole is asked about; where all of it is allowed,
//! nothing is left of it.

use forebay_policy::List;

use super::glob::Glob;
use super::reading::Reading;
use super::spell::Spelled;

/// One rule, and how it is written in Forebay's form.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    /// As the file has it.
    pub(super) text: String,
    pub(super) list: List,
    pub(super) reach: Reach,
    /// `None` for a rule that only takes back what others say.
    pub(super) spelled: Option<Spelled>,
}

/// What a rule may match.
#[derive(Debug, Clone)]
pub(super) enum Reach {
    Glob(Glob),
    /// Nobody here can tell.
    Unknown,
}

impl Reach {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Glob(one), Self::Glob(two)) => one.meets(two),
            _ => true,
        }
    }

    fn holds(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Glob(one), Self::Glob(two)) if one.holds(two))
    }
}

/// Adds what rules come to, the weakest first.
pub(super) fn settle(rules: &[Ordered], reading: &mut Reading) {
    for (at, rule) in rules.iter().enumerate() {
        let softer = || rules[at + 1..].iter().filter(|later| later.list > rule.list);
        let Some(spelled) = &rule.spelled else { continue };
        if softer().any(|later| later.reach.holds(&rule.reach)) {
            continue;
        }
        let taken_back = softer().find(|later| later.reach.meets(&rule.reach));
        add(rule, spelled, taken_back, reading);
    }
}

fn add(rule: &Ordered, spelled: &Spelled, taken_back: Option<&Ordered>, reading: &mut Reading) {
    let rules = spelled.rules.iter().cloned();
    match (rule.list, taken_back, spelled.is_exact) {
        (List::Deny | List::Ask, None, true) => reading.rows(rule.list, rules),
        (List::Deny | List::Ask, Some(later), _) => {
            let what =
                format!("is asked about as a whole: `{}` takes a part of it back", later.text);
            reading.stricter(&rule.text, what);
            reading.rows(List::Ask, rules);
        }
        (List::Deny | List::Ask, None, false) => {
            let what =
                format!("cannot be written exactly: {} is asked about", spelled.rules.join(", "));
            reading.stricter(&rule.text, what);
            reading.rows(List::Ask, rules);
        }
        (List::Allow, _, true) => reading.rows(List::Allow, rules),
        // Half an allow is none.
        (List::Allow, _, false) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::spell;
    use super::*;

    fn settled(rules: &[(&str, List)]) -> Vec<String> {
        let ordered = rules.iter().map(|(pattern, list)| Ordered {
            text: (*pattern).to_owned(),
            list: *list,
            reach: Reach::Glob(Glob::wild(pattern)),
            spelled: Some(spell::command_glob(pattern)),
        });
        let mut reading = Reading::default();
        settle(&ordered.collect::<Vec<_>>(), &mut reading);
        reading.lines()
    }

    #[test]
    fn a_deny_stays_unless_something_later_takes_from_it() {
        assert_eq!(
            settled(&[("*", List::Allow), ("rm *", List::Deny)]),
            ["allow Bash", "deny Bash(rm *)"]
        );
        assert_eq!(
            settled(&[("rm *", List::Deny), ("git *", List::Allow)]),
            ["deny Bash(rm *)", "allow Bash(git *)"]
        );
        assert_eq!(settled(&[("rm *", List::Deny), ("*", List::Allow)]), ["allow Bash"]);
        assert_eq!(
            settled(&[("*", List::Deny), ("git *", List::Allow)]),
            [
                "ask Bash",
                "allow Bash(git *)",
                "note * is asked about as a whole: `git *` takes a part of it back"
            ]
        );
        assert_eq!(settled(&[("rm *", List::Deny), ("*", List::Ask)]), ["ask Bash"]);
    }

    #[test]
    fn what_is_denied_again_later_is_denied() {
        let rules = [("rm *", List::Deny), ("*", List::Allow), ("rm -rf *", List::Deny)];
        assert_eq!(settled(&rules), ["allow Bash", "deny Bash(rm -rf *)"]);
    }

    #[test]
    fn what_cannot_be_written_is_asked_about_or_not_allowed() {
        assert_eq!(
            settled(&[("rm ?", List::Deny), ("ls ?", List::Allow)]),
            ["ask Bash(rm *)", "note rm ? cannot be written exactly: Bash(rm *) is asked about"]
        );
    }
}
