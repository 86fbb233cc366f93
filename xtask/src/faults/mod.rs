//! `cargo xtask faults`: breaks the world around the program and checks what it promises.
//!
//! A write is acknowledged when its answer arrives; every acknowledged write must be readable later. A call under
//! fault ends within [`MAX_CALL`], with success or with a message that names the cause.

mod acknowledged;
mod clock;
mod damage;
mod disk;
mod kills;
mod limits;
mod postgres;
mod processes;
mod random;
mod table;
mod versions;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use self::random::Random;
use self::table::Row;
use crate::installation::Installation;
use crate::workspace::{self, Metadata};
use crate::{console, process};

/// The longest a call may take, whatever is broken.
const MAX_CALL: Duration = Duration::from_secs(30);

/// Inject faults (kills, full disks, damage, clocks, limits, server failures) and report what held
#[derive(Debug, Args)]
pub(crate) struct Faults {
    /// A tenth of the repetitions
    #[arg(long)]
    quick: bool,
    /// Only faults whose name contains this
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Break this binary instead of building one
    #[arg(long, value_name = "PATH")]
    forebay: Option<PathBuf>,
    /// An older binary that shares a store with this one
    #[arg(long, value_name = "PATH")]
    old: Option<PathBuf>,
    /// Repeats a run exactly as far as the random choices go
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A kind of fault and what must hold under it.
struct Fault {
    name: &'static str,
    invariant: &'static str,
    inject: fn(&Trial) -> Result<Row>,
}

const FAULTS: &[Fault] = &[
    Fault { name: "kill", invariant: "acknowledged is readable", inject: kills::inject },
    Fault { name: "disk full", invariant: "told; purge frees space", inject: disk::fill },
    Fault { name: "read-only", invariant: "told; reads work", inject: disk::make_read_only },
    Fault { name: "damage", invariant: "never wrong bytes", inject: damage::inject },
    Fault {
        name: "damaged tables",
        invariant: "never wrong bytes; doctor tells",
        inject: damage::each_table,
    },
    Fault { name: "clock", invariant: "order and contents stay", inject: clock::inject },
    Fault { name: "descriptors", invariant: "done or told", inject: limits::descriptors },
    Fault { name: "memory", invariant: "done or told", inject: limits::memory },
    Fault { name: "processes", invariant: "acknowledged is readable", inject: processes::inject },
    Fault {
        name: "postgres restart",
        invariant: "acknowledged is readable",
        inject: postgres::restart,
    },
    Fault { name: "postgres pause", invariant: "bounded, told", inject: postgres::pause },
    Fault { name: "postgres gone", invariant: "bounded, told", inject: postgres::cut_off },
    Fault { name: "versions", invariant: "both read and write", inject: versions::inject },
];

/// What a fault is injected into.
struct Trial {
    installation: Installation,
    old: Option<PathBuf>,
    random: Random,
    quick: bool,
}

impl Trial {
    /// How often to repeat something that is done `full` times in a full run.
    fn repetitions(&self, full: usize) -> usize {
        if self.quick { full.div_ceil(10) } else { full }
    }
}

impl Faults {
    pub(crate) fn run(self) -> Result<()> {
        let forebay = match &self.forebay {
            Some(path) => std::path::absolute(path)?,
            None => workspace::build_forebay("release")?,
        };
        let below = Metadata::read()?.target_directory.join("faults");
        std::fs::create_dir_all(&below)?;
        let wanted =
            |fault: &&Fault| self.only.as_ref().is_none_or(|word| fault.name.contains(word));
        let mut rows = Vec::new();
        for fault in FAULTS.iter().filter(wanted) {
            console::line(format!("{}: {}", fault.name, fault.invariant));
            rows.push(self.inject(fault, &forebay, &below)?);
        }
        console::line(format!("\nseed {}\n\n{}", self.seed, table::render(&rows)));
        ensure!(rows.iter().all(Row::holds), "some promises did not hold");
        Ok(())
    }

    fn inject(&self, fault: &Fault, forebay: &Path, below: &Path) -> Result<Row> {
        let trial = Trial {
            installation: Installation::new(forebay, below)?,
            old: self.old.clone(),
            random: Random::new(self.seed, fault.name),
            quick: self.quick,
        };
        let row = (fault.inject)(&trial).with_context(|| format!("fault `{}`", fault.name))?;
        Ok(row.named(fault.name, fault.invariant))
    }
}

/// A call that ended, and how long it took.
struct Call {
    output: Output,
    time: Duration,
}

impl Call {
    /// Runs a command to its end.
    fn run(command: &mut Command) -> Result<Self> {
        let started = Instant::now();
        let output = command
            .stdin(Stdio::null())
            .output()
            .with_context(|| process::command_line(command))?;
        Ok(Self { output, time: started.elapsed() })
    }

    fn succeeded(&self) -> bool {
        self.output.status.success()
    }

    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// In time, and it ends by itself: it exits, or the allocator aborts it with a message.
    fn is_bounded(&self) -> bool {
        let stderr = self.stderr();
        let has_ended =
            self.output.status.code().is_some() || stderr.contains("memory allocation of");
        self.time <= MAX_CALL && has_ended && !stderr.contains("panicked at")
    }

    /// In time, and a failure comes with a message.
    fn is_bounded_and_told(&self) -> bool {
        self.is_bounded() && (self.succeeded() || !self.stderr().trim().is_empty())
    }
}
