//! Names whose values are secrets.

/// Words that mark a secret at the end of a name.
const SECRET_WORDS: &[&str] = &[
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
/// Suffixes of a longer word, as in `PGPASSWORD`.
const SECRET_SUFFIXES: &[&str] = &["password", "passwd", "passphrase", "secret", "token", "apikey"];
/// Trailing words that are ignored.
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
/// Words before `key` that make it harmless.
const HARMLESS_KEYS: &[&str] = &[
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
/// Words before `token` that make it harmless.
const HARMLESS_TOKENS: &[&str] = &[
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
        "key" => !which.is_empty() && !HARMLESS_KEYS.contains(&which),
        "token" | "tokens" => !HARMLESS_TOKENS.contains(&which),
        // Too common as single words.
        "pass" | "auth" | "pat" => !which.is_empty() || name.starts_with('_'),
        word => {
            SECRET_WORDS.contains(&word) || SECRET_SUFFIXES.iter().any(|end| word.ends_with(end))
        }
    }
}

/// Whether the name denotes a password, which people choose, rather than a random value.
pub(super) fn is_password(name: &str) -> bool {
    let words = words(name);
    let told = words.iter().rev().find(|word| !is_neutral(word));
    told.is_some_and(|word| word.contains("pass") || word == "pwd")
}

fn is_neutral(word: &str) -> bool {
    NEUTRAL.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name into lower-case words: `apiKey`, `API_KEY` and `api-key` are equal.
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
    fn recognizes_secret_names() {
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
    fn ignores_similar_names() {
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
