//! Values of environment variables that are secrets wherever they occur.

use super::names;
use super::random;

/// Shorter values occur by chance.
const SHORTEST: usize = 8;
/// A word of letters only must be this long to be no ordinary word.
const LONGEST_WORD: usize = 15;
/// Longer ones are data, not secrets.
const LONGEST: usize = 4 * 1024;
/// So much of a value is looked for; the rest is compared where that is found.
const LITERAL: usize = 16;

/// The values to look for: those of variables whose names say that they are secret.
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
        .filter(|line| is_telling(line))
        .collect();
    values.sort();
    values.dedup();
    values
}

/// The part of a value that the scanner looks for.
pub(super) fn literal(value: &str) -> &str {
    forebay_text::cut::prefix(value, LITERAL)
}

/// Whether a value is found only where it is meant: no word, no path, no stand-in.
fn is_telling(value: &str) -> bool {
    let is_word =
        value.len() <= LONGEST_WORD && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number = value.len() <= LONGEST_WORD && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_path = value.starts_with(['/', '~', '.']);
    // The lines around a key are no secret; the key itself is followed by `key_blocks`.
    let frames_a_key = value.starts_with("-----");
    (SHORTEST..=LONGEST).contains(&value.len())
        && !is_word
        && !is_number
        && !is_path
        && !frames_a_key
        && !random::is_stand_in(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_telling_values_of_secret_names_are_taken() {
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
