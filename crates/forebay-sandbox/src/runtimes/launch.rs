//! Runs code: finds an engine, stages the script, compiles it if necessary, and runs it.

use std::path::Path;
use std::time::Duration;

use forebay_domain::run::Stream;

use super::binary_cache::CachedBinary;
use super::detect::{self, InstalledEngine};
use super::staging::StagedScript;
use super::{Invocation, Runtime};
use crate::run::{FinishedRun, run_process};
use crate::spec::{Code, Program, RunSpec, Stdin};
use crate::{CancelToken, RunError, Sink, WritableByRuns};

/// The maximum length of code as an argument, below the 128 KiB limit of Linux.
const MAX_INLINE_BYTES: usize = 120 * 1024;

/// Runs `code` with the options of `spec`, and removes its temporary files.
pub(crate) fn run(
    code: &Code,
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &CancelToken,
) -> Result<FinishedRun, RunError> {
    let writable = WritableByRuns::new(&spec.isolation);
    let engine = detect::find_engine(code.runtime, &spec.cwd, &writable)
        .ok_or_else(|| missing_runtime(code.runtime))?;
    let staged = StagedScript::new(code, engine.engine, &spec.cwd)
        .map_err(RunError::io("stage the script"))?;
    let run = CodeRun { engine, staged, spec, cancel };
    match run.engine.engine.invocation {
        Invocation::Inline { args, .. } if run.staged.text().len() <= MAX_INLINE_BYTES => {
            run.process(args, sink)
        }
        Invocation::Inline { script_args: args, .. } | Invocation::Script(args) => {
            run.script(args, sink)
        }
        Invocation::Compiled { args, is_self_contained } => {
            // A binary that must not be cached goes to the temporary directory of the run.
            let cache = code.binary_cache.as_deref();
            let cache = cache.filter(|_| is_self_contained(&code.text, &spec.cwd));
            run.compiled(args, cache.unwrap_or_else(|| run.staged.folder()), sink)
        }
    }
}

fn missing_runtime(runtime: &Runtime) -> RunError {
    let programs: Vec<&str> = runtime.engines.iter().map(|engine| engine.program).collect();
    RunError::MissingRuntime {
        language: runtime.name,
        looked_for: programs.join(", "),
        install: runtime.install,
    }
}

/// A run whose script is staged.
struct CodeRun<'a> {
    engine: InstalledEngine,
    staged: StagedScript<'a>,
    spec: &'a RunSpec,
    cancel: &'a CancelToken,
}

impl CodeRun<'_> {
    fn process(&self, args: &[&str], sink: &mut dyn Sink) -> Result<FinishedRun, RunError> {
        run_process(&self.as_process(self.argv(args, Path::new(""))), sink, self.cancel)
    }

    fn script(&self, args: &[&str], sink: &mut dyn Sink) -> Result<FinishedRun, RunError> {
        self.write_script()?;
        self.process(args, sink)
    }

    /// Runs the cached binary, compiling it first if necessary; compiler errors become the output of the run.
    fn compiled(
        &self,
        args: &[&str],
        folder: &Path,
        sink: &mut dyn Sink,
    ) -> Result<FinishedRun, RunError> {
        let cached =
            CachedBinary::for_inputs(folder, self.cache_inputs(args).iter().map(String::as_str));
        let mut compile_time = Duration::ZERO;
        if !cached.exists() {
            let compilation = self.compile(args, &cached)?;
            if !compilation.finished.ending.is_success() {
                return Ok(compilation.write_to(sink));
            }
            compile_time = compilation.finished.duration;
        }
        let mut spec = self.as_process(vec![cached.binary().to_string_lossy().into_owned()]);
        spec.isolation.read.push(cached.binary().to_owned());
        spec.timeout = spec.timeout.saturating_sub(compile_time).max(Duration::from_millis(1));
        let mut finished = run_process(&spec, sink, self.cancel)?;
        finished.duration += compile_time;
        Ok(finished)
    }

    fn compile(&self, args: &[&str], cached: &CachedBinary) -> Result<Compilation, RunError> {
        self.write_script()?;
        let binary = self.staged.expand_args(&["{folder}/program"], Path::new("")).concat();
        let binary = Path::new(&binary);
        let mut spec = self.as_process(self.argv(args, binary));
        spec.stdin = Stdin::Closed;
        spec.isolation.write.push(self.staged.folder().to_owned());
        let mut output = BufferedOutput::default();
        let finished = run_process(&spec, &mut output, self.cancel)?;
        if finished.ending.is_success() {
            cached.store(binary).map_err(RunError::io("cache the compiled program"))?;
        }
        Ok(Compilation { finished, output })
    }

    /// Returns what determines the binary; the arguments are unexpanded, without the directory of this run.
    fn cache_inputs(&self, args: &[&str]) -> Vec<String> {
        let mut inputs = vec![self.engine.program.to_string_lossy().into_owned()];
        inputs.extend(args.iter().map(ToString::to_string));
        inputs.push(self.staged.text().to_owned());
        inputs.push(self.staged.prelude_text().to_owned());
        inputs
    }

    fn write_script(&self) -> Result<(), RunError> {
        self.staged.write_script().map_err(RunError::io("write the script"))
    }

    fn argv(&self, args: &[&str], binary: &Path) -> Vec<String> {
        let mut argv = vec![self.engine.program.to_string_lossy().into_owned()];
        argv.extend(self.staged.expand_args(args, binary));
        argv
    }

    /// Returns the spec for running `argv` with the options of this run.
    fn as_process(&self, argv: Vec<String>) -> RunSpec {
        let mut spec = RunSpec {
            program: Program::Argv(argv),
            env: self.staged.environment(&self.spec.env),
            ..self.spec.clone()
        };
        spec.isolation.read.push(self.staged.folder().to_owned());
        spec
    }
}

/// The output and result of a compiler.
struct Compilation {
    finished: FinishedRun,
    output: BufferedOutput,
}

impl Compilation {
    /// Writes the output to `sink` and returns the result.
    fn write_to(self, sink: &mut dyn Sink) -> FinishedRun {
        for (stream, bytes) in &self.output.chunks {
            sink.write(*stream, bytes);
        }
        self.finished
    }
}

/// Buffers the output of a compiler, which is shown only if it fails.
#[derive(Default)]
struct BufferedOutput {
    chunks: Vec<(Stream, Vec<u8>)>,
}

impl Sink for BufferedOutput {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.chunks.push((stream, bytes.to_vec()));
    }
}
