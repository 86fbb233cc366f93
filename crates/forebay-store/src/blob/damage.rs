//! What is known about content that does not match its checksums.

use std::fmt;

/// A range of an entry's content that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The lines that are damaged at least in part, counted from 1; None if that is unknown.
    pub lines: Option<DamagedLines>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedLines {
    pub first: u64,
    /// None up to the end.
    pub last: Option<u64>,
}

impl Damage {
    /// Shown in place of a chunk that is damaged, so that a search still finds the others.
    pub const CHUNK_TEXT: &str = "[damaged: this part of the entry cannot be read]";
    /// The damage is somewhere in the content.
    pub const SOMEWHERE: Self = Self { lines: None };

    /// Returns the damage of a part, from its line number and that of the part after it.
    pub fn of_part(line: Option<u64>, next_line: Option<u64>) -> Self {
        let lines =
            line.map(|first| DamagedLines { first, last: next_line.filter(|last| *last >= first) });
        Self { lines }
    }

    /// Returns the ranges of lines that can be read, in the form `1-9,20-`; empty if there are none.
    pub fn whole_lines(&self) -> String {
        let Some(DamagedLines { first, last }) = self.lines else { return String::new() };
        let before = (first > 1).then(|| format!("1-{}", first - 1));
        let after = last.map(|last| format!("{}-", last + 1));
        before.into_iter().chain(after).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            None => formatter.write_str("its content does not match its checksum"),
            Some(DamagedLines { first, last: Some(last) }) => {
                write!(formatter, "lines {first}-{last} do not match their checksum")
            }
            Some(DamagedLines { first, last: None }) => {
                write!(formatter, "line {first} and after do not match their checksum")
            }
        }
    }
}

impl std::error::Error for Damage {}
