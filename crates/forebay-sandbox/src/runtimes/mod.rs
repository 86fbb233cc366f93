//! The languages code can be written in: one file each, one row each.
//!
//! - `row`: what a row says;
//! - `detect`: which engine of a language is here, looked up when first asked for;
//! - `stage`: the private folder of a run, and the words that start its engine;
//! - `compiled`: programs that were compiled before;
//! - `launch`: one run of code, from the stage to the result.
//!
//! A new language is a new file with its row, and one word in the list below.

mod c;
mod compiled;
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
mod row;
mod ruby;
mod rust;
mod shell;
mod stage;
mod swift;
mod typescript;

use std::path::Path;

pub(crate) use launch::run;
pub use row::{Engine, Load, Offer, Place, Runtime, Setup, Start};

/// Every language, in the order in which they are listed.
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

/// The language of a name or an alias, in whatever case.
pub fn find(name: &str) -> Option<&'static Runtime> {
    RUNTIMES.iter().copied().find(|runtime| runtime.is_called(name))
}

impl Runtime {
    /// Whether the language can be run here, for a project at `cwd`.
    pub fn is_installed(&self, cwd: &Path) -> bool {
        detect::engine_of(self, cwd).is_some()
    }

    /// The name of the program that runs the language here.
    pub fn program(&self, cwd: &Path) -> Option<String> {
        let found = detect::engine_of(self, cwd)?;
        Some(found.program.file_name()?.to_string_lossy().into_owned())
    }

    fn is_called(&self, name: &str) -> bool {
        let names = std::iter::once(&self.name).chain(self.aliases);
        names.into_iter().any(|own| own.eq_ignore_ascii_case(name.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_language() {
        let names: Vec<&str> = RUNTIMES
            .iter()
            .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()))
            .collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{name}");
            assert_eq!(*name, name.to_lowercase());
        }
    }

    #[test]
    fn names_are_taken_in_any_case() {
        assert_eq!(find(" JS ").map(|row| row.name), Some("javascript"));
        assert_eq!(find("C#").map(|row| row.name), Some("csharp"));
        assert_eq!(find("cobol"), None);
    }

    #[test]
    fn first_line_texts_stay_on_the_first_line() {
        for engine in RUNTIMES.iter().flat_map(|row| row.engines) {
            if let Offer::FirstLine(text) = engine.offer {
                assert!(!text.contains('\n'), "{text}");
            }
        }
    }

    #[test]
    fn every_row_says_how_to_install_it() {
        for row in RUNTIMES {
            assert!(!row.install.is_empty() && !row.engines.is_empty(), "{}", row.name);
            assert!(!row.extension.starts_with('.'), "{}", row.name);
        }
    }
}
