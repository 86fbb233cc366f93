//! Rights: what a token permits.

use std::fmt;

/// One permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// Search, read entries, view statistics.
    Read,
    /// Store and purge notes and texts.
    Write,
    /// Run commands.
    Execute,
}

impl Right {
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Execute];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.as_str() == word)
    }
}

/// A set of permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rights(u8);

impl Rights {
    pub const ALL: Self = Self(0b111);

    pub fn has(self, right: Right) -> bool {
        self.0 & Self::bit(right) != 0
    }

    /// Iterates the permissions in order.
    pub fn iter(self) -> impl Iterator<Item = Right> {
        Right::ALL.into_iter().filter(move |right| self.has(*right))
    }

    /// Parses `read,write`; the error is the unknown word.
    pub fn parse(words: &str) -> Result<Self, String> {
        words
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| Right::parse(word).ok_or_else(|| word.to_owned()))
            .collect()
    }

    const fn bit(right: Right) -> u8 {
        1 << right as u8
    }
}

impl FromIterator<Right> for Rights {
    fn from_iter<I: IntoIterator<Item = Right>>(rights: I) -> Self {
        Self(rights.into_iter().fold(0, |all, right| all | Self::bit(right)))
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Right::as_str).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_it_prints() {
        for words in ["", "read", "write", "read,write", "read,write,execute"] {
            assert_eq!(Rights::parse(words).unwrap().to_string(), words);
        }
        assert_eq!(Rights::parse(" execute, read,").unwrap().to_string(), "read,execute");
        assert_eq!(Rights::parse("read,admin"), Err("admin".to_owned()));
        assert_eq!(Rights::ALL.to_string(), "read,write,execute");
    }
}
