//! Classification of values: random strings and passwords versus words, code and placeholders.

use super::class::BASE64;

/// Minimum Shannon entropy of a random string, in bits a character.
const MIN_ENTROPY: f64 = 2.5;
/// Length from which a part with letters and digits counts as random.
const MIN_RANDOM_PART: usize = 16;

/// Sequences that occur only in placeholders and code.
const PLACEHOLDER_MARKS: &[&[u8]] = &[
    b"${",
    b"$(",
    b"{{",
    b"***",
    b"...",
    b"\xe2\x80\xa6",
    b"\xe2\x80\xa2",
    b"xxxx",
    b"XXXX",
    b"[redacted",
];
/// Words that occur only in placeholders.
const PLACEHOLDER_WORDS: &[&str] = &[
    "changeme",
    "change",
    "example",
    "placeholder",
    "your",
    "yours",
    "dummy",
    "sample",
    "todo",
    "here",
    "redacted",
    "masked",
    "hidden",
    "replace",
    "replaceme",
    "insert",
];
/// Values that mean "not set".
const UNSET_VALUES: &[&str] = &[
    "none",
    "null",
    "undefined",
    "false",
    "string",
    "password",
    "secret",
    "token",
    "required",
    "optional",
    "disabled",
    "enabled",
    "default",
];

/// Whether `value` looks randomly generated.
pub(super) fn is_random(value: &[u8]) -> bool {
    value.len() >= 8
        && may_be_a_secret(value)
        && entropy(value) >= MIN_ENTROPY
        && (parts(value).any(is_random_part) || is_long_base64(value))
}

/// Whether `value` may be a chosen password: a word with digits or symbols.
pub(super) fn is_password(value: &[u8]) -> bool {
    let with_a_twist = |part: &[u8]| {
        part.len() >= 4
            && part.iter().any(u8::is_ascii_alphabetic)
            && part.iter().any(|byte| byte.is_ascii_digit() || b"!@#%^&*+=?~".contains(byte))
    };
    value.len() >= 6
        && may_be_a_secret(value)
        && (parts(value).any(with_a_twist) || parts(value).any(is_random_part))
}

/// Whether `value` is a plain word that may be used as a password.
pub(super) fn is_word(value: &[u8]) -> bool {
    value.len() >= 6
        && value.iter().all(u8::is_ascii_alphabetic)
        && !is_placeholder(value)
        && !UNSET_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether `value` is a placeholder: `${TOKEN}`, `<token>`, `****`, `your-key-here`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_marked(value) || distinct(value) <= 2 || has_placeholder_word(value)
}

/// Whether `value` has the syntax of a placeholder.
pub(super) fn is_marked(value: &[u8]) -> bool {
    let begins = match value {
        [b'%', first, second, ..] => !(first.is_ascii_hexdigit() && second.is_ascii_hexdigit()),
        [first, ..] => b"$%<{[(".contains(first),
        [] => true,
    };
    begins
        || value.iter().all(|byte| b"*xX.".contains(byte))
        || PLACEHOLDER_MARKS.iter().any(|mark| memchr::memmem::find(value, mark).is_some())
}

fn has_placeholder_word(value: &[u8]) -> bool {
    parts(value)
        .any(|part| PLACEHOLDER_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes())))
}

fn may_be_a_secret(value: &[u8]) -> bool {
    !is_placeholder(value)
        && !is_path(value)
        && !is_checksum(value)
        && value.iter().all(u8::is_ascii_graphic)
}

fn is_path(value: &[u8]) -> bool {
    [b"/".as_slice(), b"~/", b"./", b"../"].iter().any(|start| value.starts_with(start))
        && value[1..].contains(&b'/')
}

/// `sha512-...`, `sha256:...`.
fn is_checksum(value: &[u8]) -> bool {
    let name =
        value.iter().position(|byte| b"-:".contains(byte)).map_or(value, |end| &value[..end]);
    ["md5", "sha1", "sha256", "sha384", "sha512"].iter().any(|known| name == known.as_bytes())
}

/// Whether letters and digits alternate too often for a word.
fn is_random_part(part: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| part.iter().any(kind);
    let needed = match part.len() {
        0..8 => return false,
        8..12 => 3,
        12..MIN_RANDOM_PART => 2,
        _ => 1,
    };
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && changes(part) >= needed
        && !is_type_name(part)
}

/// `Oauth2ClientCredentials`: one number and no isolated lower-case letter.
fn is_type_name(part: &[u8]) -> bool {
    let mut runs = part.split(|byte| !byte.is_ascii_lowercase()).filter(|run| !run.is_empty());
    part.iter().any(u8::is_ascii_uppercase)
        && part.iter().any(u8::is_ascii_lowercase)
        && changes(part) <= 2
        && runs.all(|run| run.len() >= 2)
}

/// Long base64, which may contain `/` anywhere.
fn is_long_base64(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    value.len() >= 2 * MIN_RANDOM_PART
        && BASE64.is_all(value)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Number of transitions between letters and other characters.
fn changes(part: &[u8]) -> usize {
    part.windows(2)
        .filter(|two| two[0].is_ascii_alphabetic() != two[1].is_ascii_alphabetic())
        .count()
}

/// The parts of a value between word separators.
fn parts(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| b"-_./:, ()[]".contains(byte))
}

fn distinct(value: &[u8]) -> usize {
    counts(value).iter().filter(|count| **count > 0).count()
}

/// Shannon entropy in bits a byte.
fn entropy(value: &[u8]) -> f64 {
    let length = value.len() as f64;
    let share = |count: &u32| f64::from(*count) / length;
    counts(value)
        .iter()
        .filter(|count| **count > 0)
        .map(|count| -share(count) * share(count).log2())
        .sum()
}

fn counts(value: &[u8]) -> [u32; 256] {
    let mut counts = [0; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_random_from_written_values() {
        for random in [
            "abc123def456",
            "9f86d081884c7d659a2f",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX",
            "1234567890abcdef",
        ] {
            assert!(is_random(random.as_bytes()), "{random}");
        }
        for written in [
            "",
            "short1",
            "my-secret-name",
            "password123",
            "v1.2.3-beta.4",
            "config.token",
            "${TOKEN}",
            "<token>",
            "********",
            "your_api_key_here1",
            "/run/secrets/a1b2c3d4e5",
            "process.env.TOKEN",
            "2024-01-01",
            "10.0.0.1",
            "aaaaaaaaaaaaaaa1",
            "linux-x86",
            "Oauth2ClientCredentials",
            "list[V1LocalObjectReference]",
            "changeme",
        ] {
            assert!(!is_random(written.as_bytes()), "{written}");
        }
    }

    #[test]
    fn recognizes_chosen_passwords() {
        for password in ["hunter2", "s3cr3t!", "Tr0ub4dor&3", "P@ssw0rd"] {
            assert!(is_password(password.as_bytes()), "{password}");
        }
        for other in [
            "",
            "string",
            "input-password",
            "step-2",
            "******",
            "null",
            "user.password",
            "%s",
            "$PASS1",
            "abc1",
        ] {
            assert!(!is_password(other.as_bytes()), "{other}");
        }
    }
}
