//! A month of usage: the program records it with the time of now only, so its rows are written here.

use anyhow::Result;
use rusqlite::Connection;

const DAYS: i64 = 28;
const DAY: i64 = 24 * 60 * 60 * 1_000;
const MINUTE: i64 = 60_000;
/// What is asked of the agent, a conversation a day.
const REQUESTS: [&str; 6] = [
    "Why does the cart test fail on Mondays only?",
    "Move the price list to its own module and keep the API.",
    "Show the orders of a customer, newest first, 50 per page.",
    "The export has no header line. Add one and a test.",
    "Upgrade the web framework and fix what breaks.",
    "Which of our queries lacks an index?",
];

/// What a recognizer's digests are like: the tool, tokens of the result and of its digest, results a day, and whether each is
/// read again.
struct Digests {
    recognizer: &'static str,
    tool: &'static str,
    host: i64,
    digest: i64,
    per_day: i64,
    is_reread: bool,
}

const DIGESTS: [Digests; 4] = [
    Digests {
        recognizer: "cargo test",
        tool: "Bash",
        host: 6_900,
        digest: 210,
        per_day: 4,
        is_reread: false,
    },
    Digests {
        recognizer: "git log",
        tool: "Bash",
        host: 1_400,
        digest: 1_100,
        per_day: 2,
        is_reread: true,
    },
    Digests {
        recognizer: "none",
        tool: "Bash",
        host: 3_100,
        digest: 420,
        per_day: 2,
        is_reread: false,
    },
    Digests {
        recognizer: "json",
        tool: "mcp__tracker__list",
        host: 5_200,
        digest: 380,
        per_day: 1,
        is_reread: false,
    },
];

/// Adds a conversation of each day of a month.
pub(super) fn add_month(database: &Connection) -> Result<()> {
    let now = jiff::Timestamp::now().as_millisecond();
    for day in (0..DAYS).rev() {
        let at = now - day * DAY - 2 * 60 * MINUTE;
        // Little is done on weekends.
        let size = (day * 37 % 11 + 2) * i64::from(day % 7 <= 4);
        let session = format!("day-{:02}", DAYS - day);
        begin(database, &session, REQUESTS[(day % 6) as usize], at)?;
        for (tool, host, delivered) in [
            ("ctx_execute", 2_600 * size, 420 * size),
            ("ctx_search", 0, 610 * size),
            ("hook context", 0, 480),
            ("tool list", 0, 1_750),
        ] {
            answer(database, &session, (tool, None), (host, delivered), at)?;
        }
        if size > 0 {
            for digests in &DIGESTS {
                treat(database, &session, digests, day, at)?;
            }
        }
        bill(database, &session, at)?;
    }
    database.execute(
        "INSERT INTO switch_off (at, session, recognizer, uses, net_tokens) VALUES (?1, 'verdicts', 'git log', 20, -31400)",
        (now - 9 * DAY,),
    )?;
    Ok(())
}

fn begin(database: &Connection, session: &str, request: &str, at: i64) -> Result<()> {
    database.execute(
        "INSERT INTO session (key, client, started, last_used) VALUES (?1, 'claude-code', ?2, ?2)",
        (session, at),
    )?;
    database.execute(
        "INSERT INTO event (session, kind, subject, text, priority, times, stands, created)
         SELECT id, 'prompt', ?2, ?2, 0, 1, 1, ?3 FROM session WHERE key = ?1",
        (session, request, at),
    )?;
    Ok(())
}

fn answer(
    database: &Connection,
    session: &str,
    (tool, reference): (&str, Option<&str>),
    (host, delivered): (i64, i64),
    at: i64,
) -> Result<()> {
    database.execute(
        "INSERT INTO usage (at, session, tool, raw_tokens, host_tokens, delivered_tokens, millis, ref)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5, 12, ?6)",
        (at, session, tool, host, delivered, reference),
    )?;
    Ok(())
}

/// Results of a day: most become digests, every sixth is held out.
fn treat(database: &Connection, session: &str, digests: &Digests, day: i64, at: i64) -> Result<()> {
    let Digests { recognizer, tool, host, digest, per_day, is_reread } = digests;
    for number in 0..*per_day {
        let at = at + (number + 1) * MINUTE + 20_000;
        let reference = format!("{}{day:02}{number}seedxx", &recognizer[..1]);
        let is_held_out = (day + number) % 6 == 0;
        let shown = if is_held_out { "held out" } else { "digest" };
        database.execute(
            "INSERT INTO treatment (session, at, ref, tool, recognizer, shown, host_tokens, digest_tokens)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (session, at, &reference, tool, recognizer, shown, host, digest),
        )?;
        if is_held_out {
            continue;
        }
        answer(database, session, ("capture", Some(&reference)), (*host, *digest), at)?;
        if *is_reread || (day + number) % 9 == 0 {
            answer(database, session, ("ctx_get", Some(&reference)), (0, host / 2), at + MINUTE)?;
        }
    }
    Ok(())
}

/// Adds requests to the model after what was answered, and a compaction in the evening.
fn bill(database: &Connection, session: &str, at: i64) -> Result<()> {
    for turn in 0..6 {
        database.execute(
            "INSERT INTO model_request (session, request, model, input_tokens, cache_read_tokens, cache_write_tokens,
                 output_tokens, created)
             SELECT id, ?2, 'claude-sonnet-4-5', 40, ?3, 9000, 700, ?4 FROM session WHERE key = ?1",
            (session, format!("{session}-{turn}"), 24_000 + 9_000 * turn, at + (turn + 1) * MINUTE),
        )?;
    }
    database.execute(
        "INSERT INTO compaction (session, at) VALUES (?1, ?2)",
        (session, at + 60 * MINUTE),
    )?;
    Ok(())
}
