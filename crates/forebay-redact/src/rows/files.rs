//! Secrets in the files of well-known tools.

use super::super::class::BASE64;
use super::super::key_blocks::{self, CLOSING, OPENING};
use super::super::login;
use super::super::match_context::{MatchContext, Report};
use super::super::random;
use super::assigned;
use super::{Row, Shape};

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: key_blocks::KIND,
        literals: &["-----BEGIN "],
        shape: Shape::Around(key_in_one_line),
        redacts: &[
            concat!(
                "\"private_key\": \"-----BEGIN PRIV",
                "ATE KEY-----«\\nMIIEvQIBADANBgkqhkiG9w0BAQ\\nAbCdEfGh\\n»-----END PRIVATE KEY-----\\n\","
            ),
            concat!(
                "KEY=\"-----BEGIN RSA PRIV",
                "ATE KEY-----«\\nMIIEvQIBADANBgkqhkiG9w0BAQabcdefghijklmnopqrstuvwxyz0123456789ABCDE»"
            ),
        ],
        spares: &[
            "-----BEGIN CERTIFICATE-----MIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0G-----END CERTIFICATE-----",
            "grep -r 'BEGIN RSA PRIVATE KEY'",
            "if text.startswith('-----BEGIN PRIVATE KEY-----') and text.endswith('-----END PRIVATE KEY-----'):",
        ],
    },
    Row {
        kind: "kubernetes-key",
        literals: &["client-key-data"],
        shape: Shape::Around(kubernetes_key),
        redacts: &[concat!(
            "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJ",
            "VkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB»"
        )],
        spares: &[
            "    client-key-data: DATA+OMITTED",
            "    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=",
        ],
    },
    Row {
        kind: "docker-login",
        literals: &["\"auth\""],
        shape: Shape::Around(docker_login),
        redacts: &["\"https://index.docker.io/v1/\": {\"auth\": \"«dXNlcjpwYXNzd29yZA==»\"}"],
        spares: &[
            "\"auth\": \"required\"",
            "{\"auth\": {\"type\": \"none\"}}",
            "\"auth\": \"iVBORw0KGgo=\"",
        ],
    },
    Row {
        kind: "password",
        literals: &["password "],
        shape: Shape::Around(netrc),
        redacts: &[
            "machine api.heroku.com login me@a.io password «c4cd94da15ea0544802c2cfd5ec4ead3»",
            "  password «s3cr3tW0rd»",
            "default login anonymous password «letmein»",
        ],
        spares: &[
            "password reset2 was sent",
            "the login password is8 characters",
            "password <your-password>",
        ],
    },
];

/// A key with escaped line ends, as in JSON and environment variables.
fn key_in_one_line(context: &MatchContext<'_>, report: Report<'_>) {
    let text = context.at_literal();
    let Some(opening) = text.starts_with(OPENING).then(|| key_blocks::opening(text)).flatten()
    else {
        return;
    };
    let rest = &text[opening..];
    let length = memchr::memmem::find(rest, CLOSING).unwrap_or_else(|| escaped_base64(rest));
    if rest[..length].split(|byte| !BASE64.has(*byte)).any(|part| part.len() >= 16) {
        report(context.range_at_literal(opening..opening + length));
    }
}

fn escaped_base64(text: &[u8]) -> usize {
    text.iter().position(|byte| !BASE64.has(*byte) && *byte != b'\\').unwrap_or(text.len())
}

fn kubernetes_key(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(gap) = assigned::separator(context.after()) else { return };
    let start = gap + assigned::quote(&context.after()[gap..]);
    let run = BASE64.run(&context.after()[start..]);
    if run >= 40 {
        report(context.range_after(start..start + run));
    }
}

fn docker_login(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(gap) = assigned::separator(context.after()) else { return };
    let start = gap + assigned::quote(&context.after()[gap..]);
    let run = BASE64.run(&context.after()[start..]);
    if login::is_login(&context.after()[start..start + run]) {
        report(context.range_after(start..start + run));
    }
}

/// The last word of a line that starts with the literal or names a login before it.
fn netrc(context: &MatchContext<'_>, report: Report<'_>) {
    let start = assigned::blanks(context.after());
    let word = context.after()[start..].trim_ascii_end();
    if word.is_empty() || word.iter().any(u8::is_ascii_whitespace) {
        return;
    }
    let before = context.before().trim_ascii_start();
    let named = memchr::memmem::find(before, b"login ").is_some()
        && (before.starts_with(b"machine ")
            || before.starts_with(b"default ")
            || before.starts_with(b"login "));
    let alone = before.is_empty() && context.includes_line_start() && random::is_password(word);
    if context.starts_word() && (alone || named && !random::is_placeholder(word)) {
        report(context.range_after(start..start + word.len()));
    }
}
