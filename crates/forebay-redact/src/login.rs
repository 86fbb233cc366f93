//! Base64-encoded credentials.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Accepts missing padding and non-zero trailing bits, as hand-made credentials have them.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Whether `text` is the base64 of `name:password`, as HTTP and Docker write credentials.
pub(super) fn is_login(text: &[u8]) -> bool {
    let Ok(decoded) = LENIENT.decode(standard_alphabet(text)) else { return false };
    let is_readable = decoded.iter().all(|byte| (b' '..0x7f).contains(byte));
    is_readable
        && decoded.iter().position(|byte| *byte == b':').is_some_and(|at| at + 1 < decoded.len())
}

/// Maps the URL-safe alphabet to the standard one, so that both are accepted.
fn standard_alphabet(text: &[u8]) -> Vec<u8> {
    let map = |byte: &u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    };
    text.iter().map(map).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_logins_only() {
        for login in ["dXNlcjpwYXNzd29yZA==", "YTpiYw", "YTpi"] {
            assert!(is_login(login.as_bytes()), "{login}");
        }
        for other in ["", "dXNlcg==", "authentication", "iVBORw0KGgo=", "dXNlcjo=", "a!b:c"] {
            assert!(!is_login(other.as_bytes()), "{other}");
        }
    }
}
