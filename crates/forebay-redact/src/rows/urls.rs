//! Secrets in URLs.

use super::super::class::{ANY_BASE64, AUTHORITY, DIGITS, WORD};
use super::super::match_context::{MatchContext, Report};
use super::super::random;
use super::{Row, Shape};

/// Maximum length of a URL authority.
const MAX_AUTHORITY: usize = 2 * 1024;

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "slack-webhook",
        literals: &["hooks.slack.com/"],
        shape: Shape::Around(slack_hook),
        redacts: &[concat!(
            "curl https://hooks.slack.com/«services/T000",
            "00000/B00000000/XXXXabcdXXXXabcdXXXX1234»"
        )],
        spares: &["https://hooks.slack.com/", "see hooks.slack.com/services"],
    },
    Row {
        kind: "webhook",
        literals: &["/api/webhooks/"],
        shape: Shape::Around(webhook),
        redacts: &[concat!(
            "https://discord.com/api/webhooks/123456789012345678/«abcdefghijklmnopqrstuvwxyz0123456789",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdef»"
        )],
        spares: &["POST /api/webhooks/123456789012345678/deliveries", "/api/webhooks/new"],
    },
    Row {
        kind: "url-signature",
        literals: &[
            "x-amz-signature=",
            "x-goog-signature=",
            "x-amz-security-token=",
            "&sig=",
            "?sig=",
        ],
        shape: Shape::Around(signature),
        redacts: &[
            "https://b.s3.amazonaws.com/k?X-Amz-Signature=«0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»",
            "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=«abcdefghijklmnopqrstuvwxyz0123456789%2BABCDE%3D»&se=1",
        ],
        spares: &["?sig=short", "X-Amz-Signature=<signature>"],
    },
    Row {
        kind: "url-password",
        literals: &["://"],
        shape: Shape::Around(url_password),
        redacts: &[
            "postgres://user:«hunter2»@db.example.com:5432/app",
            "redis://:«p%40ss»@localhost",
            "https://x-access-token:«abc123»@github.com/a/b.git",
            "DATABASE_URL=\"mysql://root:«p@ss»@10.0.0.1/db\"",
        ],
        spares: &[
            "http://localhost:8080/a@b",
            "https://user@host/path",
            "postgres://user:${PASSWORD}@host/db",
            "ssh://git@a.io:22/x",
            "http://user:***@host/",
            "amqp://user:<password>@host",
            "https://a.io:443",
            "://:@",
            "http://a:@b",
            "https://cdn.a.io/npm/@scope/pkg@1.2.3",
            "http://[::1]:8080/x",
        ],
    },
];

fn slack_hook(context: &MatchContext<'_>, report: Report<'_>) {
    let run = context
        .after()
        .iter()
        .position(|byte| !WORD.has(*byte) && *byte != b'/')
        .unwrap_or(context.after().len());
    if run >= 30 {
        report(context.range_after(0..run));
    }
}

/// A number and a long random string.
fn webhook(context: &MatchContext<'_>, report: Report<'_>) {
    let number = DIGITS.run(context.after());
    let rest = &context.after()[number..];
    if number < 15 || rest.first() != Some(&b'/') {
        return;
    }
    let token = WORD.run(&rest[1..]);
    if token >= 40 {
        report(context.range_after(number + 1..number + 1 + token));
    }
}

fn signature(context: &MatchContext<'_>, report: Report<'_>) {
    let run = context
        .after()
        .iter()
        .position(|byte| !ANY_BASE64.has(*byte) && *byte != b'%')
        .unwrap_or(context.after().len());
    if run >= 40 {
        report(context.range_after(0..run));
    }
}

/// `scheme://user:password@host`; the last `@` counts, because passwords may contain one.
fn url_password(context: &MatchContext<'_>, report: Report<'_>) {
    let authority = &context.after()[..AUTHORITY.run_up_to(context.after(), MAX_AUTHORITY)];
    let Some(at) = memchr::memrchr(b'@', authority) else { return };
    let Some(colon) = memchr::memchr(b':', &authority[..at]) else { return };
    let password = colon + 1..at;
    let has_scheme = context.before().last().is_some_and(u8::is_ascii_alphanumeric);
    let has_host =
        authority.get(at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'[');
    let has_user = !authority[..colon].contains(&b'[');
    if has_scheme
        && has_user
        && has_host
        && !password.is_empty()
        && !random::is_marked(&authority[password.clone()])
    {
        report(context.range_after(password));
    }
}
