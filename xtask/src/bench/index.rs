//! Indexing real documentation: the docs that stand in the sources of our own dependencies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use super::Sizes;
use super::stage::Stage;
use super::table::Row;
use crate::shell;

/// What indexing is to reach on one processor, in megabytes a second.
const WANTED: f64 = 20.0;
/// What a store may take, in sizes of its text.
const MOST_TIMES: f64 = 3.0;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut library = Library::open()?;
    let (mut text, mut folders) = (0, Vec::new());
    for megabytes in sizes.index_megabytes {
        let folder = stage.file(&format!("docs-{megabytes}"));
        let bytes = library.fill(&folder, megabytes * 1_000_000)?;
        if bytes < megabytes * 1_000_000 {
            // A smaller folder would be told as a larger one.
            let remark = format!("not measured: only {:.0} MB are left here", bytes as f64 / 1e6);
            rows.push(Row::figure(format!("index {megabytes} MB of documentation"), remark));
            break;
        }
        let started = Instant::now();
        shell::output(&mut on_one_processor(stage, &folder))?;
        let seconds = started.elapsed().as_secs_f64();
        text += bytes;
        let speed = bytes as f64 / 1e6 / seconds;
        let name = format!("index {:.0} MB of documentation, one processor", bytes as f64 / 1e6);
        rows.push(Row::claim(
            name,
            speed >= WANTED,
            format!("{speed:.1} MB/s ({seconds:.1} s), wanted {WANTED}"),
        ));
        folders.push(folder);
    }
    let disk = stage.store_facts()?["disk_bytes"].as_f64().unwrap_or(f64::NAN);
    let times = disk / text as f64;
    rows.push(Row::at_most("database against documentation", MOST_TIMES, times, "times", ""));
    rows.extend(folders.last().map(|folder| again(stage, folder)).transpose()?);
    Ok(rows)
}

/// How long it takes to see that nothing has changed.
fn again(stage: &Stage, folder: &Path) -> Result<Row> {
    let started = Instant::now();
    shell::output(&mut stage.forebay(&["index", &folder.to_string_lossy()]))?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    Ok(Row::figure("index it again, nothing changed", format!("{milliseconds:.0} ms")))
}

/// The command held to one processor, where this system can do that.
fn on_one_processor(stage: &Stage, folder: &Path) -> Command {
    let plain = stage.forebay(&["index", &folder.to_string_lossy()]);
    if !Path::new("/usr/bin/taskset").exists() {
        return plain;
    }
    let mut held = shell::command("/usr/bin/taskset");
    held.args(["-c", "0"]).arg(plain.get_program()).args(plain.get_args());
    if let Some(folder) = plain.get_current_dir() {
        held.current_dir(folder);
    }
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            held.env(name, value);
        }
    }
    held
}

/// Documentation that is handed out once.
struct Library {
    sources: Vec<PathBuf>,
}

impl Library {
    fn open() -> Result<Self> {
        let home = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
            .context("no cargo folder")?;
        let mut sources = Vec::new();
        let mut folders = vec![home.join("registry/src")];
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
        // Taken from the end.
        sources.sort_by(|a, b| b.cmp(a));
        Ok(Self { sources })
    }

    /// Writes about so many bytes of documentation into a folder; gives how many it were.
    fn fill(&mut self, folder: &Path, bytes: usize) -> Result<usize> {
        fs::create_dir_all(folder)?;
        let mut written = 0;
        let mut number = 0;
        while written < bytes {
            let Some(source) = self.sources.pop() else { break };
            let Ok(text) = fs::read_to_string(&source) else { continue };
            let is_markdown = source.extension().is_some_and(|ending| ending == "md");
            let docs = if is_markdown { text } else { docs_of(&text) };
            if docs.len() < 200 {
                continue;
            }
            number += 1;
            let below = folder.join(format!("{}", number % 50));
            fs::create_dir_all(&below)?;
            fs::write(below.join(format!("{number}.md")), &docs)?;
            written += docs.len();
        }
        Ok(written)
    }
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
