//! Writes other hosts' patterns down as rules of Forebay's form.

/// Rules that stand for one pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled {
    pub(super) rules: Vec<String>,
    /// They match what the pattern matches, and not more.
    pub(super) is_exact: bool,
}

impl Spelled {
    pub(super) fn exact(rule: impl Into<String>) -> Self {
        Self { rules: vec![rule.into()], is_exact: true }
    }

    pub(super) fn wider(rule: impl Into<String>) -> Self {
        Self { rules: vec![rule.into()], is_exact: false }
    }
}

/// A text that is matched as it is, inside of `Bash(...)`.
pub(super) fn literal(text: &str) -> String {
    escaped(text, &['*', '\\', '(', ')'])
}

/// A path that is matched as it is.
pub(super) fn path(text: &str) -> String {
    escaped(text, &['*', '?', '[', '\\', '(', ')'])
}

/// A path pattern of `*`, `**` and `?`, in which everything else is meant as it is.
pub(super) fn path_glob(text: &str) -> String {
    escaped(text, &['[', '\\', '(', ')'])
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if special.contains(&character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A command with whatever words after it.
pub(super) fn command_prefix(words: &str) -> String {
    format!("Bash({}:*)", literal(words.trim()))
}

/// A command pattern in which `*` is any text, `?` any character, and a blank and `*` at the end may
/// be missing.
pub(super) fn command_glob(pattern: &str) -> Spelled {
    let pattern = pattern.trim();
    if is_stars(pattern) {
        return Spelled::exact("Bash");
    }
    let text = escaped(&pattern.replace('?', "*"), &['\\', '(', ')']);
    // A rule may end in `:*` to mean any further words; here the colon is a colon.
    let text = match text.strip_suffix(":*") {
        Some(before) => format!("{before}:**"),
        None => text,
    };
    let mut rules = vec![format!("Bash({text})")];
    if let Some(before) = text.strip_suffix(" *").filter(|before| before.contains('*')) {
        rules.push(format!("Bash({before})"));
    }
    Spelled { rules, is_exact: !pattern.contains('?') }
}

/// Whether a pattern is nothing but stars.
pub(super) fn is_stars(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_glob_keeps_its_meaning() {
        let rules = |pattern| command_glob(pattern).rules;
        assert_eq!(rules("rm *"), ["Bash(rm *)"]);
        assert_eq!(rules("git * push *"), ["Bash(git * push *)", "Bash(git * push)"]);
        assert_eq!(rules("npm run test:*"), ["Bash(npm run test:**)"]);
        assert_eq!(rules("f(x)"), ["Bash(f\\(x\\))"]);
        assert_eq!(rules("**"), ["Bash"]);
        assert!(!command_glob("rm ?").is_exact);
    }
}
