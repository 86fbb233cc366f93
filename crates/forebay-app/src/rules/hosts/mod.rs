//! Permission rules that were written for other hosts than Claude Code.
//!
//! They hold for everything Forebay runs, whichever client is calling: a deny is a deny, wherever the
//! user wrote it down. What other hosts deny or ask about always counts; what they allow counts as an
//! allow of the user's or of the project's, by where the file lies, and never takes a deny back. A file
//! that cannot be read is an error, as Claude Code's own settings are; a single rule that cannot is told
//! and skipped.
//!
//! A host is one file here, with a table of where its rules lie and functions that read them, and one
//! word in the list below. Left out:
//! - GitHub Copilot CLI takes rules on its command line only; the file it keeps (`permissions-config.json`)
//!   is a memory of approvals without a documented form;
//! - Factory's Droid has `permissionRules`, and older lists, in `.factory/settings.json`; the form of a rule
//!   could not be confirmed;
//! - rules that administrators set for other hosts in system folders.

mod codex;
mod cursor;
mod gemini;
mod glob;
mod jsonc;
mod opencode;
mod ordered;
mod qwen;
mod reading;
mod spell;
mod starlark;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use forebay_policy::Origin;

use self::reading::{Holds, Lies, Scene, Source};
use super::load::{Caution, OnFault, Written};
use super::{Place, settings_file};
use crate::AppError;

/// Locations of the rules of every host.
static HOSTS: &[&[Source]] =
    &[codex::SOURCES, cursor::SOURCES, gemini::SOURCES, opencode::SOURCES, qwen::SOURCES];

/// What all other hosts' files say.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) written: Vec<Written>,
    pub(super) cautions: Vec<Caution>,
    /// Every file and folder that was looked for, and whether it is there.
    pub(super) files: Vec<(Origin, PathBuf, bool)>,
}

/// Reads the rules of every other host.
pub(super) fn load(place: &Place, on_fault: OnFault<'_>) -> Result<Found, AppError> {
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    for (origin, only) in [(Origin::Project, true), (Origin::User, false)] {
        let scene = Scene { origin, roots: spellings(&place.root) };
        let sources = HOSTS.iter().copied().flatten();
        for source in sources.filter(|source| matches!(source.lies, Lies::Project) == only) {
            for path in source.paths(place) {
                // A home that is a project of its own has one file in both roles.
                if seen.insert(path.clone())
                    && let Err(fault) = found.look_at(source, path, &scene)
                {
                    on_fault(fault)?;
                }
            }
        }
    }
    Ok(found)
}

impl Source {
    /// A project's rules may lie in any folder from the one at hand up to the root.
    fn paths(&self, place: &Place) -> Vec<PathBuf> {
        match self.lies {
            Lies::User { variable, otherwise } => {
                let moved = (place.variable)(variable).filter(|folder| folder.is_absolute());
                let folder = moved.or_else(|| Some(place.home.as_ref()?.join(otherwise)));
                folder.map(|folder| folder.join(self.path)).into_iter().collect()
            }
            Lies::Project => {
                let inside = place.cwd.ancestors().take_while(|f| f.starts_with(&place.root));
                let mut folders: Vec<&Path> = inside.collect();
                if folders.last() != Some(&place.root.as_path()) {
                    folders.push(&place.root);
                }
                folders.iter().rev().map(|folder| folder.join(self.path)).collect()
            }
        }
    }
}

impl Found {
    fn look_at(&mut self, source: &Source, path: PathBuf, scene: &Scene) -> Result<(), AppError> {
        match source.holds {
            Holds::File => self.read(source, path, scene),
            Holds::Folder(ending) => {
                let files = files_in(&path, ending)?;
                // The folder itself changes when a file is added to it.
                self.files.push((scene.origin, path, files.is_some()));
                let mut files = files.into_iter().flatten();
                files.try_for_each(|file| self.read(source, file, scene))
            }
        }
    }

    fn read(&mut self, source: &Source, file: PathBuf, scene: &Scene) -> Result<(), AppError> {
        let text = settings_file::text_of(&file)?;
        self.files.push((scene.origin, file.clone(), text.is_some()));
        let Some(text) = text else { return Ok(()) };
        let reading =
            (source.read)(&text, scene).map_err(|why| settings_file::invalid(&file, &why))?;
        self.written.extend(reading.rows.into_iter().map(|(list, text)| Written {
            origin: scene.origin,
            list,
            text,
            file: file.clone(),
        }));
        self.cautions.extend(reading.notes.into_iter().map(|note| Caution::OtherHost {
            file: file.clone(),
            text: note.text,
            what: note.what,
            is_lost: note.is_lost,
        }));
        Ok(())
    }
}

/// The files of a folder that have an ending; `None` without a folder.
fn files_in(folder: &Path, ending: &str) -> Result<Option<Vec<PathBuf>>, AppError> {
    let failed = |error: std::io::Error| settings_file::invalid(folder, &error.to_string());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == ending) && !path.is_dir());
    paths.sort();
    Ok(Some(paths))
}

/// A folder as it is named and as links make it.
fn spellings(folder: &Path) -> Vec<String> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut spellings: Vec<String> =
        [folder, &real].iter().map(|path| path.to_string_lossy().into_owned()).collect();
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use forebay_policy::{Decision, Mode, Rules, Trust, Unmatched};
    use proptest::prelude::*;

    use super::reading::Reading;
    use super::*;
    use crate::rules::stage::Stage;
    use crate::rules::{Circumstances, Input, decide};

    fn decision(reading: &Reading, command: &str) -> Decision {
        let rows = reading.rows.iter().map(|(list, text)| (Origin::Project, *list, text.as_str()));
        let (rules, warnings) = Rules::compile(rows);
        assert!(warnings.is_empty(), "{warnings:?}");
        let around = Circumstances {
            place: Place {
                cwd: "/p".into(),
                root: "/p".into(),
                home: Some("/h".into()),
                managed: None,
                variable: |_| None,
            },
            mode: Mode::Forebay(Unmatched::Run),
            trust: Trust::Workspace,
            directories: Vec::new(),
            allows_loopback: false,
        };
        let input = Input { main: command.to_owned(), ..Input::default() };
        decide("Bash", &input, &rules, &around).decision
    }

    #[track_caller]
    pub(super) fn denies(reading: &Reading, command: &str) {
        assert_eq!(decision(reading, command), Decision::Deny, "{command}: {:?}", reading.rows);
    }

    #[track_caller]
    pub(super) fn asks(reading: &Reading, command: &str) {
        assert_eq!(decision(reading, command), Decision::Ask, "{command}: {:?}", reading.rows);
    }

    #[track_caller]
    pub(super) fn allows(reading: &Reading, command: &str) {
        assert_eq!(decision(reading, command), Decision::Allow, "{command}: {:?}", reading.rows);
    }

    impl Stage {
        fn found(&self) -> Result<Found, AppError> {
            load(&self.place("p/deep"), &mut Err)
        }

        fn lines(&self) -> Vec<String> {
            let root = self.folder.path().canonicalize().unwrap();
            let name = |file: &Path| {
                let real = file.canonicalize().unwrap();
                real.strip_prefix(&root).unwrap().display().to_string()
            };
            let found = self.found().unwrap();
            let line = |each: &Written| {
                format!("{} {} {} {}", each.origin, each.list.as_str(), each.text, name(&each.file))
            };
            found.written.iter().map(line).collect()
        }
    }

    #[test]
    fn files_of_the_project_and_the_user_are_read() {
        let stage = Stage::new()
            .file("p/.codex/rules/b.rules", "prefix_rule(['b'], 'forbidden')")
            .file("p/.codex/rules/a.rules", "prefix_rule(['a'], 'forbidden')")
            .file("p/.codex/rules/notes.txt", "not (rules")
            .file("p/deep/opencode.json", r#"{"permission": {"bash": {"c *": "deny"}}}"#)
            .file("home/.config/opencode/opencode.jsonc", r#"{"permission": {"bash": "ask"}} // d"#)
            .file("home/.cursor/cli-config.json", r#"{"permissions": {"deny": ["Shell(e)"]}}"#)
            .file("home/.gemini/settings.json", r#"{"excludeTools": ["run_shell_command(f)"]}"#)
            .file("home/.qwen/settings.json", r#"{"permissions": {"allow": ["Bash(g)"]}}"#);
        assert_eq!(
            stage.lines(),
            [
                "project deny Bash(a:*) p/.codex/rules/a.rules",
                "project deny Bash(b:*) p/.codex/rules/b.rules",
                "project deny Bash(c *) p/deep/opencode.json",
                "user deny Bash(e:*) home/.cursor/cli-config.json",
                "user deny Bash(f:*) home/.gemini/settings.json",
                "user ask Bash home/.config/opencode/opencode.jsonc",
                "user allow Bash(g:*) home/.qwen/settings.json",
            ]
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        for (name, text) in [
            ("p/.codex/rules/a.rules", "prefix_rule("),
            ("home/.gemini/policies/a.toml", "[[rule"),
            ("p/opencode.json", "{"),
            ("home/.cursor/cli-config.json", "[]"),
            ("p/.qwen/settings.json", "{\"permissions\": 1}"),
        ] {
            let error = Stage::new().file(name, text).found().unwrap_err();
            let file = name.rsplit('/').next().unwrap();
            assert!(
                error.message.contains(file) && error.message.contains("cannot be read"),
                "{name}"
            );
        }
    }

    #[test]
    fn folders_and_absent_files_are_named_too() {
        let found = Stage::new().file("p/.codex/rules/a.rules", "").found().unwrap();
        let is_there = |end: &str| found.files.iter().find(|file| file.1.ends_with(end)).unwrap().2;
        assert!(is_there("p/.codex/rules") && is_there("p/.codex/rules/a.rules"));
        assert!(!is_there("home/.codex/rules") && !is_there("p/opencode.json"));
    }

    #[test]
    fn a_variable_of_the_host_moves_its_folder() {
        let place = Place {
            cwd: "/p".into(),
            root: "/p".into(),
            home: Some("/h".into()),
            managed: None,
            variable: |name| (name == "CODEX_HOME").then(|| "/elsewhere".into()),
        };
        let paths: Vec<PathBuf> =
            codex::SOURCES.iter().flat_map(|source| source.paths(&place)).collect();
        assert_eq!(paths, [Path::new("/p/.codex/rules"), Path::new("/elsewhere/rules")]);
    }

    fn all_readers() -> impl Iterator<Item = &'static Source> {
        HOSTS.iter().copied().flatten()
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = String::from_utf8_lossy(&bytes);
            for source in all_readers() {
                let _ = (source.read)(&text, &Scene::user());
            }
        }

        /// Patterns and rules of any text inside of a file that is in order.
        #[test]
        fn any_rule_text_is_read_or_told(rule in "(?s).{0,30}", pattern in r"[*?/.~a\\(\[: ]{0,12}") {
            let quoted = serde_json::to_string(&rule).unwrap();
            let wild = serde_json::to_string(&pattern).unwrap();
            let words = format!("[{quoted}, {wild}]");
            let texts = [
                format!(r#"{{"permissions": {{"deny": {words}, "allow": {words}}}, "tools": {{"exclude": {words}}}}}"#),
                format!(r#"{{"permission": {{"bash": {{{wild}: "deny", {quoted}: "allow"}}, "read": {{{wild}: "deny"}}, "webfetch": {{{wild}: "ask"}}}}}}"#),
                format!("prefix_rule(pattern = {words}, decision = 'forbidden')"),
                format!("[[rule]]\ntoolName = 'run_shell_command'\ncommandPrefix = {words}\ndecision = 'deny'\npriority = 1"),
            ];
            for source in all_readers() {
                for text in &texts {
                    if let Ok(reading) = (source.read)(text, &Scene::project()) {
                        Rules::compile(reading.rows.iter().map(|(list, text)| (Origin::User, *list, &**text)));
                    }
                }
            }
        }
    }
}
