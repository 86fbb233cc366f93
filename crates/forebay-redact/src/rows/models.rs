//! Keys of model providers.

use super::super::class::{ALNUM, HEX, WORD};
use super::super::match_context::{MatchContext, Report};
use super::super::random;
use super::{Row, Shape};

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "anthropic-key",
        literals: &["sk-ant-"],
        shape: Shape::Token(&WORD, 20, 300),
        redacts: &[concat!(
            "ANTHROPIC_API_KEY=«sk-",
            "ant-api03-abcdefghijklmnop-qrstuvwxyz_0123456789AA»"
        )],
        spares: &["sk-ant-api03", "task-ant-api03-abcdefghijklmnop-qrstuvwxyz_0123456789AA"],
    },
    Row {
        kind: "openai-key",
        literals: &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        shape: Shape::Token(&WORD, 20, 300),
        redacts: &[concat!(
            "OPENAI_API_KEY=\"«sk-",
            "proj-abcdefghijklmnopqrstuvwxyz_0123456789-ABCDEF»\""
        )],
        spares: &["sk-proj-short", "risk-proj-abcdefghijklmnopqrstuvwxyz_0123456789"],
    },
    Row {
        kind: "openrouter-key",
        literals: &["sk-or-v1-"],
        shape: Shape::Token(&HEX, 64, 64),
        redacts: &[concat!(
            "«sk-",
            "or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»"
        )],
        spares: &["sk-or-v1-beta"],
    },
    Row {
        kind: "openai-key",
        literals: &["sk-"],
        shape: Shape::Around(plain_sk),
        redacts: &[concat!(
            "Incorrect API key provided: «sk-",
            "abcdefghijklmnopqrstT3BlbkFJuvwxyz0123456789ABCD»"
        )],
        spares: &[
            "<div id=\"sk-container-id-1\" class=\"sk-toggleable__content sk-estimator-doc-link\">",
            "disk-0123456789abcdef0123456789abcdef0123456789",
            "sk-thisisonlyaverylongwordwithoutanything",
        ],
    },
    Row {
        kind: "hugging-face-token",
        literals: &["hf_", "api_org_"],
        shape: Shape::Token(&ALNUM, 34, 40),
        redacts: &[concat!(
            "huggingface-cli login --token «h",
            "f_abcdefghijklmnopqrstuvwxyzABCDEFGH»"
        )],
        spares: &["hf_hub_download", "self_hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"],
    },
    Row {
        kind: "groq-key",
        literals: &["gsk_"],
        shape: Shape::Token(&ALNUM, 40, 80),
        redacts: &[concat!("«gs", "k_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP»")],
        spares: &["gsk_render_node"],
    },
    Row {
        kind: "xai-key",
        literals: &["xai-"],
        shape: Shape::Token(&ALNUM, 70, 100),
        redacts: &[concat!(
            "«xa",
            "i-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr»"
        )],
        spares: &["xai-sdk", "maxai-abc"],
    },
    Row {
        kind: "replicate-token",
        literals: &["r8_"],
        shape: Shape::Token(&ALNUM, 37, 37),
        redacts: &[concat!("REPLICATE: «r", "8_abcdefghijklmnopqrstuvwxyz0123456789A»")],
        spares: &["r8_unorm", "bgr8_abcdefghijklmnopqrstuvwxyz0123456789A"],
    },
    Row {
        kind: "perplexity-key",
        literals: &["pplx-"],
        shape: Shape::Token(&ALNUM, 40, 60),
        redacts: &[concat!("«ppl", "x-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL»")],
        spares: &["pplx-api"],
    },
    Row {
        kind: "langsmith-key",
        literals: &["lsv2_pt_", "lsv2_sk_"],
        shape: Shape::Token(&WORD, 40, 60),
        redacts: &[concat!("«lsv", "2_pt_0123456789abcdef0123456789abcdef_0123456789»")],
        spares: &["lsv2_pt_key"],
    },
    Row {
        kind: "jwt",
        literals: &["eyJ"],
        shape: Shape::Around(jwt),
        redacts: &[concat!(
            "token «ey",
            "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»"
        )],
        spares: &[
            "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
            "eyJhbGciOiJIUzI1NiJ9",
            "eyJhbGciOiJIUzI1NiJ9.index.html",
        ],
    },
];

/// Old-style keys, also used by other providers: letters and digits only.
fn plain_sk(context: &MatchContext<'_>, report: Report<'_>) {
    let run = ALNUM.run(context.after());
    let body = &context.after()[..run];
    let ends = context.after().get(run).is_none_or(|byte| !b"-_".contains(byte));
    if context.literal() == b"sk-"
        && context.starts_word()
        && ends
        && (32..=100).contains(&run)
        && random::is_random(body)
    {
        report(context.range_at_literal(0..context.literal().len() + run));
    }
}

/// Three parts, the first two JSON objects; five if encrypted.
fn jwt(context: &MatchContext<'_>, report: Report<'_>) {
    let text = context.at_literal();
    let header = WORD.run(text);
    if context.literal() != b"eyJ" || !context.starts_word() || header < 10 {
        return;
    }
    let is_signed = text[header..].starts_with(b".eyJ");
    let mut ends = (1..=4).scan(header, |end, _| {
        *end += next_part(&text[*end..])?;
        Some(*end)
    });
    let last = if is_signed { 1 } else { 3 };
    if let Some(end) = ends.nth(last) {
        report(context.range_at_literal(0..end));
    }
}

/// Length of a dot and the following word.
fn next_part(text: &[u8]) -> Option<usize> {
    text.starts_with(b".").then(|| 1 + WORD.run(&text[1..]))
}
