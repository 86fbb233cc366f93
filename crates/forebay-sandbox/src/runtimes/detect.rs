//! Which engine of a language is here.
//!
//! What was found stays found for this process. What was missing is looked for again: somebody may have
//! followed the advice to install it.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use forebay_domain::run::Stream;
use rustix::fs::{Access, access};

use super::{Engine, Place, Runtime};
use crate::run::run_process;
use crate::{Cancel, Program, RunSpec, Sink};

const VERSION_AT_MOST: Duration = Duration::from_secs(5);

/// An engine that is installed, and where.
pub(super) struct Found {
    pub(super) engine: &'static Engine,
    pub(super) program: PathBuf,
}

/// The first engine of a language that is here.
pub(super) fn engine_of(runtime: &Runtime, cwd: &Path) -> Option<Found> {
    runtime.engines.iter().find_map(|engine| {
        let program = program_of(engine, cwd)?;
        Some(Found { engine, program })
    })
}

fn program_of(engine: &Engine, cwd: &Path) -> Option<PathBuf> {
    match engine.place {
        Place::OnPath => on_path(engine.program),
        Place::OnPathSince(major, minor) => {
            let program = on_path(engine.program)?;
            (version_of(&program)? >= (major, minor)).then_some(program)
        }
        Place::OnPathFor(file) => {
            in_project(file, cwd)?;
            on_path(engine.program)
        }
        Place::InProject => in_project(engine.program, cwd).filter(|path| is_executable(path)),
        Place::Below(variable) => {
            let program = PathBuf::from(env::var_os(variable)?).join(engine.program);
            is_executable(&program).then_some(program)
        }
    }
}

/// The nearest `name` above `cwd`, up to the folder of the repository.
fn in_project(name: &str, cwd: &Path) -> Option<PathBuf> {
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

fn on_path(program: &str) -> Option<PathBuf> {
    static FOUND: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut found =
        FOUND.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = found.get(program) {
        return Some(path.clone());
    }
    let path = crate::on_path(program).find(|path| is_executable(path))?;
    found.insert(program.to_owned(), path.clone());
    Some(path)
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn version_of(program: &Path) -> Option<(u32, u32)> {
    static KNOWN: OnceLock<Mutex<HashMap<PathBuf, (u32, u32)>>> = OnceLock::new();
    let mut known =
        KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = known.get(program) {
        return Some(*version);
    }
    let version = version_in(&told_version(program)?)?;
    known.insert(program.to_owned(), version);
    Some(version)
}

fn told_version(program: &Path) -> Option<String> {
    let argv = vec![program.to_string_lossy().into_owned(), "--version".to_owned()];
    let mut spec = RunSpec::new(Program::Argv(argv), "/".into());
    spec.timeout = VERSION_AT_MOST;
    let mut told = Told::default();
    run_process(&spec, &mut told, &Cancel::new()).ok()?;
    Some(String::from_utf8_lossy(&told.bytes).into_owned())
}

/// The first two numbers of `v22.18.0` and the like.
fn version_in(text: &str) -> Option<(u32, u32)> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = text.split('.').map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    });
    Some((numbers.next()??, numbers.next()??))
}

/// Keeps what a program prints.
#[derive(Default)]
struct Told {
    bytes: Vec<u8>,
}

impl Sink for Told {
    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_programs_tell_them() {
        assert_eq!(version_in("v22.18.0\n"), Some((22, 18)));
        assert_eq!(version_in("Python 3.12"), Some((3, 12)));
        assert_eq!(version_in("unknown"), None);
        assert_eq!(version_in("7"), None);
    }

    #[test]
    fn the_project_ends_at_its_repository() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("app/src");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(root.path().join("uv.lock"), "").unwrap();
        assert!(in_project("uv.lock", &inner).is_some());
        std::fs::create_dir(root.path().join("app/.git")).unwrap();
        assert_eq!(in_project("uv.lock", &inner), None);
    }

    #[test]
    fn what_is_missing_is_not_remembered() {
        assert_eq!(on_path("no-such-program-anywhere"), None);
        assert!(on_path("sh").is_some());
    }
}
