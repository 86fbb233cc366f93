//! Values assigned to a secret name: `password=`, `"api_key": "..."`.
//!
//! The name is known and the value is classified. These rows come last, so that a value with a format of its own is named
//! by it.

use std::ops::Range;

use super::super::class::{BARE, NAME};
use super::super::match_context::{MatchContext, Report};
use super::super::names;
use super::super::random;
use super::{Row, Shape};

/// Maximum length of a name on either side of its literal.
const MAX_NAME: usize = 64;
/// Maximum length of a value.
const MAX_VALUE: usize = 8 * 1024;
/// Bytes of a value that are classified.
const CLASSIFIED_BYTES: usize = 512;
/// Characters that mark code in an unquoted value.
const CODE_MARKS: &[u8] = b"([{";

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "password",
        literals: &["password", "passwd", "passphrase", "passcode", "pwd", "_pass"],
        shape: Shape::Around(password),
        redacts: &[
            "DB_PASSWORD=«hunter2»",
            "PASSWORD=«swordfish»",
            "spring.datasource.password: «s3cr3t-Word»",
            "{\"user\":\"a\",\"password\":\"«Tr0ub4dor&3»\"}",
            "{\\\"password\\\":\\\"«Tr0ub4dor3x»\\\"}",
            "mysql --password=«s3cr3tW0rd» db",
            "tool --password «s3cr3tW0rd» --verbose",
            "ALTER USER a WITH PASSWORD '«s3cr3tW0rd»';",
            "<password>«s3cr3tW0rd»</password>",
            "Server=db;Uid=sa;Pwd=«s3cr3tW0rd»;",
            "config[\"password\"] = '«s3cr3tW0rd»'",
        ],
        spares: &[
            "password=******",
            "password=${DB_PASSWORD}",
            "password: <password>",
            "password=null",
            "password: string;",
            "password = getpass()",
            "let password = config.password;",
            "\"password\": \"Passwort\"",
            "PASSWORD=changeme",
            "password=$(cat file)",
            "password: &str,",
            "passwd: *const c_char,",
            "socks5h://<user>:<password>@proxy-host-1a2b",
            "if password == \"a1b2c3d4\"",
            "PWD=/srv/a1b2/c3d4",
            "Password::new(a1b2c3)",
            "enter your password: ",
            "password_hash=9f86d081884c7d65",
            "<input type=\"password\" id=\"field1\">",
            "PASSWORD={{ vault_password1 }}",
            "the password is 8 characters long",
            "--password --user a1b2c3d4",
        ],
    },
    Row {
        kind: "secret",
        literals: &["secret", "credential"],
        shape: Shape::Around(random_value),
        redacts: &[
            "client_secret: «9f86d081884c7d659a2feaa0»",
            "SECRET_KEY_BASE=«abc123def456abc123def456»",
            "SECRET_KEY=«django-insecure-8$2!abc123def456»",
        ],
        spares: &[
            "secretName: my-app-tls-2",
            "secret: ${{ secrets.DEPLOY_1 }}",
            "secret_version: 9f86d081884c7d65",
            "secret = load_secret(\"a1b2c3d4e5f6\")",
            "SECRET=your-secret-here-123456",
        ],
    },
    Row {
        kind: "token",
        literals: &["token", "_pat", "_auth"],
        shape: Shape::Around(random_value),
        redacts: &[
            "CI_JOB_TOKEN=«64_sVq3xyzAbC91kLmNo»",
            "X-Auth-Token: «4f2a9c81b7d34e60»",
            "curl 'https://a.io/?access_token=«4f2a9c81b7d34e60»&page=2'",
            "  \"refreshToken\" : \"«4f2a9c81b7d34e60a1»\"",
            "tool --token «4f2a9c81b7d34e60»",
            "_auth=«dXNlcjpwYXNzd29yZDEyMw==»",
        ],
        spares: &[
            "max_tokens=4096",
            "nextPageToken: CAEQAA1b2c3d4e5f6",
            "token: <token>",
            "unexpected token: identifier1",
            "token = self.next_token2()",
            "tokens: 61234567",
            "token_type=Bearer",
            "csrf token",
            "token=sha256:9f86d081884c7d659a2feaa0c55ad015",
            "eos_token_id = 12345678",
        ],
    },
    Row {
        kind: "api-key",
        literals: &[
            "_key",
            "-key",
            ".key",
            "apikey",
            "accesskey",
            "privatekey",
            "authkey",
            "accountkey",
        ],
        shape: Shape::Around(random_value),
        redacts: &[
            "api_key=«9f86d081884c7d659a2feaa0»",
            "x-api-key: «9f86d081884c7d659a2feaa0»",
            "{\"apiKey\":\"«a1B2c3D4e5F6»\"}",
            "ENCRYPTION_KEY=\"«abc123def456abc123def456»\"",
        ],
        spares: &[
            "cache-key: node-modules-9f86d081884c7d659a2f",
            "primary_key=9f86d081884c7d65",
            "key: 9f86d081884c7d659a2f",
            "PUBLIC_KEY=abc123def456abc123",
            "api_key: YOUR_API_KEY_1234567",
            "apikey = os.environ[\"KEY_A1B2\"]",
            "api-key-id: 9f86d081884c7d65",
            "ssh_host_key=/etc/ssh/a1b2c3d4",
            "private_key: ed25519.Ed25519PrivateKey,",
            "gpg --recv-keys 5BE8A3F6C8A5C01D106C0AD820B1A390B168D356",
        ],
    },
];

/// A name and its value.
struct Assignment<'a> {
    name: &'a str,
    value: Range<usize>,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `NAME=value` in shell syntax.
    Shell,
    Bare,
    Quoted,
}

/// Range of the value assigned to the name that contains the literal.
pub(super) fn value(context: &MatchContext<'_>) -> Option<Range<usize>> {
    read(context).map(|assignment| assignment.value)
}

fn password(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(assignment) = read(context) else { return };
    let value = judged(context, &assignment);
    let chosen =
        random::is_password(value) || assignment.form == Form::Shell && random::is_word(value);
    if chosen && names::is_secret(assignment.name) && names::is_password(assignment.name) {
        report(assignment.value);
    }
}

fn random_value(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(assignment) = read(context) else { return };
    if random::is_random(judged(context, &assignment)) && names::is_secret(assignment.name) {
        report(assignment.value);
    }
}

/// The part of a value that is classified.
fn judged<'a>(context: &MatchContext<'a>, assignment: &Assignment<'_>) -> &'a [u8] {
    let value = context.window(assignment.value.clone());
    &value[..value.len().min(CLASSIFIED_BYTES)]
}

fn read<'a>(context: &MatchContext<'a>) -> Option<Assignment<'a>> {
    let left = NAME.run_back(context.before());
    let right = NAME.run_up_to(context.after(), MAX_NAME);
    if left > MAX_NAME || right > MAX_NAME {
        return None;
    }
    let start = context.before().len() - left;
    let end = context.before().len() + context.literal().len() + right;
    let name = std::str::from_utf8(context.window(start..end)).ok()?;
    let rest = &context.after()[right..];
    let gap = gap(name, &context.before()[..start], rest)?;
    let (open, length) = quoted_or_bare(&rest[gap..])?;
    let value = context.range_after(right + gap + open..right + gap + open + length);
    Some(Assignment { name, form: form(name, &rest[..gap], open), value })
}

fn form(name: &str, gap: &[u8], open: usize) -> Form {
    let upper = !name.bytes().any(|byte| byte.is_ascii_lowercase());
    match (open, gap) {
        (0, b"=") if upper => Form::Shell,
        (0, _) => Form::Bare,
        _ => Form::Quoted,
    }
}

/// Length of the separator between a name and its value.
fn gap(name: &str, before: &[u8], rest: &[u8]) -> Option<usize> {
    let is_option = name.starts_with("--") && matches!(rest, [b' ', next, ..] if *next != b'-');
    let is_element = before.ends_with(b"<") && rest.starts_with(b">") && is_closed(rest);
    let is_sql = name.eq_ignore_ascii_case("password") && rest.starts_with(b" '");
    if is_option || is_element || is_sql {
        return Some(1);
    }
    separator(rest)
}

/// Whether element text is followed by a closing tag.
fn is_closed(rest: &[u8]) -> bool {
    memchr::memchr(b'<', rest).is_some_and(|at| rest[at..].starts_with(b"</"))
}

/// Length of `=`, `:`, `=>` or `:=` with surrounding quote and whitespace.
pub(super) fn separator(rest: &[u8]) -> Option<usize> {
    let mut at = quote(rest);
    at += usize::from(rest[at..].starts_with(b"]"));
    at += blanks(&rest[at..]);
    at += match &rest[at..] {
        [b'=', b'='] | [b'=', b'=', ..] | [b':', b':', ..] => return None,
        [b'=', b'>', ..] | [b':', b'=', ..] => 2,
        [b'=' | b':', ..] => 1,
        _ => return None,
    };
    Some(at + blanks(&rest[at..]))
}

/// Length of the opening quote, which may be escaped.
pub(super) fn quote(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'"' | b'\'', ..] => 2,
        [b'"' | b'\'' | b'`', ..] => 1,
        _ => 0,
    }
}

pub(super) fn blanks(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Lengths of the opening quote and of the value.
fn quoted_or_bare(rest: &[u8]) -> Option<(usize, usize)> {
    let open = quote(rest);
    let inside = &rest[open..rest.len().min(open + MAX_VALUE)];
    let length = match open {
        0 => bare_length(inside),
        2 => memchr::memchr(b'\\', inside).unwrap_or(inside.len()),
        _ => quoted_length(inside, rest[0]),
    };
    let is_code = open == 0 && is_code(&inside[..length.min(CLASSIFIED_BYTES)]);
    (length > 0 && !is_code).then_some((open, length))
}

/// `*const T`, `call(a)`, `self.field`.
fn is_code(bare: &[u8]) -> bool {
    let mut fields = bare.split(|byte| *byte == b'.');
    let first = fields.next().unwrap_or_default();
    let is_short = first.len() < 16 && first.first().is_some_and(u8::is_ascii_lowercase);
    let is_field = fields
        .next()
        .and_then(|field| field.first())
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    bare.starts_with(b"*")
        || bare.iter().any(|byte| CODE_MARKS.contains(byte))
        || is_short && is_field
}

fn bare_length(inside: &[u8]) -> usize {
    let run = BARE.run(inside);
    run + inside[run..].iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// Distance to the closing quote, skipping escaped ones.
fn quoted_length(inside: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while at < inside.len() && inside[at] != quote {
        at += if inside[at] == b'\\' { 2 } else { 1 };
    }
    at.min(inside.len())
}
