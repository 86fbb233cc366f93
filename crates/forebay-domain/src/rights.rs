//! Rights: what a token permits.

use std::collections::BTreeMap;
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

    const fn with(self, right: Right) -> Self {
        Self(self.0 | Self::bit(right))
    }

    const fn bit(right: Right) -> u8 {
        1 << right as u8
    }
}

/// What a token permits: rights on the store, and on the servers of a gateway.
///
/// Written as words: `read,write`, and `github:read` for a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    pub rights: Rights,
    /// If there are any, they are all the servers that it permits.
    servers: BTreeMap<String, Rights>,
}

impl Grants {
    /// Parses words; the error is the unknown one.
    pub fn parse(words: &str) -> Result<Self, String> {
        let mut grants = Self::default();
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let unknown = || word.to_owned();
            let (server, right) = match word.rsplit_once(':') {
                Some(("", _)) => return Err(unknown()),
                Some((server, right)) => (Some(server), right),
                None => (None, word),
            };
            let right = Right::parse(right).ok_or_else(unknown)?;
            let rights = match server {
                Some(server) => grants.servers.entry(server.to_owned()).or_default(),
                None => &mut grants.rights,
            };
            *rights = rights.with(right);
        }
        Ok(grants)
    }

    /// The rights on a server of a gateway.
    pub fn on_server(&self, name: &str) -> Rights {
        if self.servers.is_empty() {
            return self.rights;
        }
        self.servers.get(name).copied().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Rights> for Grants {
    fn from(rights: Rights) -> Self {
        Self { rights, servers: BTreeMap::new() }
    }
}

impl fmt::Display for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.rights.iter().map(|right| right.as_str().to_owned());
        let servers = self.servers.iter().flat_map(|(server, rights)| {
            rights.iter().map(move |right| format!("{server}:{}", right.as_str()))
        });
        f.write_str(&own.chain(servers).collect::<Vec<_>>().join(","))
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

    #[test]
    fn grants_may_be_limited_to_servers() {
        for words in ["", "read,write", "read,db:read,db:execute,git hub:write", "a:b:read"] {
            assert_eq!(Grants::parse(words).unwrap().to_string(), words);
        }
        let everywhere = Grants::parse("read").unwrap();
        assert_eq!(everywhere.on_server("any").to_string(), "read");
        let limited = Grants::parse("write,db:execute,db:read").unwrap();
        assert_eq!(limited.on_server("db").to_string(), "read,execute");
        assert_eq!(limited.on_server("other"), Rights::default());
        assert_eq!(limited.rights.to_string(), "write");
        for wrong in ["db:all", ":read", "db:", "read:db"] {
            assert_eq!(Grants::parse(wrong), Err(wrong.to_owned()));
        }
        // A version without servers grants nothing to a token that names one.
        assert!(Rights::parse("read,db:read").is_err());
    }
}
