//! The languages that code can be written in, one file each.
//!
//! - `runtime`: the description of a language;
//! - `detect`: finds the installed engine of a language;
//! - `staging`: the private directory of a run, and the arguments of its engine;
//! - `binary_cache`: the cache of compiled programs;
//! - `launch`: runs code, from staging to the result.
//!
//! A new language is a new file and an element of [`RUNTIMES`].

mod binary_cache;
mod c;
mod cpp;
mod csharp;
mod detect;
mod elixir;
mod go;
mod java;
mod javascript;
mod julia;
mod kotlin;
mod launch;
mod lua;
mod nushell;
mod perl;
mod php;
mod python;
mod r;
mod ruby;
mod runtime;
mod rust;
mod shell;
mod staging;
mod swift;
mod typescript;

use std::path::Path;

use crate::WritableByRuns;
pub(crate) use launch::run;
pub use runtime::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

/// All languages, in the order of the documentation.
pub static RUNTIMES: &[&Runtime] = &[
    &shell::SHELL,
    &shell::BASH,
    &shell::SH,
    &shell::ZSH,
    &shell::FISH,
    &shell::POWERSHELL,
    &nushell::NUSHELL,
    &python::PYTHON,
    &javascript::JAVASCRIPT,
    &typescript::TYPESCRIPT,
    &ruby::RUBY,
    &perl::PERL,
    &php::PHP,
    &lua::LUA,
    &r::R,
    &julia::JULIA,
    &elixir::ELIXIR,
    &go::GO,
    &rust::RUST,
    &c::C,
    &cpp::CPP,
    &java::JAVA,
    &kotlin::KOTLIN,
    &csharp::CSHARP,
    &swift::SWIFT,
];

/// Returns the language with this name or alias, ignoring case.
pub fn find(name: &str) -> Option<&'static Runtime> {
    RUNTIMES.iter().copied().find(|runtime| runtime.has_name(name))
}

impl Runtime {
    /// Whether an engine is installed for a project at `cwd`.
    pub fn is_installed(&self, cwd: &Path, writable: &WritableByRuns) -> bool {
        detect::find_engine(self, cwd, writable).is_some()
    }

    /// Returns the name of the program that runs the language for a project at `cwd`.
    pub fn program(&self, cwd: &Path, writable: &WritableByRuns) -> Option<String> {
        let found = detect::find_engine(self, cwd, writable)?;
        Some(found.program.file_name()?.to_string_lossy().into_owned())
    }

    fn has_name(&self, name: &str) -> bool {
        let names = std::iter::once(&self.name).chain(self.aliases);
        names.into_iter().any(|own| own.eq_ignore_ascii_case(name.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lowercase() {
        let names: Vec<&str> = RUNTIMES
            .iter()
            .flat_map(|runtime| {
                std::iter::once(runtime.name).chain(runtime.aliases.iter().copied())
            })
            .collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{name}");
            assert_eq!(*name, name.to_lowercase());
        }
    }

    #[test]
    fn finds_names_in_any_case() {
        assert_eq!(find(" JS ").map(|runtime| runtime.name), Some("javascript"));
        assert_eq!(find("C#").map(|runtime| runtime.name), Some("csharp"));
        assert_eq!(find("cobol"), None);
    }

    #[test]
    fn first_line_preludes_have_no_line_break() {
        for engine in RUNTIMES.iter().flat_map(|runtime| runtime.engines) {
            if let Prelude::FirstLine(text) = engine.prelude {
                assert!(!text.contains('\n'), "{text}");
            }
        }
    }

    #[test]
    fn every_runtime_has_engines_and_install_advice() {
        for runtime in RUNTIMES {
            assert!(!runtime.install.is_empty() && !runtime.engines.is_empty(), "{}", runtime.name);
            assert!(!runtime.extension.starts_with('.'), "{}", runtime.name);
        }
    }
}
