//! The chapter about what a replay of past conversations found.

use forebay_text::number::{counted, grouped};

use super::super::text::{self, CostRow, UNKNOWN, cost_rows, money, ranked, whole_of_named};
use super::super::{ConversationRow, Fate, KeptBecause, Replay, Tally};
use super::chart::{Bar, BarPart, Chart, Tone};
use super::{Block, Chapter, Figure, Section, Table, share};
use crate::render::describe::signed;

/// Rows of a table or a plot; the others are summed up in one more.
const MAX_ROWS: usize = 25;
/// Conversations in the plot and the table of conversations.
const MAX_CONVERSATIONS: usize = 200;

/// A picture of a replay: for each tool, the tokens of its results with digests, and those saved.
pub fn svg(replay: &Replay) -> String {
    tool_chart(replay).picture()
}

pub(super) fn chapter(replay: &Replay) -> Chapter {
    let total = replay.total();
    Chapter {
        title: "Replayed: what digests would have saved in past conversations",
        figures: figures(replay, &total),
        sections: vec![
            by_tool(replay, &total),
            uses(replay, &total),
            costs(replay, &total),
            by_conversation(replay),
            method(replay),
            limits(),
        ],
    }
}

fn figures(replay: &Replay, total: &Tally) -> Vec<Figure> {
    let figure = |value: String, label: String| Figure { value, label };
    let net = replay.net();
    let next = total.next_actions;
    vec![
        figure(
            share(total.saved(), total.shown),
            format!("of {} tokens of tool results stay out of the context", grouped(total.shown)),
        ),
        figure(
            signed(net.tokens),
            format!(
                "tokens fewer in all prompts, net, over {}",
                counted(requests(replay), "request")
            ),
        ),
        figure(
            money(net),
            format!(
                "saved net, at list prices, in {} of {} with known prices",
                priced(replay),
                counted(replay.conversations.len() as u64, "conversation")
            ),
        ),
        figure(
            whole_of_named(next),
            format!(
                "replaced results whose digest shows all that the next edit or command named of them; {} were followed by one",
                grouped(next.followed)
            ),
        ),
        figure(
            grouped(total.used(Fate::Lost)),
            format!(
                "of {} named later lost: neither shown nor stored",
                counted(total.used_of_replaced(), "thing")
            ),
        ),
    ]
}

fn requests(replay: &Replay) -> u64 {
    replay.conversations.iter().map(|row| row.requests).sum()
}

fn priced(replay: &Replay) -> u64 {
    replay.conversations.iter().filter(|row| row.is_priced()).count() as u64
}

fn by_tool(replay: &Replay, total: &Tally) -> Section {
    let (rows, rest) = ranked(&replay.tools, Tally::saved, MAX_ROWS);
    let kept = |tally: &Tally, reason| tally.kept.get(&reason).copied().unwrap_or_default();
    let row = |name: &str, tally: &Tally| {
        let counts = [
            tally.calls,
            tally.replaced,
            kept(tally, KeptBecause::Short),
            kept(tally, KeptBecause::Tool),
            kept(tally, KeptBecause::Host) + kept(tally, KeptBecause::NoGain),
            tally.shown,
            tally.with_digests(),
            tally.saved(),
        ];
        let mut cells = vec![name.to_owned()];
        cells.extend(counts.map(grouped));
        cells.push(share(tally.saved(), tally.shown));
        cells
    };
    let head = vec![
        "tool",
        "results",
        "replaced",
        "short",
        "never replaced",
        "not possible",
        "tokens shown",
        "with digests",
        "saved",
        "share",
    ];
    Section {
        title: "By tool",
        blocks: vec![
            Block::Chart(tool_chart(replay)),
            Block::Table(Table {
                head,
                rows: with_sum(&rows, rest.as_ref(), total, row),
                has_sum: true,
            }),
            Block::Text(format!(
                "Short: up to {} tokens. Never replaced: files that were read or edited, answers that fit a budget, and \
                 tools that the settings exclude. Not possible: the host lets no hook replace them, or the digest would \
                 not be shorter.",
                grouped(replay.threshold)
            )),
        ],
    }
}

fn tool_chart(replay: &Replay) -> Chart {
    let (rows, rest) = ranked(&replay.tools, Tally::saved, MAX_ROWS);
    let bar = |name: &str, tally: &Tally| Bar {
        label: name.to_owned(),
        value: format!("{} → {} tokens", grouped(tally.shown), grouped(tally.with_digests())),
        parts: vec![
            BarPart::new(Tone::Kept, tally.with_digests()),
            BarPart::new(Tone::Gain, tally.saved()),
        ],
    };
    Chart {
        title: "Tokens of tool results, each counted once",
        legend: vec![(Tone::Kept, "with digests"), (Tone::Gain, "saved")],
        bars: with_rest(&rows, rest.as_ref(), bar),
    }
}

/// Makes one thing of each row, and one of those left out.
fn with_rest<T>(
    rows: &[(&str, &Tally)],
    rest: Option<&(usize, Tally)>,
    make: impl Fn(&str, &Tally) -> T,
) -> Vec<T> {
    let mut made: Vec<T> = rows.iter().map(|(name, tally)| make(name, tally)).collect();
    made.extend(rest.map(|(more, rest)| make(&format!("{more} more"), rest)));
    made
}

fn with_sum<T>(
    rows: &[(&str, &Tally)],
    rest: Option<&(usize, Tally)>,
    total: &Tally,
    make: impl Fn(&str, &Tally) -> T,
) -> Vec<T> {
    let mut made = with_rest(rows, rest, &make);
    made.push(make("all", total));
    made
}

fn uses(replay: &Replay, total: &Tally) -> Section {
    let (rows, rest) = ranked(&replay.recognizers, |tally| tally.replaced, MAX_ROWS);
    let row = |name: &str, tally: &Tally| {
        let next = tally.next_actions;
        let mut cells = vec![name.to_owned(), grouped(tally.replaced)];
        cells.push(grouped(tally.used_of_replaced()));
        cells.extend(SHOWN_FATES.map(|(fate, _, _)| grouped(tally.used(fate))));
        cells.push(grouped(next.followed));
        cells.push(whole_of_named(next));
        cells.push(format!("{} of {}", grouped(next.visible_things), grouped(next.things)));
        cells
    };
    let bar = |name: &str, tally: &Tally| Bar {
        label: name.to_owned(),
        value: format!(
            "{} of {} in the digest",
            grouped(tally.used(Fate::Visible)),
            grouped(tally.used_of_replaced())
        ),
        parts: SHOWN_FATES.map(|(fate, _, tone)| BarPart::new(tone, tally.used(fate))).to_vec(),
    };
    let head = vec![
        "recognizer",
        "replaced",
        "named later",
        "in the digest",
        "in a later result",
        "one call away",
        "lost",
        "next actions",
        "wholly visible",
        "their things visible",
    ];
    let mut blocks = vec![Block::Text(format!(
        "Of what later calls named, {} were first shown by a tool result: {} by one that stays as it is, {} by one that \
         would have been replaced.",
        counted(total.used(Fate::Kept) + total.used_of_replaced(), "thing"),
        grouped(total.used(Fate::Kept)),
        grouped(total.used_of_replaced()),
    ))];
    if total.used_of_replaced() > 0 {
        blocks.push(Block::Chart(Chart {
            title: "Things that later calls named, by recognizer of the digest",
            legend: SHOWN_FATES.map(|(_, name, tone)| (tone, name)).to_vec(),
            bars: with_rest(&rows, rest.as_ref(), bar),
        }));
    }
    blocks.push(Block::Table(Table {
        head,
        rows: with_sum(&rows, rest.as_ref(), total, row),
        has_sum: true,
    }));
    Section { title: "What later calls used of replaced results", blocks }
}

/// Where a thing of a replaced result would have been found, by which name and in which colour.
const SHOWN_FATES: [(Fate, &str, Tone); 4] = [
    (Fate::Visible, "in the digest", Tone::Gain),
    (Fate::ShownAgain, "in a later result", Tone::Kept),
    (Fate::OneCallAway, "one call away", Tone::Cost),
    (Fate::Lost, "lost", Tone::Loss),
];

fn costs(replay: &Replay, total: &Tally) -> Section {
    let billed = replay.sum(|row| row.billed);
    let has_usage = replay.conversations.iter().any(|row| row.has_usage);
    let tokens = if has_usage { signed(billed.tokens) } else { UNKNOWN.to_owned() };
    let mut rows = vec![vec!["billed, as it was".to_owned(), tokens, money(billed)]];
    let parts = cost_rows(replay, total);
    let bars = parts.iter().map(|CostRow { name, gain }| {
        let tone = if gain.tokens < 0 { Tone::Loss } else { Tone::Gain };
        let value = format!("{} tokens", signed(gain.tokens));
        Bar {
            label: name.clone(),
            value,
            parts: vec![BarPart::new(tone, gain.tokens.unsigned_abs())],
        }
    });
    let chart = Chart {
        title: "Tokens in all prompts",
        legend: vec![(Tone::Gain, "gain"), (Tone::Loss, "loss")],
        bars: bars.collect(),
    };
    rows.extend(
        parts
            .iter()
            .map(|CostRow { name, gain }| vec![name.clone(), signed(gain.tokens), money(*gain)]),
    );
    Section {
        title: "Costs",
        blocks: vec![
            Block::Chart(chart),
            Block::Table(Table { head: vec!["", "tokens", "money"], rows, has_sum: true }),
            Block::Text(format!(
                "{}. Money is stated for conversations in which the prices of all requests are known, tokens for all.",
                text::basis(replay)
            )),
        ],
    }
}

fn by_conversation(replay: &Replay) -> Section {
    let shown = replay.conversations.iter().take(MAX_CONVERSATIONS).enumerate();
    let row = |(index, row): (usize, &ConversationRow)| {
        let net = row.net();
        vec![
            format!("{} {}", row.host, index + 1),
            grouped(row.requests),
            grouped(row.compactions),
            grouped(row.total.calls),
            grouped(row.total.replaced),
            if row.has_usage { signed(row.billed.tokens) } else { UNKNOWN.to_owned() },
            money(row.billed),
            signed(net.tokens),
            net.money.map_or_else(|| UNKNOWN.to_owned(), |money| money.to_string()),
        ]
    };
    let bar = |(index, row): (usize, &ConversationRow)| {
        let net = row.net().tokens;
        let tone = if net < 0 { Tone::Loss } else { Tone::Gain };
        Bar {
            label: format!("{} {}", row.host, index + 1),
            value: signed(net),
            parts: vec![BarPart::new(tone, net.unsigned_abs())],
        }
    };
    let mut blocks = vec![
        Block::Chart(Chart {
            title: "Net tokens in all prompts, by conversation",
            legend: vec![(Tone::Gain, "gain"), (Tone::Loss, "loss")],
            bars: shown.clone().map(bar).collect(),
        }),
        Block::Table(Table {
            head: vec![
                "conversation",
                "requests",
                "compactions",
                "results",
                "replaced",
                "tokens billed",
                "money billed",
                "net tokens",
                "net money",
            ],
            rows: shown.map(row).collect(),
            has_sum: false,
        }),
    ];
    let more = replay.conversations.len().saturating_sub(MAX_CONVERSATIONS) as u64;
    if more > 0 {
        blocks.push(Block::Text(format!(
            "{} more are only in the sums.",
            counted(more, "conversation")
        )));
    }
    blocks.extend((!replay.faults.is_empty()).then(|| {
        Block::Text(format!(
            "{} could not be read.",
            counted(replay.faults.len() as u64, "transcript")
        ))
    }));
    Section { title: "By conversation", blocks }
}

fn method(replay: &Replay) -> Section {
    let hosts: Vec<&str> = replay.hosts.iter().copied().collect();
    let intro = format!(
        "Forebay {} read {} of {} and replayed its hook after each tool call with the current settings: a result of more \
         than {} tokens is stored whole, and a digest of at most {} tokens takes its place in the context.",
        env!("CARGO_PKG_VERSION"),
        counted(replay.transcripts, "transcript"),
        if hosts.is_empty() { "no host".to_owned() } else { hosts.join(", ") },
        grouped(replay.threshold),
        grouped(replay.budget),
    );
    let definitions = vec![
        ("Token", "4 bytes of UTF-8 of a text; in what was billed, a token as the provider counts.".to_owned()),
        (
            "Thing",
            "A path, a name spelled like an identifier, a hash or a long number, a whole line, or a text of several words \
             in quotes, in the input of a call. It belongs to the text of the conversation that showed it first, and is \
             counted once, where a call first names it."
                .to_owned(),
        ),
        ("In the digest", "The text in place of the result shows the thing.".to_owned()),
        ("In a later result", "It does not, but a later result did before the thing was named.".to_owned()),
        ("One call away", "The thing is in the stored text: ctx_get on the reference in the digest returns it.".to_owned()),
        ("Lost", "It is not in the stored text either: a secret that was redacted.".to_owned()),
        (
            "Next action",
            "The first edit or command after a replaced result, made by a request that had read it. Wholly visible: the \
             digest shows every thing that it names of this result. The denominator is the next actions that name one."
                .to_owned(),
        ),
        (
            "Gross",
            "For each replaced result: (tokens of the result - tokens of the digest) in each prompt from the next request \
             to the next compaction, at the price at which the provider billed that part of the prompt: new, written to the \
             cache, read from it, or anew after it expired."
                .to_owned(),
        ),
        (
            "Tool list",
            format!("The {} tokens of Forebay's tools, in every prompt.", grouped(replay.tool_list_tokens)),
        ),
        (
            "Re-reads",
            "For each replaced result of which a call names a thing that is one call away or lost: the whole result once \
             more in all later prompts, and one more request, as the one before was billed. One request may fetch several."
                .to_owned(),
        ),
        ("Net", "Gross - tool list - re-reads. Negative if Forebay would have cost more than it saved.".to_owned()),
    ];
    Section {
        title: "Method of the replay",
        blocks: vec![Block::Text(intro), Block::Definitions(definitions)],
    }
}

fn limits() -> Section {
    let limits = [
        "A transcript contains what the model was shown of a result, maybe cut by the host: nothing beyond that is counted.",
        "The model might have acted differently on a digest. What it would have done is not known; that it would have named \
         the same things is assumed.",
        "Things that the model only thought or wrote about, and numbers of lines, are not counted as used.",
        "A thing that also stood in the host's own instructions counts as first shown by a result: transcripts do not \
         contain these.",
        "Text that hooks add at the start of a session or after a compaction is not debited: it depends on what was stored.",
        "That a conversation with digests is compacted later, or that a long prompt has a higher price, is not credited; nor \
         is a digest that tells only what changed since an earlier run.",
        "Without recorded usage, a text counts once per request until the next compaction, the turns of re-reads count \
         nothing, and money is unknown.",
        "Prices are list prices, whether or not they were paid.",
    ];
    Section {
        title: "Limits of the replay",
        blocks: vec![Block::List(limits.iter().map(|limit| (*limit).to_owned()).collect())],
    }
}
