//! Tokens: who may come in through the network, and for what.

use forebay_domain::Timestamp;
use forebay_domain::rights::Rights;

use crate::StoreError;

/// API tokens.
pub trait Tokens: Send + Sync {
    /// Keeps a new token.
    fn add_token(&self, token: &Token) -> Result<(), StoreError>;

    /// Every token, the oldest first.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// The token of this id.
    fn token(&self, id: &str) -> Result<Option<Token>, StoreError>;

    /// Ends a token; says whether there was one that had not been ended.
    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError>;
}

/// A token as it is kept: its secret is known to its bearer alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What stands before the secret, and names the token everywhere else.
    pub id: String,
    /// Who bears it.
    pub name: String,
    /// The Argon2id hash of the secret, with its parameters and salt.
    pub hash: String,
    pub rights: Rights,
    /// The workspace it leads to; without one, the server's own project.
    pub workspace: Option<String>,
    pub created: Timestamp,
    pub expires: Option<Timestamp>,
    pub revoked: Option<Timestamp>,
}

impl Token {
    /// Whether it opens anything at this moment.
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}
