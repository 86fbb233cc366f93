//! Tokens: made, listed and ended by the user, and checked when somebody comes in through the network.
//!
//! `fby_<id>_<secret>`: the id names the row, the secret is kept as an Argon2id hash only. That hash is
//! slow on purpose, so a token that was verified is remembered for as long as the process lives, by a hash
//! under a key that no other process has; whether it is still in force is looked up again and again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use forebay_domain::rights::Rights;
use forebay_domain::time::days;
use forebay_domain::{Reference, Timestamp};
pub use forebay_store::Token;

use crate::{App, AppError};

const PREFIX: &str = "fby_";
const SECRET_BYTES: usize = 32;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A verified token is looked up again after this time: so late a revocation may be heard of.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// More verified tokens than this are not remembered at once.
const MOST_REMEMBERED: usize = 4_096;
const LONGEST_NAME: usize = 64;

/// What a new token shall be.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub name: String,
    pub rights: Rights,
    pub workspace: Option<String>,
    /// Days until it expires.
    pub days: Option<u64>,
}

/// Makes a token; its text is told this once and kept nowhere.
pub fn create(app: &App, wanted: Wanted) -> Result<(Token, String), AppError> {
    check_name("name", &wanted.name)?;
    if let Some(workspace) = &wanted.workspace {
        check_name("workspace", workspace)?;
        // Names of folders, which some systems do not tell apart by the size of letters.
        if workspace.chars().any(|c| c.is_ascii_uppercase()) {
            return Err(bad_name("workspace", workspace, "small letters"));
        }
    }
    let id = Reference::from_random(random()?).as_str().to_owned();
    let secret = readable(&random::<SECRET_BYTES>()?);
    let created = app.now();
    let token = Token {
        hash: hashed(&secret)?,
        name: wanted.name,
        rights: wanted.rights,
        workspace: wanted.workspace,
        created,
        expires: wanted.days.map(|count| created.plus(days(count))),
        revoked: None,
        id,
    };
    app.places.user()?.add_token(&token)?;
    let text = format!("{PREFIX}{}_{secret}", token.id);
    Ok((token, text))
}

/// Every token there is or was, the oldest first.
pub fn list(app: &App) -> Result<Vec<Token>, AppError> {
    Ok(app.places.user()?.tokens()?)
}

/// Whether anybody could come in with a token now.
pub fn any_in_force(app: &App) -> Result<bool, AppError> {
    let now = app.now();
    Ok(list(app)?.iter().any(|token| token.is_valid(now)))
}

/// Ends a token by its id, or by a name that only one in force has.
pub fn revoke(app: &App, which: &str) -> Result<Token, AppError> {
    let now = app.now();
    let in_force: Vec<Token> = list(app)?.into_iter().filter(|token| token.is_valid(now)).collect();
    let meant: Vec<&Token> =
        in_force.iter().filter(|token| token.id == which || token.name == which).collect();
    let token = match meant.as_slice() {
        [one] => (*one).clone(),
        [] => {
            return Err(AppError::not_found(
                format!("no token in force has the id or name `{which}`"),
                "forebay token list",
            ));
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|token| token.id.as_str()).collect();
            return Err(AppError::bad_input(
                format!("{} tokens are named `{which}`", several.len()),
                format!("give one of their ids: {}", ids.join(", ")),
            ));
        }
    };
    app.places.user()?.revoke_token(&token.id, now)?;
    Ok(Token { revoked: Some(now), ..token })
}

/// Why a token opens nothing. What exactly is wrong is for the log, not for the bearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("not of the form fby_<id>_<secret>")]
    Malformed,
    #[error("no such token")]
    Unknown,
    #[error("a wrong secret")]
    WrongSecret,
    #[error("an expired token")]
    Expired,
    #[error("a revoked token")]
    Revoked,
}

/// The tokens that this process has verified.
pub struct Gatekeeper {
    key: [u8; 32],
    verified: Mutex<HashMap<blake3::Hash, Verified>>,
}

struct Verified {
    token: Arc<Token>,
    looked_up: Instant,
}

impl Gatekeeper {
    pub fn new() -> Result<Self, AppError> {
        Ok(Self { key: random()?, verified: Mutex::default() })
    }

    /// The token behind a text, if it was verified and looked up a moment ago.
    pub fn knows(&self, text: &str, now: Timestamp) -> Option<Arc<Token>> {
        let verified = self.verified();
        let known = verified.get(&self.mark(text))?;
        let is_fresh = known.looked_up.elapsed() < TRUSTED_FOR && known.token.is_valid(now);
        is_fresh.then(|| Arc::clone(&known.token))
    }

    /// Verifies a token; slow for one that was not verified before.
    pub fn verify(&self, app: &App, text: &str) -> Result<Result<Arc<Token>, Refusal>, AppError> {
        let Some((id, secret)) = parts(text) else { return Ok(Err(Refusal::Malformed)) };
        let Some(token) = app.places.user()?.token(id)? else { return Ok(Err(Refusal::Unknown)) };
        let mark = self.mark(text);
        let was_verified =
            self.verified().get(&mark).is_some_and(|known| known.token.hash == token.hash);
        if !was_verified && !is_secret_of(&token, secret) {
            return Ok(Err(Refusal::WrongSecret));
        }
        if let Some(refusal) = out_of_force(&token, app.now()) {
            self.verified().remove(&mark);
            return Ok(Err(refusal));
        }
        let token = Arc::new(token);
        self.remember(mark, &token);
        Ok(Ok(token))
    }

    fn remember(&self, mark: blake3::Hash, token: &Arc<Token>) {
        let mut verified = self.verified();
        if verified.len() >= MOST_REMEMBERED {
            verified.retain(|_, known| known.looked_up.elapsed() < TRUSTED_FOR);
        }
        let known = Verified { token: Arc::clone(token), looked_up: Instant::now() };
        verified.insert(mark, known);
    }

    /// What a token is remembered by: useless to whoever reads this process's memory dump elsewhere.
    fn mark(&self, text: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.key, text.as_bytes())
    }

    fn verified(&self) -> std::sync::MutexGuard<'_, HashMap<blake3::Hash, Verified>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn out_of_force(token: &Token, now: Timestamp) -> Option<Refusal> {
    if token.revoked.is_some() {
        return Some(Refusal::Revoked);
    }
    (!token.is_valid(now)).then_some(Refusal::Expired)
}

fn parts(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(PREFIX)?.split_once('_').filter(|(id, secret)| {
        let is_plain = |part: &str| !part.is_empty() && part.len() <= LONGEST_NAME;
        is_plain(id) && is_plain(secret)
    })
}

/// The comparison at its end takes the same time wherever the two differ.
fn is_secret_of(token: &Token, secret: &str) -> bool {
    PasswordHash::new(&token.hash)
        .is_ok_and(|hash| hasher().verify_password(secret.as_bytes(), &hash).is_ok())
}

fn hashed(secret: &str) -> Result<String, AppError> {
    let fault = |error: argon2::password_hash::Error| {
        AppError::unavailable(format!("the token could not be hashed: {error}"), None)
    };
    let salt = SaltString::encode_b64(&random::<16>()?).map_err(fault)?;
    Ok(hasher().hash_password(secret.as_bytes(), &salt).map_err(fault)?.to_string())
}

/// Argon2id with 19 MiB and two passes, the least that OWASP recommends.
fn hasher() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default())
}

fn check_name(what: &str, name: &str) -> Result<(), AppError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let is_fine =
        name.chars().all(is_plain) && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_fine && name.len() <= LONGEST_NAME {
        return Ok(());
    }
    Err(bad_name(what, name, "letters"))
}

fn bad_name(what: &str, name: &str, letters: &str) -> AppError {
    AppError::bad_input(
        format!("`{}` is no {what}", name.escape_debug()),
        format!("{letters}, digits, - _ . @, at most {LONGEST_NAME}, a letter or digit first"),
    )
}

fn readable(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| ALPHABET[usize::from(byte % 32)] as char).collect()
}

fn random<const N: usize>() -> Result<[u8; N], AppError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::unavailable(
            format!("no random numbers: {error}"),
            Some("check the system's random device"),
        )
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_taken_apart() {
        assert_eq!(parts("fby_abc_secret"), Some(("abc", "secret")));
        for broken in ["", "fby_", "fby_abc", "fby__x", "fby_abc_", "abc_def", "Bearer fby_a_b"] {
            assert_eq!(parts(broken), None, "{broken}");
        }
    }

    #[test]
    fn names_are_plain_words() {
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
