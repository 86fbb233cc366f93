//! `cargo xtask bench`: measures speed and size against the targets.
//!
//! A missed target is reported and is not a failure: results depend on the machine and its load. All benchmarks
//! run the release binary in empty folders below `target/`, so that writes reach a real disk.

mod digest;
mod hooks;
mod import;
mod index;
mod logs;
mod memory;
mod output;
mod overhead;
mod packages;
mod postgres;
mod replay;
mod rules;
mod runs;
mod sample;
mod search;
mod serve;
mod skeleton;
mod start;
mod status_line;
mod table;
mod text;
mod wrap;
mod writers;

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use self::table::Row;
use crate::installation::Installation;
use crate::workspace::Metadata;
use crate::{console, workspace};

/// Measure speed and size; print a table and write it to target/bench.md
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// A tenth of the full size, to check that the benchmarks work; the results mean nothing
    #[arg(long)]
    quick: bool,
    /// Only benchmarks whose name contains this
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Measure this binary instead of building one
    #[arg(long, value_name = "PATH")]
    forebay: Option<PathBuf>,
    /// Also index the documentation in this folder: that of our dependencies is only about 20 MB
    #[arg(long, value_name = "FOLDER")]
    docs: Option<PathBuf>,
}

/// A named group of measurements.
struct Benchmark {
    name: &'static str,
    measure: fn(&Installation, &Sizes) -> Result<Vec<Row>>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "start", measure: start::measure },
    Benchmark { name: "overhead", measure: overhead::measure },
    Benchmark { name: "runs", measure: runs::measure },
    Benchmark { name: "rules", measure: rules::measure },
    Benchmark { name: "output", measure: output::measure },
    Benchmark { name: "writers", measure: writers::measure },
    Benchmark { name: "search", measure: search::measure },
    Benchmark { name: "postgres", measure: postgres::measure },
    Benchmark { name: "index", measure: index::measure },
    Benchmark { name: "skeleton", measure: skeleton::measure },
    Benchmark { name: "packages", measure: packages::measure },
    Benchmark { name: "digest", measure: digest::measure },
    Benchmark { name: "hooks", measure: hooks::measure },
    Benchmark { name: "status line", measure: status_line::measure },
    Benchmark { name: "import", measure: import::measure },
    Benchmark { name: "replay", measure: replay::measure },
    Benchmark { name: "serve", measure: serve::measure },
    Benchmark { name: "wrap", measure: wrap::measure },
];

/// The amount of work per benchmark.
struct Sizes {
    starts: usize,
    runs: usize,
    consecutive_runs: usize,
    output_megabytes: usize,
    notes_per_writer: usize,
    documents: usize,
    queries: usize,
    digest_megabytes: usize,
    hooks: usize,
    hook_events: usize,
    session_requests: usize,
    index_megabytes: [usize; 4],
    /// Documentation in addition to that of our dependencies.
    docs: Option<PathBuf>,
    transcript_megabytes: usize,
    repository_files: usize,
    requests: usize,
    idle_connections: usize,
}

const FULL: Sizes = Sizes {
    starts: 60,
    runs: 100,
    consecutive_runs: 10_000,
    output_megabytes: 200,
    notes_per_writer: 100,
    documents: 50_000,
    queries: 300,
    digest_megabytes: 100,
    hooks: 60,
    hook_events: 10_000,
    // With more the line leaves out what was saved in money.
    session_requests: 300,
    index_megabytes: [1, 5, 20, 100],
    docs: None,
    transcript_megabytes: 1_000,
    repository_files: 10_000,
    requests: 20_000,
    idle_connections: 10_000,
};

const QUICK: Sizes = Sizes {
    starts: 6,
    runs: 10,
    consecutive_runs: 200,
    output_megabytes: 20,
    notes_per_writer: 10,
    documents: 5_000,
    queries: 30,
    digest_megabytes: 10,
    hooks: 6,
    hook_events: 1_000,
    session_requests: 50,
    index_megabytes: [1, 2, 3, 4],
    docs: None,
    transcript_megabytes: 100,
    repository_files: 1_000,
    requests: 2_000,
    idle_connections: 1_000,
};

impl Bench {
    pub(crate) fn run(self) -> Result<()> {
        let forebay = match &self.forebay {
            Some(path) => path.canonicalize()?,
            None => workspace::build_forebay("release")?,
        };
        let target = Metadata::read()?.target_directory;
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(&target)?;
        let forebay = workspace::installed_copy(&forebay, folder.path())?;
        let sizes = Sizes { docs: self.docs.clone(), ..if self.quick { QUICK } else { FULL } };
        let mut rows = Vec::new();
        for benchmark in BENCHMARKS.iter().filter(|benchmark| self.is_selected(benchmark)) {
            console::line(format!("measuring {} ...", benchmark.name));
            rows.extend((benchmark.measure)(&Installation::new(&forebay, &target)?, &sizes)?);
        }
        let table = table::render(&rows, self.quick);
        fs::write(target.join("bench.md"), &table)?;
        console::line(format!("\n{table}\nwritten to {}", target.join("bench.md").display()));
        Ok(())
    }

    fn is_selected(&self, benchmark: &Benchmark) -> bool {
        self.only.as_ref().is_none_or(|word| benchmark.name.contains(word.as_str()))
    }
}
