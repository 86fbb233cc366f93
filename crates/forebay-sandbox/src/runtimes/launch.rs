//! One run of code: an engine is found, the stage set, the program compiled if need be, and run.

use std::path::Path;
use std::time::Duration;

use forebay_domain::run::Stream;

use super::compiled::Slot;
use super::detect::{self, Found};
use super::stage::Stage;
use super::{Runtime, Start};
use crate::run::{Finished, run_process};
use crate::spec::{Code, Program, RunSpec, Stdin};
use crate::{Cancel, RunError, Sink};

/// What one argument may hold, with room for the system's own count (128 KiB on Linux).
const LONGEST_ARGUMENT: usize = 120 * 1024;

/// Runs `code` as `spec` says. What was written for it is gone when this returns.
pub(crate) fn run(
    code: &Code,
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &Cancel,
) -> Result<Finished, RunError> {
    let found = detect::engine_of(code.runtime, &spec.cwd).ok_or_else(|| missing(code.runtime))?;
    let stage = Stage::new(code, found.engine, &spec.cwd)
        .map_err(RunError::io("prepare the folder of the script"))?;
    let run = Run { found, stage, spec, cancel };
    match run.found.engine.start {
        Start::Inline { words, .. } if run.stage.text().len() <= LONGEST_ARGUMENT => {
            run.process(words, sink)
        }
        Start::Inline { long: words, .. } | Start::Script(words) => run.script(words, sink),
        Start::Compiled { words, is_alone } => {
            // What is not to be kept goes with the run's own folder.
            let keeps = is_alone(&code.text, &spec.cwd);
            let kept = if keeps { &code.compiled } else { run.stage.folder() };
            run.compiled(words, kept, sink)
        }
    }
}

fn missing(runtime: &Runtime) -> RunError {
    let programs: Vec<&str> = runtime.engines.iter().map(|engine| engine.program).collect();
    RunError::MissingRuntime {
        language: runtime.name,
        looked_for: programs.join(", "),
        install: runtime.install,
    }
}

/// A run whose stage is set.
struct Run<'a> {
    found: Found,
    stage: Stage<'a>,
    spec: &'a RunSpec,
    cancel: &'a Cancel,
}

impl Run<'_> {
    fn process(&self, words: &[&str], sink: &mut dyn Sink) -> Result<Finished, RunError> {
        run_process(&self.as_process(self.argv(words, Path::new(""))), sink, self.cancel)
    }

    fn script(&self, words: &[&str], sink: &mut dyn Sink) -> Result<Finished, RunError> {
        self.write_script()?;
        self.process(words, sink)
    }

    /// Runs what is compiled already, or compiles it; a compiler's complaint is the run's output.
    fn compiled(
        &self,
        words: &[&str],
        kept: &Path,
        sink: &mut dyn Sink,
    ) -> Result<Finished, RunError> {
        let slot = Slot::of(kept, self.parts(words).iter().map(String::as_str));
        let mut spent = Duration::ZERO;
        if !slot.is_filled() {
            let compilation = self.compile(words, &slot)?;
            if !compilation.finished.ending.is_success() {
                return Ok(compilation.hand_on(sink));
            }
            spent = compilation.finished.duration;
        }
        let mut spec = self.as_process(vec![slot.binary().to_string_lossy().into_owned()]);
        spec.isolation.read.push(slot.binary().to_owned());
        spec.timeout = spec.timeout.saturating_sub(spent).max(Duration::from_millis(1));
        let mut finished = run_process(&spec, sink, self.cancel)?;
        finished.duration += spent;
        Ok(finished)
    }

    fn compile(&self, words: &[&str], slot: &Slot) -> Result<Compilation, RunError> {
        self.write_script()?;
        let made = self.stage.fill(&["{folder}/program"], Path::new("")).concat();
        let made = Path::new(&made);
        let mut spec = self.as_process(self.argv(words, made));
        spec.stdin = Stdin::Closed;
        spec.isolation.write.push(self.stage.folder().to_owned());
        let mut told = Told::default();
        let finished = run_process(&spec, &mut told, self.cancel)?;
        if finished.ending.is_success() {
            slot.fill(made).map_err(RunError::io("keep the compiled program"))?;
        }
        Ok(Compilation { finished, told })
    }

    /// What a compiled program is made of; the folder of this run is no part of it.
    fn parts(&self, words: &[&str]) -> Vec<String> {
        let mut parts = vec![self.found.program.to_string_lossy().into_owned()];
        parts.extend(words.iter().map(ToString::to_string));
        parts.push(self.stage.text().to_owned());
        parts.push(self.stage.loaded_text().to_owned());
        parts
    }

    fn write_script(&self) -> Result<(), RunError> {
        self.stage.write_script().map_err(RunError::io("write the script"))
    }

    fn argv(&self, words: &[&str], binary: &Path) -> Vec<String> {
        let mut argv = vec![self.found.program.to_string_lossy().into_owned()];
        argv.extend(self.stage.fill(words, binary));
        argv
    }

    /// The same run as a plain process.
    fn as_process(&self, argv: Vec<String>) -> RunSpec {
        let mut spec = RunSpec {
            program: Program::Argv(argv),
            env: self.stage.environment(&self.spec.env),
            ..self.spec.clone()
        };
        spec.isolation.read.push(self.stage.folder().to_owned());
        spec
    }
}

/// What a compiler said, and how it ended.
struct Compilation {
    finished: Finished,
    told: Told,
}

impl Compilation {
    /// Makes it the result of the run.
    fn hand_on(self, sink: &mut dyn Sink) -> Finished {
        for (stream, bytes) in &self.told.pieces {
            sink.write(*stream, bytes);
        }
        self.finished
    }
}

/// Keeps what a compiler says until it is known whether anybody wants it.
#[derive(Default)]
struct Told {
    pieces: Vec<(Stream, Vec<u8>)>,
}

impl Sink for Told {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.pieces.push((stream, bytes.to_vec()));
    }
}
