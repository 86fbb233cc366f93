//! Tokens of services: chat, mail, payment, monitoring.

use super::super::class::{ALNUM, DIGITS, HEX, PADDED, WORD};
use super::super::match_context::{MatchContext, Report, starts_word};
use super::{Row, Shape};

/// Maximum distance from the name of a service to its token.
const MAX_DISTANCE: usize = 200;

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "slack-token",
        literals: &[
            "xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-",
        ],
        shape: Shape::Token(&WORD, 10, 300),
        redacts: &[concat!("SLACK=«xo", "xb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx»")],
        spares: &["xoxb-", "xoxb-token", "boxoxb-123456789012-1234567890123"],
    },
    Row {
        kind: "stripe-key",
        literals: &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
        shape: Shape::Token(&ALNUM, 16, 250),
        redacts: &[concat!("Stripe.api_key = '«sk", "_live_4eC39HqLyjWDarjtT1zdp7dc»'")],
        spares: &["sk_live_", "sk_live_mode", "task_live_4eC39HqLyjWDarjtT1zdp7dc"],
    },
    Row {
        kind: "sendgrid-key",
        literals: &["SG."],
        shape: Shape::Around(sendgrid),
        redacts: &[concat!(
            "SENDGRID: «S",
            "G.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg»"
        )],
        spares: &["the MSG. was sent", "SG.short.one"],
    },
    Row {
        kind: "twilio-key",
        literals: &["twilio"],
        shape: Shape::Around(twilio),
        redacts: &[concat!("twilio api key «S", "K0123456789abcdef0123456789abcdef»")],
        spares: &[
            "SK0123456789abcdef0123456789abcdef",
            "twilio AC0123456789abcdef0123456789abcdef",
        ],
    },
    Row {
        kind: "telegram-token",
        literals: &[":AA"],
        shape: Shape::Around(telegram),
        redacts: &[concat!(
            "https://api.telegram.org/bot«123456789:",
            "AAabcdefghijklmnopqrstuvwxyz0123456»/getMe"
        )],
        spares: &[
            "00:1b:44:aa:3a:b7",
            "12:AAabcdefghijklmnopqrstuvwxyz0123456",
            "123456789:AAshort",
        ],
    },
    Row {
        kind: "discord-token",
        literals: &["discord"],
        shape: Shape::Around(discord),
        redacts: &[concat!(
            "DISCORD_TOKEN=«MTIzNDU2Nzg5MDEyMzQ1Njc4",
            ".GabcdE.abcdefghijklmnopqrstuvwxyz0123456789AB»"
        )],
        spares: &[
            "discord.py 2.3.2",
            "https://discord.com/channels/123456789012345678/123456789012345678",
        ],
    },
    Row {
        kind: "shopify-token",
        literals: &["shpat_", "shpca_", "shppa_", "shpss_"],
        shape: Shape::Token(&HEX, 32, 32),
        redacts: &[concat!("X-Shopify-Access-Token: «shp", "at_0123456789abcdef0123456789abcdef»")],
        spares: &["shpat_token", "shpat_0123456789abcdef"],
    },
    Row {
        kind: "linear-key",
        literals: &["lin_api_", "lin_oauth_"],
        shape: Shape::Token(&ALNUM, 32, 64),
        redacts: &[concat!(
            "Authorization: «lin",
            "_api_abcdefghijklmnopqrstuvwxyz0123456789ABCD»"
        )],
        spares: &["lin_api_key", "berlin_api_abcdefghijklmnopqrstuvwxyz0123456789ABCD"],
    },
    Row {
        kind: "notion-token",
        literals: &["ntn_"],
        shape: Shape::Token(&ALNUM, 40, 50),
        redacts: &[concat!("«nt", "n_123456789012abcdefghijklmnopqrstuvwxyzABCDEFGH»")],
        spares: &["ntn_id", "maintn_123456789012abcdefghijklmnopqrstuvwxyzABCDEFGH"],
    },
    Row {
        kind: "figma-token",
        literals: &["figd_"],
        shape: Shape::Token(&WORD, 38, 60),
        redacts: &[concat!("«fig", "d_abcdefghijklmnopqrstuvwxyz-0123456789_ABC»")],
        spares: &["figd_node"],
    },
    Row {
        kind: "grafana-token",
        literals: &["glsa_", "glc_"],
        shape: Shape::Token(&PADDED, 32, 400),
        redacts: &[concat!("«gl", "sa_abcdefghijklmnopqrstuvwxyz012345_0a1b2c3d»")],
        spares: &["glsa_token", "glc_x"],
    },
    Row {
        kind: "new-relic-key",
        literals: &["NRAK-"],
        shape: Shape::Token(&ALNUM, 27, 27),
        redacts: &[concat!("«NR", "AK-ABCDEFGHIJKLMNOPQRSTUVWXYZ0»")],
        spares: &["NRAK-", "NRAK-SHORT"],
    },
    Row {
        kind: "postman-key",
        literals: &["PMAK-"],
        shape: Shape::Token(&WORD, 50, 70),
        redacts: &[concat!(
            "«PM",
            "AK-0123456789abcdef01234567-0123456789abcdef0123456789abcdef01»"
        )],
        spares: &["PMAK-key"],
    },
    Row {
        kind: "sentry-token",
        literals: &["sntrys_", "sntryu_"],
        shape: Shape::Token(&PADDED, 40, 400),
        redacts: &[concat!(
            "«sntr",
            "yu_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»"
        )],
        spares: &["sntrys_token"],
    },
    Row {
        kind: "square-token",
        literals: &["sq0atp-", "sq0csp-"],
        shape: Shape::Token(&WORD, 22, 60),
        redacts: &[concat!("«sq", "0atp-abcdefghijklmnopqrstuv»")],
        spares: &["sq0atp-x"],
    },
    Row {
        kind: "mailgun-key",
        literals: &["key-"],
        shape: Shape::Token(&HEX, 32, 32),
        redacts: &[concat!("api:«ke", "y-0123456789abcdef0123456789abcdef»")],
        spares: &[
            "monkey-0123456789abcdef0123456789abcdef",
            "key-0123",
            "cache key-0123456789abcdef0123456789abcdef0123456789",
        ],
    },
    Row {
        kind: "planetscale-token",
        literals: &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        shape: Shape::Token(&WORD, 32, 64),
        redacts: &[concat!("«psc", "ale_pw_abcdefghijklmnopqrstuvwxyz0123456789»")],
        spares: &["pscale_pw_x"],
    },
    Row {
        kind: "age-key",
        literals: &["AGE-SECRET-KEY-1"],
        shape: Shape::Token(&ALNUM, 58, 58),
        redacts: &[concat!(
            "«AGE-",
            "SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ»"
        )],
        spares: &["AGE-SECRET-KEY-1"],
    },
];

/// 22 and 43 characters separated by a dot.
fn sendgrid(context: &MatchContext<'_>, report: Report<'_>) {
    let id = WORD.run(context.after());
    let rest = &context.after()[id..];
    if context.literal() != b"SG."
        || !context.starts_word()
        || id != 22
        || rest.first() != Some(&b'.')
    {
        return;
    }
    let secret = WORD.run(&rest[1..]);
    if secret == 43 {
        report(context.range_at_literal(0..context.literal().len() + id + 1 + secret));
    }
}

/// `SK` and 32 hexadecimal digits are a key only near the service's name.
fn twilio(context: &MatchContext<'_>, report: Report<'_>) {
    let near = &context.after()[..context.after().len().min(MAX_DISTANCE)];
    for at in memchr::memmem::find_iter(near, b"SK") {
        let run = HEX.run(&context.after()[at + 2..]);
        if run == 32 && starts_word(&near[..at]) {
            report(context.range_after(at..at + 2 + run));
        }
    }
}

/// The bot's number precedes the literal.
fn telegram(context: &MatchContext<'_>, report: Report<'_>) {
    let number = DIGITS.run_back(context.before());
    let run = WORD.run(context.after());
    let end = context.before().len() + context.literal().len() + run;
    if context.literal() == b":AA" && (8..=10).contains(&number) && (32..=34).contains(&run) {
        report(context.before().len() - number..end);
    }
}

/// Three parts of known lengths, after the service's name.
fn discord(context: &MatchContext<'_>, report: Report<'_>) {
    let near = &context.after()[..context.after().len().min(MAX_DISTANCE)];
    let mut at = 0;
    while at < near.len() {
        let first = WORD.run(&near[at..]);
        if (23..=28).contains(&first)
            && let Some(length) = discord_token(&context.after()[at..], first)
        {
            report(context.range_after(at..at + length));
        }
        at += first + 1;
    }
}

fn discord_token(text: &[u8], first: usize) -> Option<usize> {
    let middle = text.get(first + 1..)?;
    let second = WORD.run(middle);
    let last = middle.get(second + 1..)?;
    let third = WORD.run(last);
    let dotted = text[first] == b'.' && middle[second] == b'.';
    (dotted && second == 6 && (27..=45).contains(&third)).then_some(first + 1 + second + 1 + third)
}
