//! The tools of a server that the rights of its client are enough for.

use std::collections::HashSet;

/// What is known of them.
#[derive(Debug, Default)]
pub(super) struct PermittedTools {
    /// `None` if they are to be looked up.
    names: Option<HashSet<String>>,
    version: u64,
}

impl PermittedTools {
    /// The version of the server's tools: another one after each change.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Notes the permitted ones of a list that the server was asked for at `version`. A list of tools that have changed since
    /// does not count.
    pub(super) fn note(&mut self, version: u64, names: HashSet<String>) {
        if version == self.version {
            self.names = Some(names);
        }
    }

    /// Has them looked up again, because the server's tools have changed.
    pub(super) fn forget(&mut self) {
        self.version += 1;
        self.names = None;
    }

    /// Whether the rights are enough for a tool; `None` if that is to be looked up.
    pub(super) fn has(&self, tool: &str) -> Option<bool> {
        self.names.as_ref().map(|names| names.contains(tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_from_before_a_change_permits_nothing() {
        let mut tools = PermittedTools::default();
        let names = || HashSet::from(["a".to_owned()]);
        let before = tools.version();
        tools.forget();
        tools.note(before, names());
        assert_eq!(tools.has("a"), None);
        tools.note(tools.version(), names());
        assert_eq!((tools.has("a"), tools.has("b")), (Some(true), Some(false)));
        tools.forget();
        assert_eq!(tools.has("a"), None);
    }
}
