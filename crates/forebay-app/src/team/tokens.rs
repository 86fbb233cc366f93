//! Access tokens: created, listed and revoked by the user, and verified for network requests.
//!
//! `fby_<id>_<secret>`: the id names the row, the secret is stored as an Argon2id hash only. That hash is
//! slow on purpose, so verified tokens are cached for the lifetime of the process under a keyed hash whose
//! key never leaves the process. Whether a cached token is still valid is looked up periodically.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use forebay_domain::rights::Grants;
use forebay_domain::time::days;
use forebay_domain::{Reference, Timestamp};
pub use forebay_store::Token;

use crate::{App, AppError, random_bytes};

const PREFIX: &str = "fby_";
const SECRET_BYTES: usize = 32;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// How long a verified token is trusted before it is looked up again, i.e. the delay of a revocation.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of cached verified tokens.
const MAX_CACHED: usize = 4_096;
const MAX_NAME_CHARS: usize = 64;

/// The properties of a new token.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub name: String,
    pub grants: Grants,
    pub workspace: Option<String>,
    /// Days until it expires.
    pub days: Option<u64>,
}

/// Creates a token; its text is returned once and stored nowhere.
pub fn create(app: &App, new: NewToken) -> Result<(Token, String), AppError> {
    check_name("name", &new.name)?;
    check_unused(app, &new.name)?;
    if let Some(workspace) = &new.workspace {
        check_name("workspace", workspace)?;
        // Workspace names become folder names, which some file systems compare case-insensitively.
        if workspace.chars().any(|c| c.is_ascii_uppercase()) {
            return Err(bad_name("workspace", workspace, "lowercase letters"));
        }
    }
    let id = Reference::from_random(random_bytes()?).as_str().to_owned();
    let secret = base32(&random_bytes::<SECRET_BYTES>()?);
    let created = app.now();
    let token = Token {
        hash: hashed(&secret)?,
        name: new.name,
        grants: new.grants,
        workspace: new.workspace,
        created,
        expires: new.days.map(|count| created.plus(days(count))),
        revoked: None,
        id,
    };
    app.stores.user()?.add_token(&token)?;
    let text = format!("{PREFIX}{}_{secret}", token.id);
    Ok((token, text))
}

/// A name identifies a token in `token revoke` and as an author, so two that are valid at once cannot share it.
fn check_unused(app: &App, name: &str) -> Result<(), AppError> {
    let now = app.now();
    if list(app)?.iter().any(|token| token.name == name && token.is_valid(now)) {
        return Err(AppError::bad_input(
            format!("a token named `{name}` exists"),
            "choose another name, or revoke that token first: forebay token revoke",
        ));
    }
    Ok(())
}

/// Returns all tokens, including revoked and expired ones, oldest first.
pub fn list(app: &App) -> Result<Vec<Token>, AppError> {
    Ok(app.stores.user()?.tokens()?)
}

/// Whether any token is currently valid.
pub fn has_active_token(app: &App) -> Result<bool, AppError> {
    let now = app.now();
    Ok(list(app)?.iter().any(|token| token.is_valid(now)))
}

/// Whether a token with this id exists and is neither revoked nor expired.
pub fn is_valid(app: &App, id: &str) -> Result<bool, AppError> {
    let token = app.stores.user()?.token(id)?;
    Ok(token.is_some_and(|token| token.is_valid(app.now())))
}

/// Revokes a token by its id, or by a name that is unique among the valid tokens.
pub fn revoke(app: &App, which: &str) -> Result<Token, AppError> {
    let now = app.now();
    let in_force: Vec<Token> = list(app)?.into_iter().filter(|token| token.is_valid(now)).collect();
    let meant: Vec<&Token> =
        in_force.iter().filter(|token| token.id == which || token.name == which).collect();
    let token = match meant.as_slice() {
        [one] => (*one).clone(),
        [] => {
            return Err(AppError::not_found(
                format!("no valid token has the id or name `{which}`"),
                "forebay token list",
            ));
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|token| token.id.as_str()).collect();
            return Err(AppError::bad_input(
                format!("{} tokens are named `{which}`", several.len()),
                format!("give one of these ids: {}", ids.join(", ")),
            ));
        }
    };
    app.stores.user()?.revoke_token(&token.id, now)?;
    Ok(Token { revoked: Some(now), ..token })
}

/// Why a token is rejected. The details are for the log, not for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("not of the form fby_<id>_<secret>")]
    Malformed,
    #[error("no such token")]
    Unknown,
    #[error("wrong secret")]
    WrongSecret,
    #[error("expired token")]
    Expired,
    #[error("revoked token")]
    Revoked,
}

/// Verifies tokens, and caches those it has verified.
pub struct TokenVerifier {
    key: [u8; 32],
    verified: Mutex<HashMap<blake3::Hash, Verified>>,
}

struct Verified {
    token: Arc<Token>,
    looked_up: Instant,
}

impl TokenVerifier {
    pub fn new() -> Result<Self, AppError> {
        Ok(Self { key: random_bytes()?, verified: Mutex::default() })
    }

    /// Returns the cached token of a text, if it was looked up recently.
    pub fn cached(&self, text: &str, now: Timestamp) -> Option<Arc<Token>> {
        let verified = self.verified();
        let known = verified.get(&self.mark(text))?;
        let is_fresh = known.looked_up.elapsed() < RECHECK_INTERVAL && known.token.is_valid(now);
        is_fresh.then(|| Arc::clone(&known.token))
    }

    /// Whether a text was verified before, however long ago: looking it up again is fast.
    pub fn was_right(&self, text: &str) -> bool {
        self.verified().contains_key(&self.mark(text))
    }

    /// Verifies a token; slow unless it is cached.
    pub fn verify(&self, app: &App, text: &str) -> Result<Result<Arc<Token>, Refusal>, AppError> {
        let Some((id, secret)) = parts(text) else { return Ok(Err(Refusal::Malformed)) };
        let Some(token) = app.stores.user()?.token(id)? else { return Ok(Err(Refusal::Unknown)) };
        let mark = self.mark(text);
        if let Some(refusal) = inactive_reason(&token, app.now()) {
            self.verified().remove(&mark);
            return Ok(Err(refusal));
        }
        let was_verified =
            self.verified().get(&mark).is_some_and(|known| known.token.hash == token.hash);
        if !was_verified && !is_secret_of(&token, secret) {
            return Ok(Err(Refusal::WrongSecret));
        }
        let token = Arc::new(token);
        self.remember(mark, &token);
        Ok(Ok(token))
    }

    fn remember(&self, mark: blake3::Hash, token: &Arc<Token>) {
        let mut verified = self.verified();
        if verified.len() >= MAX_CACHED {
            verified.retain(|_, known| known.looked_up.elapsed() < RECHECK_INTERVAL);
        }
        let known = Verified { token: Arc::clone(token), looked_up: Instant::now() };
        verified.insert(mark, known);
    }

    /// Returns the cache key of a token, a keyed hash so that the cache holds no secrets.
    fn mark(&self, text: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.key, text.as_bytes())
    }

    fn verified(&self) -> std::sync::MutexGuard<'_, HashMap<blake3::Hash, Verified>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn inactive_reason(token: &Token, now: Timestamp) -> Option<Refusal> {
    if token.revoked.is_some() {
        return Some(Refusal::Revoked);
    }
    (!token.is_valid(now)).then_some(Refusal::Expired)
}

fn parts(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(PREFIX)?.split_once('_').filter(|(id, secret)| {
        let is_plain = |part: &str| !part.is_empty() && part.len() <= MAX_NAME_CHARS;
        is_plain(id) && is_plain(secret)
    })
}

/// Compares the hashes in constant time.
fn is_secret_of(token: &Token, secret: &str) -> bool {
    PasswordHash::new(&token.hash)
        .is_ok_and(|hash| hasher().verify_password(secret.as_bytes(), &hash).is_ok())
}

fn hashed(secret: &str) -> Result<String, AppError> {
    let fault = |error: argon2::password_hash::Error| {
        AppError::unavailable(format!("cannot hash the token: {error}"), None)
    };
    let salt = SaltString::encode_b64(&random_bytes::<16>()?).map_err(fault)?;
    Ok(hasher().hash_password(secret.as_bytes(), &salt).map_err(fault)?.to_string())
}

/// Argon2id with 19 MiB and two passes, the minimum that OWASP recommends.
fn hasher() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default())
}

fn check_name(what: &str, name: &str) -> Result<(), AppError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let is_fine =
        name.chars().all(is_plain) && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_fine && name.len() <= MAX_NAME_CHARS {
        return Ok(());
    }
    Err(bad_name(what, name, "letters"))
}

fn bad_name(what: &str, name: &str, letters: &str) -> AppError {
    AppError::bad_input(
        format!("invalid {what} `{}`", name.escape_debug()),
        format!("{letters}, digits, - _ . @, at most {MAX_NAME_CHARS}, a letter or digit first"),
    )
}

fn base32(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| ALPHABET[usize::from(byte % 32)] as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_a_token_into_id_and_secret() {
        assert_eq!(parts("fby_abc_secret"), Some(("abc", "secret")));
        for broken in ["", "fby_", "fby_abc", "fby__x", "fby_abc_", "abc_def", "Bearer fby_a_b"] {
            assert_eq!(parts(broken), None, "{broken}");
        }
    }

    #[test]
    fn accepts_only_plain_names() {
        for good in ["ci", "team-a", "ann@example.org", "7", "a.b_c"] {
            assert!(check_name("name", good).is_ok(), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "..", "../x", "a b", "a/b", "-x", "ä", "a\n", &long, "'; DROP TABLE token"]
        {
            assert!(check_name("name", bad).is_err(), "{bad}");
        }
    }
}
