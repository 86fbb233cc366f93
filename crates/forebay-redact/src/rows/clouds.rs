//! Keys of cloud providers.

use super::super::class::{ALNUM, BASE64, DOTTED, HEX, PADDED, UPPER_DIGITS, WORD};
use super::super::match_context::{MatchContext, Report, starts_word};
use super::assigned;
use super::{MAX_LENGTH, Row, Shape};

/// The length of an AWS secret key.
const AWS_SECRET: usize = 40;

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "aws-access-key-id",
        literals: &["AKIA", "ASIA", "ABIA", "ACCA"],
        shape: Shape::Token(&UPPER_DIGITS, 16, 16),
        redacts: &[
            concat!("aws_access_key_id = «AK", "IAIOSFODNN7EXAMPLE»"),
            concat!("\"AccessKeyId\": \"«AS", "IAY34FZKBOKMUTVV7A»\""),
        ],
        spares: &["Asia/Shanghai", "AKIA", "AKIAIOSFODNN7EXAMPLELONGER", "XAKIAIOSFODNN7EXAMPLE"],
    },
    Row {
        kind: "aws-secret-key",
        literals: &["secret_access_key", "secretaccesskey", "aws_secret_key", "secret access key"],
        shape: Shape::Around(aws_secret_key),
        redacts: &[
            concat!("aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPx", "RfiCYEXAMPLEKEY»"),
            concat!("\"SecretAccessKey\": \"«wJalrXUtnFEMI/K7MDENG/bPx", "RfiCYEXAMPLEKEY»\","),
            concat!("AWS Secret Access Key: «wJalrXUtnFEMI/K7MDENG/bPx", "RfiCYEXAMPLEKEY»"),
        ],
        spares: &["aws_secret_access_key = ${AWS_SECRET}", "AWS_SECRET_ACCESS_KEY is not set"],
    },
    Row {
        kind: "aws-secret-key",
        literals: &["AKIA", "ASIA"],
        shape: Shape::Around(aws_secret_beside_id),
        redacts: &[concat!(
            "ci,AK",
            "IAIOSFODNN7EXAMPLE,«wJalrXUtnFEMI/K7MDENG/bPx",
            "RfiCYEXAMPLEKEY»"
        )],
        spares: &["AKIA da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    },
    Row {
        kind: "google-api-key",
        literals: &["AIza"],
        shape: Shape::Token(&WORD, 35, 35),
        redacts: &[concat!(
            "https://maps.googleapis.com/maps/api/js?key=«AI",
            "zaSyA-1234567890abcdefghijklmnopqrstu»&v=3"
        )],
        spares: &["AIzaSy", "xAIzaSyA-1234567890abcdefghijklmnopqrstu"],
    },
    Row {
        kind: "google-oauth-token",
        literals: &["ya29."],
        shape: Shape::Token(&WORD, 20, MAX_LENGTH),
        redacts: &[concat!("access_token: «ya", "29.a0AfH6SMBx1234567890abcdefghij»")],
        spares: &["ya29.", "papaya29.a0AfH6SMBx1234567890abcdefghij"],
    },
    Row {
        kind: "google-client-secret",
        literals: &["GOCSPX-"],
        shape: Shape::Token(&WORD, 24, 40),
        redacts: &[concat!("\"client_secret\":\"«GOC", "SPX-abcdefghijklmnopqrstuvwx1234»\"")],
        spares: &["GOCSPX-", "GOCSPX-short"],
    },
    Row {
        kind: "azure-storage-key",
        literals: &["AccountKey=", "SharedAccessKey="],
        shape: Shape::Around(azure_key),
        redacts: &[
            concat!(
                "AccountName=a;AccountKey=«Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6",
                "tq/K1SZFPTOtr/KBHBeksoGMGw==»;EndpointSuffix=core.windows.net"
            ),
            concat!("SharedAccessKey=«abcdefghijklmnopqrstuvwxyz0123456789", "ABCDEF==»"),
        ],
        spares: &["AccountKey=<key>;", "AccountKey=abc;"],
    },
    Row {
        kind: "digitalocean-token",
        literals: &["dop_v1_", "doo_v1_", "dor_v1_"],
        shape: Shape::Token(&HEX, 64, 64),
        redacts: &[concat!(
            "doctl auth init -t «dop",
            "_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»"
        )],
        spares: &["dop_v1_token", "dop_v1_0123456789abcdef"],
    },
    Row {
        kind: "databricks-token",
        literals: &["dapi"],
        shape: Shape::Around(databricks),
        redacts: &[
            concat!("DATABRICKS: «da", "pi0123456789abcdef0123456789abcdef»"),
            concat!("«da", "pi0123456789abcdef0123456789abcdef-2»"),
        ],
        spares: &["dapi", "dapi0123456789abcdef", "soundapi0123456789abcdef0123456789abcdef"],
    },
    Row {
        kind: "vault-token",
        literals: &["hvs.", "hvb.", "hvr."],
        shape: Shape::Token(&WORD, 24, 300),
        redacts: &[concat!(
            "token                «hv",
            "s.CAESIJabcdefghijklmnopqrstuvwxyz0123456789»"
        )],
        spares: &["hvs.short", "archvs.CAESIJabcdefghijklmnopqrstuvwxyz"],
    },
    Row {
        kind: "terraform-token",
        literals: &[".atlasv1."],
        shape: Shape::Around(terraform),
        redacts: &[concat!(
            "token = \"«abcDEF12345678.atl",
            "asv1.abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz»\""
        )],
        spares: &["see .atlasv1. tokens"],
    },
    Row {
        kind: "pulumi-token",
        literals: &["pul-"],
        shape: Shape::Token(&HEX, 40, 40),
        redacts: &[concat!("PULUMI: «pu", "l-0123456789abcdef0123456789abcdef01234567»")],
        spares: &["pul-abc", "pul-0123456789abcdef0123456789abcdef0123456789"],
    },
    Row {
        kind: "doppler-token",
        literals: &["dp.st.", "dp.pt.", "dp.ct.", "dp.sa."],
        shape: Shape::Token(&DOTTED, 40, 100),
        redacts: &[concat!("DOPPLER: «dp", ".st.prd.abcdefghijklmnopqrstuvwxyz0123456789ABCD»")],
        spares: &["dp.st.prd", "udp.st.abcdefghijklmnopqrstuvwxyz0123456789ABCD"],
    },
    Row {
        kind: "tailscale-key",
        literals: &["tskey-"],
        shape: Shape::Token(&WORD, 20, 100),
        redacts: &[concat!(
            "tailscale up --authkey «tsk",
            "ey-auth-kAbCdEf1CNTRL-abcdefghijklmnop»"
        )],
        spares: &["tskey-auth", "atskey-auth-kAbCdEf1CNTRL-abcdefghijklmnop"],
    },
    Row {
        kind: "supabase-key",
        literals: &["sbp_", "sb_secret_"],
        shape: Shape::Token(&ALNUM, 30, 80),
        redacts: &[concat!("SUPABASE: «sb", "p_0123456789abcdef0123456789abcdef01234567»")],
        spares: &["sbp_short", "sb_secret_key"],
    },
];

fn aws_secret_key(context: &MatchContext<'_>, report: Report<'_>) {
    if let Some(value) = assigned::value(context) {
        let text = context.window(value.clone());
        if text.len() == AWS_SECRET && BASE64.is_all(text) {
            report(value);
        }
    }
}

/// Credential files write the secret after the id: `id,secret`.
fn aws_secret_beside_id(context: &MatchContext<'_>, report: Report<'_>) {
    let id = UPPER_DIGITS.run_up_to(context.after(), 16);
    let rest = &context.after()[id..];
    if id != 16 || !starts_word(context.before()) || rest.is_empty() {
        return;
    }
    let run = BASE64.run_up_to(&rest[1..], AWS_SECRET);
    let secret = &rest[1..=run];
    if run == AWS_SECRET && !HEX.is_all(secret) && b", \t:".contains(&rest[0]) {
        report(context.range_after(id + 1..id + 1 + run));
    }
}

fn azure_key(context: &MatchContext<'_>, report: Report<'_>) {
    let run = BASE64.run(context.after());
    if run >= 40 {
        report(context.range_after(0..run));
    }
}

/// 32 hexadecimal digits, optionally followed by a number.
fn databricks(context: &MatchContext<'_>, report: Report<'_>) {
    let run = HEX.run(context.after());
    let rest = &context.after()[run..];
    let number = match rest {
        [b'-', digit, ..] if digit.is_ascii_digit() => 2,
        _ => 0,
    };
    if context.literal() == b"dapi" && context.starts_word() && run == 32 {
        report(context.range_at_literal(0..context.literal().len() + run + number));
    }
}

/// 14 characters precede the literal.
fn terraform(context: &MatchContext<'_>, report: Report<'_>) {
    let id = ALNUM.run_back(context.before());
    let run = PADDED.run(context.after());
    if id == 14 && run >= 50 {
        let start = context.before().len() - id;
        report(start..context.before().len() + context.literal().len() + run);
    }
}
