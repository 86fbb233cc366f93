//! Bytes of the database file that change while no process has it open.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::Connection;
use serde_json::json;

use super::{Call, Row, Trial};
use crate::installation::Installation;
use crate::mcp_client::Client;

const FLIPS: usize = 300;
const ENTRIES: usize = 40;
/// Pages of each table and index that are overwritten.
const PAGES_PER_TABLE: usize = 4;
/// A page of the database.
const PAGE: usize = 4096;

/// An entry and what reading it must give.
struct Stored {
    reference: String,
    lines: Vec<String>,
}

pub(super) fn inject(trial: &Trial) -> Result<Row> {
    let installation = &trial.installation;
    let stored = store(installation)?;
    let path = database(installation)?;
    let whole = fs::read(&path)?;
    let flips = trial.repetitions(FLIPS);
    let (mut wrong, mut noticed) = (0, 0);
    for flip in 0..flips {
        fs::write(&path, damaged(trial, &whole, flip))?;
        let (bad, errors) = read_all(installation, &stored);
        wrong += usize::from(bad > 0);
        noticed += usize::from(errors > 0);
        remove_side_files(&path);
    }
    fs::write(&path, &whole)?;
    Ok(Row::new(flips, flips - wrong, 0, format!("{noticed} noticed, {wrong} with wrong bytes")))
}

/// Overwrites pages of every table and index, one at a time. No read may give wrong bytes, and a deep check must notice.
pub(super) fn each_table(trial: &Trial) -> Result<Row> {
    let installation = &trial.installation;
    let stored = store(installation)?;
    let path = database(installation)?;
    let whole = fs::read(&path)?;
    let tables = pages_of_tables(&path)?;
    let (mut tried, mut held) = (0, 0);
    let mut failed = Vec::new();
    for (table, pages) in &tables {
        for page in pages.iter().take(trial.repetitions(PAGES_PER_TABLE)) {
            let mut bytes = whole.clone();
            overwrite_page(trial, &mut bytes, (page - 1) * PAGE);
            fs::write(&path, bytes)?;
            // The first process that opens it sets aside what is no store any more, and says so.
            let check = Call::run(&mut installation.forebay(&["doctor", "--deep"]))?;
            let (wrong, _) = read_all(installation, &stored);
            let is_told = !check.succeeded() && check.is_bounded();
            tried += 1;
            if wrong == 0 && is_told {
                held += 1;
            } else {
                failed.push(format!("{table} page {page}: {wrong} wrong, told: {is_told}"));
            }
            remove_side_files(&path);
        }
    }
    let remark = format!("{} tables and indexes {}", tables.len(), failed.join("; "));
    Ok(Row::new(tried, held, 0, remark))
}

/// The pages of each table and index; the first page of the file decides whether it is a database at all.
fn pages_of_tables(path: &Path) -> Result<BTreeMap<String, Vec<usize>>> {
    let connection = Connection::open(path)?;
    let mut statement =
        connection.prepare("SELECT name, pageno FROM dbstat WHERE pageno > 1 ORDER BY pageno")?;
    let mut rows = statement.query([])?;
    let mut tables: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        tables.entry(row.get(0)?).or_default().push(row.get::<_, i64>(1)? as usize);
    }
    Ok(tables)
}

fn overwrite_page(trial: &Trial, bytes: &mut [u8], start: usize) {
    let end = (start + PAGE).min(bytes.len());
    bytes[start..end].fill_with(|| trial.random.below(256) as u8);
}

/// Flips bits, or overwrites a whole page every fourth time.
fn damaged(trial: &Trial, whole: &[u8], flip: usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    // The first page decides whether it is a database at all.
    let at = PAGE + trial.random.below((whole.len() - PAGE) as u64) as usize;
    if flip.is_multiple_of(4) {
        overwrite_page(trial, &mut bytes, at / PAGE * PAGE);
    } else {
        bytes[at] ^= 1 << trial.random.below(8);
    }
    bytes
}

fn store(installation: &Installation) -> Result<Vec<Stored>> {
    let mut client = Client::start(installation)?;
    let mut stored = Vec::new();
    for entry in 0..ENTRIES {
        let lines: Vec<String> =
            (0..400).map(|line| format!("entry {entry} line {line} of {}", entry * line)).collect();
        let input = json!({ "text": lines.join("\n"), "source": format!("entry {entry}") });
        let answer = client.call("ctx_index", &input)?;
        let reference = answer.split("ctx:").nth(1).and_then(|rest| rest.split(']').next());
        let reference = reference.with_context(|| format!("no reference: {answer}"))?.to_owned();
        stored.push(Stored { reference, lines });
    }
    client.end()?;
    // Ends with all pages in the file, none in the log.
    let _ = Call::run(&mut installation.forebay(&["maintain"]))?;
    Ok(stored)
}

/// Reads every entry: how many came with wrong bytes, and how many with an error.
fn read_all(installation: &Installation, stored: &[Stored]) -> (usize, usize) {
    // A file that is no database any more is reported at the start.
    let Ok(mut client) = Client::start(installation) else { return (0, stored.len()) };
    let (mut wrong, mut errors) = (0, 0);
    for entry in stored {
        let input = json!({ "ref": entry.reference, "lines": "1-400", "budget": 20_000 });
        match client.call("ctx_get", &input) {
            Err(_) => errors += 1,
            Ok(answer) if answer.contains("damaged") => errors += 1,
            Ok(answer) => wrong += usize::from(!entry.is_whole_in(&answer)),
        }
    }
    let _ = client.end();
    (wrong, errors)
}

impl Stored {
    fn is_whole_in(&self, answer: &str) -> bool {
        self.lines.iter().all(|line| answer.contains(line.as_str()))
    }
}

fn database(installation: &Installation) -> Result<PathBuf> {
    let projects = installation.file("data").join("projects");
    for project in fs::read_dir(projects)? {
        let path = project?.path().join("store.db");
        if path.is_file() {
            return Ok(path);
        }
    }
    anyhow::bail!("no database was written")
}

/// The log and the index of it belong to the damaged file.
fn remove_side_files(path: &Path) {
    for suffix in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
}
