//! `cargo xtask bench`: measures what is promised, and says whether it holds here.
//!
//! A missed target is told, never a failure: figures belong to a machine and its load. Everything
//! runs on the release binary in fresh folders below `target/`, so that a write reaches a real disk.

mod client;
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
mod rules;
mod runs;
mod sample;
mod search;
mod serve;
mod skeleton;
mod stage;
mod start;
mod table;
mod text;
mod writers;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use self::stage::Stage;
use self::table::Row;
use crate::workspace::Metadata;
use crate::{say, workspace};

/// Measure speed and size; print and keep a table
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// A tenth of everything, to see that it works; its figures prove nothing
    #[arg(long)]
    quick: bool,
    /// Only those whose name contains this
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Measure this binary instead of one that is built first
    #[arg(long, value_name = "PATH")]
    forebay: Option<PathBuf>,
    /// Index the documentation in this folder, too: that of our dependencies is no more than some 20 MB
    #[arg(long, value_name = "FOLDER")]
    docs: Option<PathBuf>,
}

/// Something to measure.
struct Trial {
    name: &'static str,
    measure: fn(&Stage, &Sizes) -> Result<Vec<Row>>,
}

const TRIALS: &[Trial] = &[
    Trial { name: "start", measure: start::measure },
    Trial { name: "overhead", measure: overhead::measure },
    Trial { name: "runs", measure: runs::measure },
    Trial { name: "rules", measure: rules::measure },
    Trial { name: "output", measure: output::measure },
    Trial { name: "writers", measure: writers::measure },
    Trial { name: "search", measure: search::measure },
    Trial { name: "postgres", measure: postgres::measure },
    Trial { name: "index", measure: index::measure },
    Trial { name: "skeleton", measure: skeleton::measure },
    Trial { name: "packages", measure: packages::measure },
    Trial { name: "digest", measure: digest::measure },
    Trial { name: "hooks", measure: hooks::measure },
    Trial { name: "import", measure: import::measure },
    Trial { name: "serve", measure: serve::measure },
];

/// How much of everything.
struct Sizes {
    starts: usize,
    runs: usize,
    runs_in_a_row: usize,
    output_megabytes: usize,
    notes_per_writer: usize,
    documents: usize,
    queries: usize,
    digest_megabytes: usize,
    hooks: usize,
    hook_events: usize,
    index_megabytes: [usize; 4],
    /// Documentation beside that of our dependencies.
    docs: Option<PathBuf>,
    transcript_megabytes: usize,
    repository_files: usize,
    requests: usize,
    idle_connections: usize,
}

const FULL: Sizes = Sizes {
    starts: 60,
    runs: 100,
    runs_in_a_row: 10_000,
    output_megabytes: 200,
    notes_per_writer: 100,
    documents: 50_000,
    queries: 300,
    digest_megabytes: 100,
    hooks: 60,
    hook_events: 10_000,
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
    runs_in_a_row: 200,
    output_megabytes: 20,
    notes_per_writer: 10,
    documents: 5_000,
    queries: 30,
    digest_megabytes: 10,
    hooks: 6,
    hook_events: 1_000,
    index_megabytes: [1, 2, 3, 4],
    docs: None,
    transcript_megabytes: 100,
    repository_files: 1_000,
    requests: 2_000,
    idle_connections: 1_000,
};

impl Bench {
    pub(crate) fn carry_out(self) -> Result<()> {
        let forebay = match &self.forebay {
            Some(path) => path.canonicalize()?,
            None => workspace::build_forebay("release")?,
        };
        let target = Metadata::read()?.target_directory;
        let place = tempfile::Builder::new().prefix("bench-").tempdir_in(&target)?;
        let forebay = installed(&forebay, place.path())?;
        let sizes = Sizes { docs: self.docs.clone(), ..if self.quick { QUICK } else { FULL } };
        let mut rows = Vec::new();
        for trial in TRIALS.iter().filter(|trial| self.wants(trial)) {
            say::line(format!("measuring {} ...", trial.name));
            rows.extend((trial.measure)(&Stage::new(&forebay, &target)?, &sizes)?);
        }
        let table = table::render(&rows, self.quick);
        fs::write(target.join("bench.md"), &table)?;
        say::line(format!("\n{table}\nkept in {}", target.join("bench.md").display()));
        Ok(())
    }

    fn wants(&self, trial: &Trial) -> bool {
        self.only.as_ref().is_none_or(|word| trial.name.contains(word.as_str()))
    }
}

/// The binary as an installation leaves it. What a linker wrote stays in memory page by page, and each process that
/// is started from it pays for that, up to a millisecond.
fn installed(forebay: &Path, place: &Path) -> Result<PathBuf> {
    let copy = place.join("forebay");
    fs::copy(forebay, &copy)?;
    Ok(copy)
}
