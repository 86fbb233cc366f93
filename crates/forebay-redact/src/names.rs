//! Names that say their value is a secret.

/// Words that make a name one of a secret when they stand last.
const SECRET: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "pass",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "accountkey",
    "authtoken",
    "accesstoken",
    "apitoken",
    "credential",
    "credentials",
    "creds",
    "pat",
    "auth",
];
/// The same at the end of a longer word, as in `PGPASSWORD`.
const GLUED: &[&str] = &["password", "passwd", "passphrase", "secret", "token", "apikey"];
/// Words that may follow and change nothing.
const NEUTRAL: &[&str] = &[
    "value",
    "base",
    "raw",
    "plain",
    "b64",
    "base64",
    "prod",
    "production",
    "staging",
    "stage",
    "dev",
    "test",
    "live",
    "old",
    "new",
    "current",
    "primary",
    "secondary",
    "default",
];
/// Keys that are none to a lock.
const PLAIN_KEYS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "object",
    "idempotency",
    "index",
    "routing",
    "row",
    "hash",
    "group",
    "map",
    "dedup",
    "lookup",
    "join",
    "s3",
    "unique",
    "composite",
    "config",
    "parent",
    "translation",
    "i18n",
    "message",
    "query",
    "host",
    "store",
    "json",
    "dict",
    "metric",
    "label",
    "tag",
    "feature",
    "event",
    "gpg",
    "registry",
    "shortcut",
    "recv",
    "hot",
    "restore",
    "cancellation",
    "sub",
    "natural",
    "shard",
    "range",
];
/// Tokens that point at a page, or that a language is made of.
const PLAIN_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "sync",
    "cancel",
    "cancellation",
    "resume",
    "start",
    "end",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "sep",
    "cls",
    "special",
    "max",
    "min",
    "num",
    "first",
    "last",
    "prev",
    "previous",
    "cursor",
    "stop",
    "input",
    "output",
    "prompt",
    "completion",
    "total",
    "design",
    "unexpected",
];

/// Whether a variable, field, header or option of this name holds a secret.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let told = words.iter().rposition(|word| !is_neutral(word)).map_or(0, |last| last + 1);
    let Some((last, before)) = words[..told].split_last() else { return false };
    let which = before.last().map_or("", String::as_str);
    match last.as_str() {
        "key" => !which.is_empty() && !PLAIN_KEYS.contains(&which),
        "token" | "tokens" => !PLAIN_TOKENS.contains(&which),
        // Alone these are too common as words.
        "pass" | "auth" | "pat" => !which.is_empty() || name.starts_with('_'),
        word => SECRET.contains(&word) || GLUED.iter().any(|end| word.ends_with(end)),
    }
}

/// Whether the name is that of a password, which people choose, and not of something random.
pub(super) fn is_password(name: &str) -> bool {
    let words = words(name);
    let told = words.iter().rev().find(|word| !is_neutral(word));
    told.is_some_and(|word| word.contains("pass") || word == "pwd")
}

fn is_neutral(word: &str) -> bool {
    NEUTRAL.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a name in lower case: `apiKey`, `API_KEY` and `api-key` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for character in name.chars() {
        let parts = !character.is_ascii_alphanumeric();
        if parts || lower_before && character.is_ascii_uppercase() {
            words.push(String::new());
        }
        lower_before = character.is_ascii_lowercase();
        if let (false, Some(word)) = (parts, words.last_mut()) {
            word.push(character.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "GITHUB_TOKEN",
            "OPENAI_API_KEY",
            "STRIPE_KEY",
            "DB_PASSWORD",
            "PASSWORD",
            "PGPASSWORD_DEV",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "SECRET_KEY_BASE",
            "clientSecret",
            "apiKey",
            "X-Api-Key",
            "passwd",
            "private-token",
            "spring.datasource.password",
            "_authToken",
            "_auth",
            "MYSQL_PASS",
            "GH_PAT",
            "GOOGLE_CREDENTIALS",
            "ANSIBLE_VAULT_PASSPHRASE",
            "JWT_SECRET_2",
            "Pwd",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_sound_like_it_are_spared() {
        for name in [
            "",
            "key",
            "KEY",
            "author",
            "cache_key",
            "primaryKey",
            "PUBLIC_KEY",
            "secretName",
            "token_count",
            "max_tokens",
            "nextPageToken",
            "tokenizer",
            "passed",
            "pass",
            "auth",
            "SSH_AUTH_SOCK",
            "keyboard",
            "AWS_ACCESS_KEY_ID",
            "password_hash",
            "PASSWORD_FILE",
            "token_type",
            "secret_version",
            "path",
            "HOME",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
