//! Translates patterns of other hosts into Forebay's rule syntax.

/// The rules that one pattern translates to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Translation {
    pub(super) rules: Vec<String>,
    /// They match exactly what the pattern matches; otherwise they match more.
    pub(super) is_exact: bool,
}

impl Translation {
    pub(super) fn exact(rule: impl Into<String>) -> Self {
        Self { rules: vec![rule.into()], is_exact: true }
    }

    pub(super) fn wider(rule: impl Into<String>) -> Self {
        Self { rules: vec![rule.into()], is_exact: false }
    }
}

/// Escapes a literal text for use inside `Bash(...)`.
pub(super) fn escape_command(text: &str) -> String {
    escape(text, &['*', '\\', '(', ')'])
}

/// Escapes a literal path.
pub(super) fn escape_path(text: &str) -> String {
    escape(text, &['*', '?', '[', '\\', '(', ')'])
}

/// Escapes a path pattern in which only `*`, `**` and `?` are special.
pub(super) fn escape_path_glob(text: &str) -> String {
    escape(text, &['[', '\\', '(', ')'])
}

fn escape(text: &str, special: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if special.contains(&character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A rule for a command with any arguments after it.
pub(super) fn command_prefix(words: &str) -> String {
    format!("Bash({}:*)", escape_command(words.trim()))
}

/// Translates a command pattern: `*` is any text, `?` any character, a trailing ` *` is optional.
pub(super) fn command_glob(pattern: &str) -> Translation {
    let pattern = pattern.trim();
    if is_only_stars(pattern) {
        return Translation::exact("Bash");
    }
    let text = escape(&pattern.replace('?', "*"), &['\\', '(', ')']);
    // In a rule, a trailing `:*` means any arguments; here the colon is literal.
    let text = match text.strip_suffix(":*") {
        Some(before) => format!("{before}:**"),
        None => text,
    };
    let mut rules = vec![format!("Bash({text})")];
    if let Some(before) = text.strip_suffix(" *").filter(|before| before.contains('*')) {
        rules.push(format!("Bash({before})"));
    }
    Translation { rules, is_exact: !pattern.contains('?') }
}

/// Whether a pattern consists of `*` only.
pub(super) fn is_only_stars(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_command_patterns() {
        let rules = |pattern| command_glob(pattern).rules;
        assert_eq!(rules("rm *"), ["Bash(rm *)"]);
        assert_eq!(rules("git * push *"), ["Bash(git * push *)", "Bash(git * push)"]);
        assert_eq!(rules("npm run test:*"), ["Bash(npm run test:**)"]);
        assert_eq!(rules("f(x)"), ["Bash(f\\(x\\))"]);
        assert_eq!(rules("**"), ["Bash"]);
        assert!(!command_glob("rm ?").is_exact);
    }
}
