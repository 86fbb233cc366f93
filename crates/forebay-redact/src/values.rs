//! Values of secret environment variables, redacted wherever they occur.

use super::names;
use super::random;

/// Minimum length; shorter values occur by chance.
const MIN_BYTES: usize = 8;
/// Maximum length of a plain word, which is not redacted.
const MAX_PLAIN_WORD: usize = 15;
/// Maximum length; longer values are data.
const MAX_BYTES: usize = 4 * 1024;
/// Bytes of a value used as its literal; the rest is compared at a match.
const LITERAL_BYTES: usize = 16;

/// The values of variables with secret names.
pub(super) fn secret_ones<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Vec<String>
where
    N: AsRef<str>,
    V: AsRef<str>,
{
    let mut values: Vec<String> = variables
        .into_iter()
        .filter(|(name, _)| names::is_secret(name.as_ref()))
        .flat_map(|(_, value)| value.as_ref().lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.trim().to_owned())
        .filter(|line| is_specific(line))
        .collect();
    values.sort();
    values.dedup();
    values
}

/// The part of a value that the scanner searches for.
pub(super) fn literal(value: &str) -> &str {
    forebay_text::cut::prefix(value, LITERAL_BYTES)
}

/// Whether a value is specific enough: no word, path or placeholder.
fn is_specific(value: &str) -> bool {
    let is_word =
        value.len() <= MAX_PLAIN_WORD && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number =
        value.len() <= MAX_PLAIN_WORD && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_path = value.starts_with(['/', '~', '.']);
    // PEM markers are not secret; `key_blocks` handles the key itself.
    let frames_a_key = value.starts_with("-----");
    (MIN_BYTES..=MAX_BYTES).contains(&value.len())
        && !is_word
        && !is_number
        && !is_path
        && !frames_a_key
        && !random::is_placeholder(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_specific_values_of_secret_names() {
        let variables = [
            ("DEPLOY_TOKEN", "s3cr3t-and-long"),
            ("HOME", "not-looked-at-1"),
            ("API_KEY", "short"),
            ("TLS_KEY", "/etc/ssl/private/key.pem"),
            ("SOME_SECRET", "production"),
            ("OTHER_SECRET", "${NOT_SET_123}"),
            ("PIN_PASSWORD", "12345678"),
            ("MULTI_KEY", "first-line-1\nsecond-line-2\n"),
        ];
        assert_eq!(secret_ones(variables), ["first-line-1", "s3cr3t-and-long", "second-line-2"]);
    }
}
