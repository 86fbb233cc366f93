//! Shell quoting.

/// Quotes arguments so that a POSIX shell reads exactly these words.
pub fn arguments<S: AsRef<str>>(arguments: &[S]) -> String {
    arguments.iter().map(|text| argument(text.as_ref())).collect::<Vec<_>>().join(" ")
}

fn argument(text: &str) -> String {
    let is_plain =
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_./=:,+@%".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_only_what_a_shell_would_split() {
        let words = ["printf", "%s", "a  b", "it's", ""];
        assert_eq!(arguments(&words), r"printf %s 'a  b' 'it'\''s' ''");
    }
}
