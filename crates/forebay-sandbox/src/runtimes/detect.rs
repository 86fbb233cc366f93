//! Finds the installed engine of a language.
//!
//! A found program is cached for the lifetime of this process. A missing one is searched again, because the user
//! may have installed it in the meantime.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use forebay_domain::run::Stream;
use rustix::fs::{Access, access};

use super::{Engine, EngineLocation, Runtime};
use crate::run::run_process;
use crate::search_path::{WritableByRuns, is_trusted_program, trusted_path};
use crate::{CancelToken, Program, RunSpec, Sink};

const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// An installed engine and its path.
pub(super) struct InstalledEngine {
    pub(super) engine: &'static Engine,
    pub(super) program: PathBuf,
}

/// Returns the first installed engine of a language.
pub(super) fn find_engine(
    runtime: &Runtime,
    cwd: &Path,
    writable: &WritableByRuns,
) -> Option<InstalledEngine> {
    runtime.engines.iter().find_map(|engine| {
        let program = find_program(engine, cwd, writable)?;
        Some(InstalledEngine { engine, program })
    })
}

fn find_program(engine: &Engine, cwd: &Path, writable: &WritableByRuns) -> Option<PathBuf> {
    match engine.location {
        EngineLocation::OnPath => find_on_path(engine.program),
        EngineLocation::OnPathMinVersion(major, minor) => {
            let program = find_on_path(engine.program)?;
            (cached_version(&program, writable)? >= (major, minor)).then_some(program)
        }
        EngineLocation::OnPathIfProjectHas(file) => {
            find_in_project(file, cwd)?;
            find_on_path(engine.program)
        }
        EngineLocation::InProject => {
            find_in_project(engine.program, cwd).filter(|path| is_executable(path))
        }
        EngineLocation::InEnvDir(variable) => {
            let program = PathBuf::from(env::var_os(variable)?).join(engine.program);
            is_executable(&program).then_some(program)
        }
    }
}

/// Returns the nearest `name` in `cwd` or its ancestors, up to the root of the repository.
fn find_in_project(name: &str, cwd: &Path) -> Option<PathBuf> {
    for folder in cwd.ancestors() {
        let path = folder.join(name);
        if path.exists() {
            return Some(path);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn find_on_path(program: &str) -> Option<PathBuf> {
    static CACHE: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut cache =
        CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = cache.get(program) {
        return Some(path.clone());
    }
    let path = crate::path_candidates(program).find(|path| is_executable(path))?;
    cache.insert(program.to_owned(), path.clone());
    Some(path)
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn cached_version(program: &Path, writable: &WritableByRuns) -> Option<(u32, u32)> {
    static CACHE: OnceLock<Mutex<HashMap<PathBuf, (u32, u32)>>> = OnceLock::new();
    let mut cache =
        CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = cache.get(program) {
        return Some(*version);
    }
    // It is asked without isolation.
    if !is_trusted_program(program, writable) {
        return None;
    }
    let version = parse_version(&version_output(program, writable)?)?;
    cache.insert(program.to_owned(), version);
    Some(version)
}

fn version_output(program: &Path, writable: &WritableByRuns) -> Option<String> {
    let argv = vec![program.to_string_lossy().into_owned(), "--version".to_owned()];
    let mut spec = RunSpec::new(Program::Argv(argv), "/".into());
    spec.timeout = VERSION_TIMEOUT;
    // It may be a script, whose interpreter is looked up.
    spec.env = vec![("PATH".to_owned(), trusted_path(writable))];
    let mut output = CollectOutput::default();
    run_process(&spec, &mut output, &CancelToken::new()).ok()?;
    Some(String::from_utf8_lossy(&output.bytes).into_owned())
}

/// Parses major and minor version from a text like `v22.18.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = text.split('.').map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    });
    Some((numbers.next()??, numbers.next()??))
}

/// Collects the output of a program.
#[derive(Default)]
struct CollectOutput {
    bytes: Vec<u8>,
}

impl Sink for CollectOutput {
    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_version_output() {
        assert_eq!(parse_version("v22.18.0\n"), Some((22, 18)));
        assert_eq!(parse_version("Python 3.12"), Some((3, 12)));
        assert_eq!(parse_version("unknown"), None);
        assert_eq!(parse_version("7"), None);
    }

    #[test]
    fn stops_at_the_repository_root() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("app/src");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(root.path().join("uv.lock"), "").unwrap();
        assert!(find_in_project("uv.lock", &inner).is_some());
        std::fs::create_dir(root.path().join("app/.git")).unwrap();
        assert_eq!(find_in_project("uv.lock", &inner), None);
    }

    #[test]
    fn does_not_cache_missing_programs() {
        assert_eq!(find_on_path("no-such-program-anywhere"), None);
        assert!(find_on_path("sh").is_some());
    }
}
