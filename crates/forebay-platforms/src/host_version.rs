//! The version of a host, and the variable in which it tells it.

/// A variable with the host's version between two texts, its numbers joined by `separator`.
#[derive(Debug, Clone, Copy)]
pub struct VersionVariable {
    pub name: &'static str,
    pub prefix: &'static str,
    pub separator: char,
    pub end: char,
}

impl VersionVariable {
    /// The version in the variable's value.
    pub fn version_in(&self, value: &str) -> Option<HostVersion> {
        let rest = value.strip_prefix(self.prefix)?;
        let version = rest.split(self.end).next()?.replace(self.separator, ".");
        HostVersion::parse(&version)
    }
}

/// The version of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostVersion(pub u32, pub u32, pub u32);

impl HostVersion {
    /// Parses `1.2.3`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let version = Self(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

impl std::fmt::Display for HostVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_version_from_a_variable() {
        let variable =
            VersionVariable { name: "X", prefix: "claude-code_", separator: '-', end: '_' };
        let version = |value| variable.version_in(value).map(|version| version.to_string());
        assert_eq!(version("claude-code_2-1-326_harness").as_deref(), Some("2.1.326"));
        assert_eq!(version("claude-code_2-1-326").as_deref(), Some("2.1.326"));
        for other in ["codex_2-1-326_harness", "claude-code_2-1_x", "claude-code_a-b-c", ""] {
            assert_eq!(version(other), None, "{other}");
        }
        assert!(HostVersion(2, 1, 99) < HostVersion(2, 1, 287));
    }
}
