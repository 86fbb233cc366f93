//! Powers: what of this machine, beside the store, its callers may use.

/// What a tool uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// Only what is stored.
    Store,
    /// Files of this machine, and what they tell of it.
    Files,
    /// Its processors and everything a command reaches.
    Execute,
}

impl Power {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Files => "files",
            Self::Execute => "execute",
        }
    }
}

/// What callers may use: all of it where they are the user's own, less where they come over a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Powers {
    pub files: bool,
    pub execute: bool,
}

impl Powers {
    pub const ALL: Self = Self { files: true, execute: true };
    pub const STORE_ONLY: Self = Self { files: false, execute: false };

    pub fn has(self, power: Power) -> bool {
        match power {
            Power::Store => true,
            Power::Files => self.files,
            Power::Execute => self.execute,
        }
    }
}
