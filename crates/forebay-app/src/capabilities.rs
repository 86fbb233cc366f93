//! Capabilities: what callers may use of this machine besides the store.

/// A resource that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Stored data only.
    Store,
    /// Files of this machine, and information about it.
    Files,
    /// Running commands, with everything they can access.
    Execute,
}

impl Capability {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Files => "files",
            Self::Execute => "execute",
        }
    }
}

/// The set of capabilities that callers have: all for local callers, fewer over a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub files: bool,
    pub execute: bool,
}

impl Capabilities {
    pub const ALL: Self = Self { files: true, execute: true };
    pub const STORE_ONLY: Self = Self { files: false, execute: false };

    pub fn has(self, capability: Capability) -> bool {
        match capability {
            Capability::Store => true,
            Capability::Files => self.files,
            Capability::Execute => self.execute,
        }
    }
}
