//! Credentials in HTTP headers and in options that set them.

use std::ops::Range;

use super::super::class::{CREDENTIAL, NAME, WORD};
use super::super::login;
use super::super::match_context::{MAX_GAP, MatchContext, Report};
use super::super::random;
use super::assigned::{blanks, quote, separator};
use super::{Row, Shape};

/// Schemes with one-word credentials.
const SCHEMES: &[&str] =
    &["bearer", "token", "bot", "apikey", "api-key", "key", "oauth", "splunk", "negotiate"];
/// Characters that may follow the last credential of a header.
const ENDS_HEADER: &[u8] = b"\"'`\r\\,;)}]<";

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "authorization-header",
        literals: &["authorization"],
        shape: Shape::Around(authorization),
        redacts: &[
            "Authorization: Bearer «mF_9.B5f-4.1JqM»",
            "> authorization: Basic «dXNlcjpwYXNzd29yZA==»\r",
            "{\"Authorization\":\"Token «9944b09199c62bcf9418»\"}",
            "curl -H 'Authorization: Bearer «abcdefgh»' https://a.io",
            "{\\\"authorization\\\": \\\"Bearer «abcdefgh»\\\"}",
            "Proxy-Authorization: Basic «dXNlcjpwYXNzd29yZA==»",
            "authorization=Bearer «9944b09199c62bcf9418»",
            "Authorization: «9944b09199c62bcf9418»",
        ],
        spares: &[
            "Authorization: Bearer ${TOKEN}",
            "Authorization: Bearer <token>",
            "Authorization: Basic authentication is off",
            "Authorization: Bearer tokens are sent with each request",
            "authorization: none",
            "Authorization: Bearer ***",
            "authorization failed: a1b2c3d4e5",
            "Authorization: Digest username=\"Mufasa\"",
            "Authorization: `Bearer $token1`",
        ],
    },
    Row {
        kind: "bearer-token",
        literals: &["bearer "],
        shape: Shape::Around(bearer),
        redacts: &["sent Bearer «9944b09199c62bcf9418» to a.io"],
        spares: &[
            "the bearer of bad-news-2024",
            "Bearer realm=\"a1b2c3d4e5f6a7b8\"",
            "bearer your-token-123456abc",
        ],
    },
    Row {
        kind: "session-cookie",
        literals: &["cookie"],
        shape: Shape::Around(cookies),
        redacts: &[
            "Set-Cookie: session=«4f2a9c81b7d34e60»; Path=/; HttpOnly",
            "Cookie: theme=dark; PHPSESSID=«4f2a9c81b7d34e60»; lang=de; auth_key=«Zm9vYmFy»",
            "\"set-cookie\": \"connect.sid=«s%3A4f2a9c81b7d34e60»; Path=/\"",
        ],
        spares: &[
            "Set-Cookie: theme=dark4f2a9c81b7d3; Path=/",
            "cookie: a",
            "cookies are set by session=4f2a9c81b7d34e60",
            "Set-Cookie: session=; Max-Age=0",
            "Set-Cookie: session=deleted; Path=/",
        ],
    },
    Row {
        kind: "password",
        literals: &[" -u ", " --user ", " -u=", " --user="],
        shape: Shape::Around(curl_user),
        redacts: &[
            "curl -s -u admin:«hunter2» https://a.io",
            "curl --user 'admin:«hunter2»' https://a.io",
        ],
        spares: &[
            "curl -u admin https://a.io",
            "docker run -u 1000:1000 image",
            "curl -u $USER:$PASS https://a.io",
        ],
    },
];

fn authorization(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(gap) = separator(context.after()) else { return };
    let start = gap + quote(&context.after()[gap..]);
    let value = &context.after()[start..];
    let scheme = WORD.run(value);
    let blanks = blanks(&value[scheme..]);
    let credential = scheme + blanks..scheme + blanks + CREDENTIAL.run(&value[scheme + blanks..]);
    if blanks > 0 && is_credential(&value[..scheme], value, &credential) {
        report(context.range_after(start + credential.start..start + credential.end));
    }
    let whole = CREDENTIAL.run(value);
    if random::is_random(&value[..whole]) {
        report(context.range_after(start..start + whole));
    }
}

fn is_credential(scheme: &[u8], value: &[u8], at: &Range<usize>) -> bool {
    let credential = &value[at.clone()];
    if scheme.eq_ignore_ascii_case(b"basic") {
        return login::is_login(credential);
    }
    let known = SCHEMES.iter().any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
    let next = value.get(at.end);
    let is_last = next.is_none_or(|next| ENDS_HEADER.contains(next));
    let is_parameter =
        next == Some(&b'"') && credential.ends_with(b"=") && NAME.run(credential) < 12;
    known
        && credential.len() >= 6
        && !is_parameter
        && !random::is_placeholder(credential)
        && (is_last || random::is_random(credential))
}

fn bearer(context: &MatchContext<'_>, report: Report<'_>) {
    let run = CREDENTIAL.run(context.after());
    let is_parameter = context.after().get(run) == Some(&b'"');
    if context.starts_word()
        && run >= 16
        && !is_parameter
        && random::is_random(&context.after()[..run])
    {
        report(context.range_after(0..run));
    }
}

/// Only cookies named like a session.
fn cookies(context: &MatchContext<'_>, report: Report<'_>) {
    let Some(gap) = separator(context.after()) else { return };
    let mut at = gap + quote(&context.after()[gap..]);
    let header = &context.after()[..context.after().len().min(at + MAX_GAP)];
    while at < header.len() {
        let end =
            memchr::memchr3(b';', b'"', b'\'', &header[at..]).map_or(header.len(), |n| at + n);
        if let Some(value) = session_value(&header[at..end]) {
            report(context.range_after(at + value.start..at + value.end));
        }
        at = end + 1;
    }
}

fn session_value(pair: &[u8]) -> Option<Range<usize>> {
    let equals = memchr::memchr(b'=', pair)?;
    let value = equals + 1..pair.trim_ascii_end().len();
    let is_told = value.len() >= 8
        && is_session(&pair[..equals])
        && !random::is_placeholder(&pair[value.clone()]);
    is_told.then_some(value)
}

fn is_session(name: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[b"sess", b"auth", b"token", b"jwt", b"csrf", b"remember", b"login"];
    let name = name.trim_ascii().to_ascii_lowercase();
    name.ends_with(b"sid") || MARKS.iter().any(|mark| memchr::memmem::find(&name, mark).is_some())
}

fn curl_user(context: &MatchContext<'_>, report: Report<'_>) {
    let start = quote(context.after());
    let login = &context.after()[start..];
    let end = login.iter().position(|byte| b" \t\"'`\\".contains(byte)).unwrap_or(login.len());
    let Some(colon) = login[..end].iter().position(|byte| *byte == b':') else { return };
    let password = colon + 1..end;
    let by_curl = memchr::memmem::find(context.before(), b"curl").is_some();
    if by_curl && !password.is_empty() && !random::is_marked(&login[password.clone()]) {
        report(context.range_after(start + password.start..start + password.end));
    }
}
