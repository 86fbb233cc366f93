//! API tokens: who may use a server, and with which rights.

use forebay_domain::Timestamp;
use forebay_domain::rights::Grants;

use crate::StoreError;

/// API tokens.
pub trait Tokens: Send + Sync {
    /// Stores a new token.
    fn add_token(&self, token: &Token) -> Result<(), StoreError>;

    /// Returns all tokens, oldest first.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// Returns the token with this id.
    fn token(&self, id: &str) -> Result<Option<Token>, StoreError>;

    /// Revokes a token; returns whether it existed and was not revoked before.
    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError>;
}

/// A stored token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The public part before the secret; identifies the token everywhere else.
    pub id: String,
    /// The bearer's name.
    pub name: String,
    /// The Argon2id hash of the secret, with its parameters and salt.
    pub hash: String,
    pub grants: Grants,
    /// The workspace it gives access to; without one, the server's own project.
    pub workspace: Option<String>,
    pub created: Timestamp,
    pub expires: Option<Timestamp>,
    pub revoked: Option<Timestamp>,
}

impl Token {
    /// Returns whether the token is neither revoked nor expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}
