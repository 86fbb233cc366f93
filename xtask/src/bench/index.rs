//! Indexes and searches real documentation: doc comments of our dependencies, and the files of `--docs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::Sizes;
use super::sample::Sample;
use super::search;
use super::table::Row;
use super::text::Rng;
use crate::installation::Installation;
use crate::process;

/// Target of indexing on one processor, in megabytes per second.
const MIN_MEGABYTES_PER_SECOND: f64 = 20.0;
/// Target of the store's size, relative to its text.
const MAX_STORE_RATIO: f64 = 3.0;
/// The median of all rounds counts.
const ROUNDS: usize = 5;
/// Small corpora are indexed several times per round, since a few short runs are not representative.
const MAX_RUNS_PER_ROUND: usize = 5;
/// A corpus of this size is indexed once per round.
const LARGE_MEGABYTES: usize = 20;
/// Sizes in megabytes that are also searched, with the p95 target of a search in a server, in milliseconds.
const SEARCH_TARGETS: &[(usize, f64)] = &[(20, 10.0), (100, 30.0)];
/// The p95 target of a search by a separate process, up to a size in megabytes.
const COMMAND_TARGET: (usize, f64) = (20, 25.0);

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let (mut corpora, missing) = fill(env, sizes)?;
    // Rounds alternate between the sizes, so that a slow phase of the machine affects all of them.
    for _ in 0..ROUNDS {
        corpora.iter_mut().try_for_each(|corpus| corpus.measure(env))?;
    }
    let mut rows = Vec::new();
    for corpus in &corpora {
        rows.extend(corpus.rows(sizes)?);
    }
    rows.extend(missing);
    Ok(rows)
}

/// Writes a folder of documentation per size; returns a row for the first size with too little documentation.
fn fill(env: &Installation, sizes: &Sizes) -> Result<(Vec<Corpus>, Option<Row>)> {
    let mut library = Library::open(sizes.docs.as_deref())?;
    let mut corpora = Vec::new();
    for megabytes in sizes.index_megabytes {
        let folder = env.file(&format!("docs-{megabytes}"));
        let docs = library.fill(&folder, megabytes * 1_000_000)?;
        if docs.bytes < megabytes * 1_000_000 {
            // A smaller folder must not pass for a larger one.
            let left = docs.bytes as f64 / 1e6;
            let remark =
                format!("not measured: only {left:.0} MB of documentation left; see --docs");
            let row = Row::figure(format!("index {megabytes} MB of documentation"), remark);
            return Ok((corpora, Some(row)));
        }
        corpora.push(Corpus::new(megabytes, folder, docs));
    }
    Ok((corpora, None))
}

/// Documentation of one size, and the time to index it.
struct Corpus {
    megabytes: usize,
    folder: PathBuf,
    docs: Docs,
    times: Sample,
    /// The time until the background checkpoint is done.
    checkpointed: Sample,
    /// The environment of the last run.
    indexed: Option<Installation>,
}

impl Corpus {
    fn new(megabytes: usize, folder: PathBuf, docs: Docs) -> Self {
        let (times, checkpointed) = (Sample::default(), Sample::default());
        Self { megabytes, folder, docs, times, checkpointed, indexed: None }
    }

    /// Indexes a large corpus once, a small one several times.
    fn measure(&mut self, env: &Installation) -> Result<()> {
        let times = (LARGE_MEGABYTES / self.megabytes).clamp(1, MAX_RUNS_PER_ROUND);
        (0..times).try_for_each(|_| self.index(env))
    }

    /// Indexes into an empty store.
    fn index(&mut self, env: &Installation) -> Result<()> {
        let fresh = env.fresh()?;
        // Creates the store, which does not count as indexing.
        fresh.store_stats()?;
        let mut command = fresh.forebay(&["index", &self.folder.to_string_lossy()]);
        let started = Instant::now();
        on_one_processor(|| process::stdout(&mut command))?;
        self.times.add(started.elapsed());
        // The background checkpoint must not disturb the next run.
        fresh.wait_for_checkpoint()?;
        self.checkpointed.add(started.elapsed());
        self.indexed = Some(fresh);
        Ok(())
    }

    fn rows(&self, sizes: &Sizes) -> Result<Vec<Row>> {
        let Self { megabytes, docs, .. } = self;
        let indexed = self.indexed.as_ref().context("no round")?;
        let milliseconds = self.times.median();
        let speed = docs.bytes as f64 / 1e6 / milliseconds * 1e3;
        let spread = self.times.spread();
        let measured = format!(
            "{speed:.1} MB/s, target {MIN_MEGABYTES_PER_SECOND}; {milliseconds:.0} ms, {spread}"
        );
        let disk = indexed.store_stats()?["disk_bytes"].as_f64().unwrap_or(f64::NAN);
        let ratio = disk / docs.bytes as f64;
        let name = format!("index {megabytes} MB of documentation, one processor");
        let mut rows = vec![Row::claim(name, speed >= MIN_MEGABYTES_PER_SECOND, measured)];
        let name = format!("index {megabytes} MB, until its log is copied back");
        rows.push(Row::figure(name, format!("{:.0} ms", self.checkpointed.median())));
        let name = format!("database against {megabytes} MB of documentation");
        rows.push(Row::at_most(name, MAX_STORE_RATIO, ratio, "times", ""));
        let target = SEARCH_TARGETS.iter().find(|(searched, _)| searched == megabytes);
        if let Some((_, max)) = target {
            rows.extend(search_rows(indexed, docs, (*megabytes, *max), sizes)?);
        }
        rows.push(index_unchanged(indexed, &self.folder, *megabytes)?);
        Ok(rows)
    }
}

/// Searches for words from lines of the documentation.
fn search_rows(
    env: &Installation,
    docs: &Docs,
    (megabytes, max): (usize, f64),
    sizes: &Sizes,
) -> Result<Vec<Row>> {
    let (times, found) = search::with_server(env, sizes.queries, docs.queries(3_000))?;
    let remark = format!("median {:.2}, {found} of {} found", times.median(), sizes.queries);
    let name = format!("search in {megabytes} MB of documentation, p95");
    let mut rows = vec![Row::at_most(name, max, times.p95(), "ms", remark)];
    if megabytes <= COMMAND_TARGET.0 {
        let commands = search::with_commands(env, sizes.starts, docs.queries(4_000))?;
        let name = format!("search in {megabytes} MB by a command of its own, p95");
        let remark = format!("median {:.2}", commands.median());
        rows.push(Row::at_most(name, COMMAND_TARGET.1, commands.p95(), "ms", remark));
    }
    Ok(rows)
}

/// Measures indexing a folder without changes.
fn index_unchanged(env: &Installation, folder: &Path, megabytes: usize) -> Result<Row> {
    let started = Instant::now();
    process::stdout(&mut env.forebay(&["index", &folder.to_string_lossy()]))?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let name = format!("index {megabytes} MB again, nothing changed");
    Ok(Row::figure(name, format!("{milliseconds:.0} ms")))
}

/// Pins this thread and the processes it starts to one processor, if the system supports it.
#[cfg(target_os = "linux")]
fn on_one_processor<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let all = sched_getaffinity(None)?;
    let first = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor));
    let mut one = CpuSet::new();
    one.set(first.context("no processor")?);
    sched_setaffinity(None, &one)?;
    let result = work();
    sched_setaffinity(None, &all)?;
    result
}

#[cfg(not(target_os = "linux"))]
fn on_one_processor<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    work()
}

/// Documentation that was written to a folder.
#[derive(Default)]
struct Docs {
    bytes: usize,
    /// Some of its lines.
    lines: Vec<String>,
}

impl Docs {
    /// Lines with this many words are used as queries.
    const QUERY_LINE_WORDS: std::ops::RangeInclusive<usize> = 4..=30;
    const MAX_LINES: usize = 20_000;

    fn add(&mut self, text: &str) {
        self.bytes += text.len();
        // One line per text, and not the first, since files of a kind start alike.
        let mut lines =
            text.lines().filter(|line| Self::QUERY_LINE_WORDS.contains(&line.split(' ').count()));
        if let Some(line) = lines.nth(2).filter(|_| self.lines.len() < Self::MAX_LINES) {
            self.lines.push(line.to_owned());
        }
    }

    /// Generates queries of two to eight consecutive words of a line.
    fn queries(&self, seed: u64) -> impl FnMut() -> String {
        let mut rng = Rng(seed);
        move || {
            let Some(line) = self.lines.get(rng.below(self.lines.len().max(1))) else {
                return "documentation".to_owned();
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let length = (2 + rng.below(7)).min(words.len());
            let start = rng.below(words.len() - length + 1);
            words[start..start + length].join(" ")
        }
    }
}

/// Files with documentation; each is used once.
struct Library {
    sources: Vec<PathBuf>,
}

impl Library {
    fn open(extra: Option<&Path>) -> Result<Self> {
        let home = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
            .context("cannot find cargo's home folder")?;
        let mut sources = sources_below(home.join("registry/src"))?;
        if let Some(extra) = extra {
            sources.extend(sources_below(extra.to_owned())?);
        }
        Ok(Self { sources })
    }

    /// Writes at least `bytes` of documentation to a folder, as far as there is any.
    fn fill(&mut self, folder: &Path, bytes: usize) -> Result<Docs> {
        fs::create_dir_all(folder)?;
        let mut docs = Docs::default();
        let mut number = 0;
        while docs.bytes < bytes {
            let Some(source) = self.sources.pop() else { break };
            let Ok(text) = fs::read_to_string(&source) else { continue };
            let is_markdown = source.extension().is_some_and(|extension| extension == "md");
            let text = if is_markdown { text } else { doc_comments(&text) };
            if text.len() < 200 {
                continue;
            }
            number += 1;
            let below = folder.join(format!("{}", number % 50));
            fs::create_dir_all(&below)?;
            fs::write(below.join(format!("{number}.md")), &text)?;
            docs.add(&text);
        }
        Ok(docs)
    }
}

/// Lists files that may contain documentation, in reverse order: callers pop from the end.
fn sources_below(folder: PathBuf) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for found in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let found = found?;
            let kind = found.file_type()?;
            let is_source =
                found.path().extension().is_some_and(|name| name == "rs" || name == "md");
            if kind.is_dir() {
                folders.push(found.path());
            } else if kind.is_file() && is_source {
                sources.push(found.path());
            }
        }
    }
    sources.sort_by(|a, b| b.cmp(a));
    Ok(sources)
}

/// Extracts the text of a source file's doc comments.
fn doc_comments(source: &str) -> String {
    let mut docs = String::new();
    for line in source.lines() {
        let line = line.trim_start();
        let text = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        match text {
            Some(text) => docs.push_str(&format!("{}\n", text.strip_prefix(' ').unwrap_or(text))),
            None if !docs.is_empty() && !docs.ends_with("\n\n") => docs.push('\n'),
            None => {}
        }
    }
    docs
}
