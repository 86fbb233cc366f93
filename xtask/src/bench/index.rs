//! Indexing and searching real documentation: what stands in the sources of our own dependencies, and what is in a
//! folder that was named.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::Sizes;
use super::sample::Sample;
use super::search;
use super::stage::Stage;
use super::table::Row;
use super::text::Numbers;
use crate::shell;

/// What indexing is to reach on one processor, in megabytes a second.
const WANTED: f64 = 20.0;
/// What a store may take, in sizes of its text.
const MOST_TIMES: f64 = 3.0;
/// The middle one counts.
const ROUNDS: usize = 5;
/// Small ones are indexed more often, up to so many times in each round: a few short runs tell of a moment only.
const MOST_IN_A_ROUND: usize = 5;
/// What is that large is indexed once.
const LARGE_MEGABYTES: usize = 20;
/// Documentation that is also searched: from so many megabytes on, and what is to be reached in a server.
const SEARCHED: &[(usize, f64)] = &[(20, 10.0), (100, 30.0)];
/// What is to be reached by a command of its own, up to so many megabytes.
const BY_COMMAND: (usize, f64) = (20, 25.0);

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let (mut corpora, missing) = fill(stage, sizes)?;
    // In turn, so that a slow moment of the machine is shared by all sizes.
    for _ in 0..ROUNDS {
        corpora.iter_mut().try_for_each(|corpus| corpus.measure(stage))?;
    }
    let mut rows = Vec::new();
    for corpus in &corpora {
        rows.extend(corpus.rows(sizes)?);
    }
    rows.extend(missing);
    Ok(rows)
}

/// A folder of documentation of each size; and a row for the first that there is too little for.
fn fill(stage: &Stage, sizes: &Sizes) -> Result<(Vec<Corpus>, Option<Row>)> {
    let mut library = Library::open(sizes.docs.as_deref())?;
    let mut corpora = Vec::new();
    for megabytes in sizes.index_megabytes {
        let folder = stage.file(&format!("docs-{megabytes}"));
        let docs = library.fill(&folder, megabytes * 1_000_000)?;
        if docs.bytes < megabytes * 1_000_000 {
            // A smaller folder would be told as a larger one.
            let left = docs.bytes as f64 / 1e6;
            let remark = format!("not measured: only {left:.0} MB are left here; see --docs");
            let row = Row::figure(format!("index {megabytes} MB of documentation"), remark);
            return Ok((corpora, Some(row)));
        }
        corpora.push(Corpus::new(megabytes, folder, docs));
    }
    Ok((corpora, None))
}

/// Documentation of one size, and how long it took to index it.
struct Corpus {
    megabytes: usize,
    folder: PathBuf,
    docs: Docs,
    times: Sample,
    /// The same until all that a command leaves behind is done.
    tidy: Sample,
    /// The last store that has it.
    indexed: Option<Stage>,
}

impl Corpus {
    fn new(megabytes: usize, folder: PathBuf, docs: Docs) -> Self {
        let (times, tidy) = (Sample::default(), Sample::default());
        Self { megabytes, folder, docs, times, tidy, indexed: None }
    }

    /// Indexes it once, or more often where that takes little time.
    fn measure(&mut self, stage: &Stage) -> Result<()> {
        let times = (LARGE_MEGABYTES / self.megabytes).clamp(1, MOST_IN_A_ROUND);
        (0..times).try_for_each(|_| self.index(stage))
    }

    /// Indexes it into a fresh store.
    fn index(&mut self, stage: &Stage) -> Result<()> {
        let fresh = stage.another()?;
        // Making a store is no indexing.
        fresh.store_facts()?;
        let mut command = fresh.forebay(&["index", &self.folder.to_string_lossy()]);
        let started = Instant::now();
        on_one_processor(|| shell::output(&mut command))?;
        self.times.add(started.elapsed());
        // What a command leaves behind is not to disturb the next.
        fresh.wait_until_tidy()?;
        self.tidy.add(started.elapsed());
        self.indexed = Some(fresh);
        Ok(())
    }

    fn rows(&self, sizes: &Sizes) -> Result<Vec<Row>> {
        let Self { megabytes, docs, .. } = self;
        let indexed = self.indexed.as_ref().context("no round")?;
        let milliseconds = self.times.median();
        let speed = docs.bytes as f64 / 1e6 / milliseconds * 1e3;
        let measured = format!("{speed:.1} MB/s ({milliseconds:.0} ms), wanted {WANTED}");
        let disk = indexed.store_facts()?["disk_bytes"].as_f64().unwrap_or(f64::NAN);
        let times = disk / docs.bytes as f64;
        let name = format!("index {megabytes} MB of documentation, one processor");
        let mut rows = vec![Row::claim(name, speed >= WANTED, measured)];
        let name = format!("index {megabytes} MB, until its log is copied back");
        rows.push(Row::figure(name, format!("{:.0} ms", self.tidy.median())));
        let name = format!("database against {megabytes} MB of documentation");
        rows.push(Row::at_most(name, MOST_TIMES, times, "times", ""));
        let bound = SEARCHED.iter().find(|(searched, _)| searched == megabytes);
        if let Some((_, most)) = bound {
            rows.extend(ask(indexed, docs, (*megabytes, *most), sizes)?);
        }
        rows.push(again(indexed, &self.folder, *megabytes)?);
        Ok(rows)
    }
}

/// Asks for what stands in the documentation, by words of its lines.
fn ask(
    stage: &Stage,
    docs: &Docs,
    (megabytes, most): (usize, f64),
    sizes: &Sizes,
) -> Result<Vec<Row>> {
    let (times, found) = search::in_a_server(stage, sizes.queries, docs.questions(3_000))?;
    let remark = format!("median {:.2}, {found} of {} found", times.median(), sizes.queries);
    let name = format!("search in {megabytes} MB of documentation, p95");
    let mut rows = vec![Row::at_most(name, most, times.p95(), "ms", remark)];
    if megabytes <= BY_COMMAND.0 {
        let once = search::by_commands(stage, sizes.starts, docs.questions(4_000))?;
        let name = format!("search in {megabytes} MB by a command of its own, p95");
        let remark = format!("median {:.2}", once.median());
        rows.push(Row::at_most(name, BY_COMMAND.1, once.p95(), "ms", remark));
    }
    Ok(rows)
}

/// How long it takes to see that nothing has changed.
fn again(stage: &Stage, folder: &Path, megabytes: usize) -> Result<Row> {
    let started = Instant::now();
    shell::output(&mut stage.forebay(&["index", &folder.to_string_lossy()]))?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let name = format!("index {megabytes} MB again, nothing changed");
    Ok(Row::figure(name, format!("{milliseconds:.0} ms")))
}

/// Does something while this thread, and what it starts, is held to one processor, where this system can do that.
#[cfg(target_os = "linux")]
fn on_one_processor<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let all = sched_getaffinity(None)?;
    let first = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor));
    let mut one = CpuSet::new();
    one.set(first.context("no processor")?);
    sched_setaffinity(None, &one)?;
    let done = work();
    sched_setaffinity(None, &all)?;
    done
}

#[cfg(not(target_os = "linux"))]
fn on_one_processor<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    work()
}

/// Documentation that was written into a folder.
#[derive(Default)]
struct Docs {
    bytes: usize,
    /// Some of its lines.
    lines: Vec<String>,
}

impl Docs {
    /// A line of so many words is a question.
    const WORDS: std::ops::RangeInclusive<usize> = 4..=30;
    const LINES: usize = 20_000;

    fn take(&mut self, text: &str) {
        self.bytes += text.len();
        // One of each text, and not the first: those of a kind begin alike.
        let mut lines = text.lines().filter(|line| Self::WORDS.contains(&line.split(' ').count()));
        if let Some(line) = lines.nth(2).filter(|_| self.lines.len() < Self::LINES) {
            self.lines.push(line.to_owned());
        }
    }

    /// Two to eight words that follow each other in a line.
    fn questions(&self, seed: u64) -> impl FnMut() -> String {
        let mut numbers = Numbers(seed);
        move || {
            let Some(line) = self.lines.get(numbers.below(self.lines.len().max(1))) else {
                return "documentation".to_owned();
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let length = (2 + numbers.below(7)).min(words.len());
            let start = numbers.below(words.len() - length + 1);
            words[start..start + length].join(" ")
        }
    }
}

/// Documentation that is handed out once.
struct Library {
    sources: Vec<PathBuf>,
}

impl Library {
    fn open(named: Option<&Path>) -> Result<Self> {
        let home = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
            .context("no cargo folder")?;
        let mut sources = sources_below(home.join("registry/src"))?;
        if let Some(named) = named {
            sources.extend(sources_below(named.to_owned())?);
        }
        Ok(Self { sources })
    }

    /// Writes about so many bytes of documentation into a folder.
    fn fill(&mut self, folder: &Path, bytes: usize) -> Result<Docs> {
        fs::create_dir_all(folder)?;
        let mut docs = Docs::default();
        let mut number = 0;
        while docs.bytes < bytes {
            let Some(source) = self.sources.pop() else { break };
            let Ok(text) = fs::read_to_string(&source) else { continue };
            let is_markdown = source.extension().is_some_and(|ending| ending == "md");
            let text = if is_markdown { text } else { docs_of(&text) };
            if text.len() < 200 {
                continue;
            }
            number += 1;
            let below = folder.join(format!("{}", number % 50));
            fs::create_dir_all(&below)?;
            fs::write(below.join(format!("{number}.md")), &text)?;
            docs.take(&text);
        }
        Ok(docs)
    }
}

/// What may hold documentation; it is taken from the end.
fn sources_below(folder: PathBuf) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for found in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let found = found?;
            let kind = found.file_type()?;
            let is_source =
                found.path().extension().is_some_and(|ending| ending == "rs" || ending == "md");
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

/// The doc comments of a source file, as the text they are.
fn docs_of(source: &str) -> String {
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
