//! Random bytes for keys, tokens and ids.

use crate::AppError;

/// Returns bytes that nobody can guess; without a source of them there is no substitute.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], AppError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::unavailable(
            format!("cannot get random bytes: {error}"),
            Some("check the system's random device"),
        )
    })?;
    Ok(bytes)
}
