//! Load: a thousand events a second, for the live view, and a store of 100,000 entries.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rusqlite::Connection;

use crate::console;

pub(super) const EVENTS: u32 = 5_000;
const EVENTS_PER_SECOND: u32 = 1_000;
/// As many as a busy host reports in one go.
const BATCH: u32 = 10;

/// Entries of a large store.
const ENTRIES: usize = 100_000;

/// Adds entries to a store: copies of the last result, over four weeks.
pub(super) fn write_entries(database: &Path) -> Result<()> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let added = connection.execute(
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
         INSERT INTO entry (ref, complete, kind, title, source, session, branch, created, blob, digest, searchable)
         SELECT printf('b%09d', n), 1, 'capture', 'make target_' || n, 'Bash', session, branch,
                ?2 - n * 24000, blob, digest, 1
         FROM number, (SELECT * FROM entry WHERE kind = 'run' AND complete = 1 ORDER BY id DESC LIMIT 1)",
        (ENTRIES as i64, jiff::Timestamp::now().as_millisecond()),
    )?;
    ensure!(added == ENTRIES, "{added} entries");
    Ok(())
}

/// Writes events as hooks do, each batch when it is due; prints how long it took.
#[expect(clippy::disallowed_methods, reason = "the load keeps its rate")]
pub(super) fn write_events(database: &Path) -> Result<()> {
    let mut connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let now = jiff::Timestamp::now().as_millisecond();
    connection.execute(
        "INSERT OR IGNORE INTO session (key, client, started, last_used) VALUES ('load', 'load', ?1, ?1)",
        (now,),
    )?;
    let started = Instant::now();
    for first in (0..EVENTS).step_by(BATCH as usize) {
        let due = Duration::from_secs(1) * first / EVENTS_PER_SECOND;
        thread::sleep(due.saturating_sub(started.elapsed()));
        let transaction = connection.transaction()?;
        for number in first..first + BATCH {
            transaction.prepare_cached(
                "INSERT INTO event (session, kind, subject, text, priority, times, stands, created)
                 SELECT id, 'file read', ?1, ?1, 0, 1, 1, ?2 FROM session WHERE key = 'load'",
            )?
            .execute((format!("src/load_{number}.rs"), now + i64::from(number)))?;
        }
        transaction.commit()?;
    }
    console::line(format!("{EVENTS} events in {:.1} s", started.elapsed().as_secs_f64()));
    Ok(())
}
