//! Ticket keys in branch names.

/// The ticket in a branch name: `ABC-123` of `feat/ABC-123-login`, `#123` of `123-fix` or `fix/#123`.
pub fn from_branch(branch: &str) -> Option<String> {
    let parts = || branch.split('/');
    parts().find_map(keyed).or_else(|| parts().find_map(numbered))
}

/// Whether a word is a ticket key: `ABC-123` or `#123`.
pub fn is_ticket(word: &str) -> bool {
    let is_number = |text: &str| {
        (1..=7).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if let Some(number) = word.strip_prefix('#') {
        return is_number(number);
    }
    let Some((key, number)) = word.split_once('-') else { return false };
    let is_key = (2..=10).contains(&key.len())
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_key && is_number(number) && !NO_TICKETS.contains(&key)
}

/// Prefixes of standards, which look like ticket keys.
const NO_TICKETS: &[&str] = &["UTF", "SHA", "ISO", "RFC", "AES", "MD", "CVE", "GPT", "CP", "HTTP"];

/// `ABC-123` in any case, at the start of a part or after a separator.
fn keyed(part: &str) -> Option<String> {
    let words: Vec<&str> = part.split(['-', '_', '.']).collect();
    words.windows(2).find_map(|pair| {
        let ticket = format!("{}-{}", pair[0].to_uppercase(), pair[1]);
        let is_key = pair[0].starts_with(|c: char| c.is_ascii_alphabetic());
        // Lower-case words are often followed by a number: `release-2`, `step-3`.
        let is_meant = pair[0].bytes().all(|byte| !byte.is_ascii_lowercase())
            || (part.starts_with(pair[0]) && pair[1].len() > 1 && !COMMON.contains(&pair[0]));
        (is_key && is_meant && is_ticket(&ticket)).then_some(ticket)
    })
}

/// Words followed by numbers that are not project keys.
const COMMON: &[&str] = &[
    "release", "version", "hotfix", "fix", "step", "phase", "part", "test", "rc", "beta", "alpha",
    "sprint", "update", "bump", "backport", "python", "node", "java", "pr", "issue", "bug", "gh",
    "feature", "feat", "ticket",
];

/// `#123`, `123-fix`, `issue-123`, `gh-123`.
fn numbered(part: &str) -> Option<String> {
    let named = ["issue-", "issue", "gh-", "bug-", "ticket-", "fix-", "pr-", "#"];
    let rest = named.iter().find_map(|name| part.strip_prefix(name)).unwrap_or(part);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, after) = rest.split_at(digits);
    let ends = after.is_empty() || after.starts_with(['-', '_']);
    // A bare year or version is not a ticket.
    let is_number = (1..=7).contains(&number.len()) && (rest != part || !after.is_empty());
    (ends && is_number).then(|| format!("#{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tickets_in_branch_names() {
        for (branch, expect) in [
            ("feat/ABC-123-login", Some("ABC-123")),
            ("ABC-123", Some("ABC-123")),
            ("abc-123-login", Some("ABC-123")),
            ("user/jo/PROJ2-7_fix", Some("PROJ2-7")),
            ("fix/#123", Some("#123")),
            ("123-fix", Some("#123")),
            ("fix/123-crash", Some("#123")),
            ("issue-42", Some("#42")),
            ("gh-9-typo", Some("#9")),
            ("main", None),
            ("release-2.1", None),
            ("release/2024", None),
            ("feature/utf-8", None),
            ("UTF-8-names", None),
            ("step-10", None),
            ("v1.2.3", None),
            ("", None),
        ] {
            assert_eq!(from_branch(branch).as_deref(), expect, "{branch}");
        }
    }

    proptest::proptest! {
        #[test]
        fn accepts_any_branch_name(branch in "\\PC{0,60}") {
            if let Some(ticket) = from_branch(&branch) {
                proptest::prop_assert!(is_ticket(&ticket), "{ticket}");
            }
        }
    }
}
