//! Parses `/proc/<pid>/stat`. Allocates nothing, because the reaper must not.

/// Who a process belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) is_zombie: bool,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
}

impl ProcessStat {
    /// The program name is in parentheses and may contain any byte, so the fields (state, parent, group, session) are
    /// counted from the last closing parenthesis.
    pub(crate) fn parse(stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Self {
            is_zombie: matches!(fields.next()?, "Z" | "X" | "x"),
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            session: fields.next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_fields_in_the_program_name() {
        let expected = ProcessStat { is_zombie: false, parent: 3, group: 42, session: 43 };
        assert_eq!(ProcessStat::parse(b"7 (sleep) S 3 42 43 0"), Some(expected));
        assert_eq!(ProcessStat::parse(b"7 (a) R 1 9 (\xff) S 3 42 43 0"), Some(expected));
    }

    #[test]
    fn recognizes_zombies_and_rejects_what_is_malformed() {
        assert!(ProcessStat::parse(b"7 (sleep) Z 1 42 42 0").is_some_and(|stat| stat.is_zombie));
        for stat in [&b"7 (sleep) S"[..], b"7 (sleep) S x 1 1", b""] {
            assert_eq!(ProcessStat::parse(stat), None);
        }
    }
}
