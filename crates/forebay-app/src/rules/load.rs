//! Reads the rules of every file that counts here: Claude Code's settings, then other hosts' rules.

use std::path::{Path, PathBuf};

use forebay_policy::{List, Mode, Origin, Rules, Trust, Unmatched, Warning};
use serde_json::Value;

use super::settings_file::SettingsFile;
use super::{Circumstances, Place, compile, hosts};
use crate::AppError;

const LOCAL_FILE: &str = ".claude/settings.local.json";

/// One rule and the file it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub origin: Origin,
    pub list: List,
    pub text: String,
    pub file: PathBuf,
}

/// Something the user wrote that does not count as he wrote it. It is told, never dropped in silence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Caution {
    #[error(transparent)]
    Malformed(#[from] Warning),
    #[error("{}: `{text}` {what}", file.display())]
    OtherHost {
        file: PathBuf,
        text: String,
        what: String,
        /// No rule in force stands for it; otherwise a stricter one does.
        is_lost: bool,
    },
}

impl Caution {
    /// Whether no rule in force stands for what was written.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Malformed(_) => true,
            Self::OtherHost { is_lost, .. } => *is_lost,
        }
    }
}

/// The rules in force here.
#[derive(Debug)]
pub struct InForce {
    pub written: Vec<Written>,
    pub rules: Rules,
    pub warnings: Vec<Caution>,
    /// Every file and folder that was looked for, strongest first, and whether it is there.
    pub files: Vec<(Origin, PathBuf, bool)>,
    pub managed_only: bool,
    pub trust: Trust,
    pub directories: Vec<String>,
}

impl InForce {
    /// The circumstances of a call under these rules.
    pub fn circumstances(&self, place: &Place, mode: Option<Mode>) -> Circumstances {
        Circumstances {
            place: place.clone(),
            mode: mode.unwrap_or(Mode::Forebay(Unmatched::Run)),
            trust: self.trust,
            directories: self.directories.clone(),
            allows_loopback: false,
        }
    }
}

/// Reads every settings file of Claude Code and the rules of every other host.
pub fn load(place: &Place) -> Result<InForce, AppError> {
    let mut in_force = load_with(place, &mut Err)?;
    if needs_trust(&in_force.written) {
        in_force.trust = trust(place);
    }
    Ok(in_force)
}

/// What can be read of them, for who must not fail: a file that cannot be read hides no other's deny.
///
/// Who only asks what is denied needs no trust, and does without the host's large memory file.
pub(crate) fn load_readable(place: &Place) -> Result<(InForce, Vec<AppError>), AppError> {
    let mut faults = Vec::new();
    let in_force = load_with(place, &mut |fault| {
        faults.push(fault);
        Ok(())
    })?;
    Ok((in_force, faults))
}

/// What becomes of a file that cannot be read: an error ends the loading.
pub(super) type OnFault<'a> = &'a mut dyn FnMut(AppError) -> Result<(), AppError>;

fn load_with(place: &Place, on_fault: OnFault<'_>) -> Result<InForce, AppError> {
    let mut written = Vec::new();
    let mut files = Vec::new();
    let mut directories = Vec::new();
    let mut managed_only = false;
    for (origin, file) in settings_files(place)? {
        let read = match SettingsFile::read(&file) {
            Ok(read) => read,
            Err(fault) => {
                on_fault(fault)?;
                continue;
            }
        };
        files.push((origin, file.clone(), read.is_some()));
        let Some(settings) = read else { continue };
        managed_only |= origin == Origin::Managed && settings.allow_managed_permission_rules_only;
        written.extend(settings.permissions.rules().map(|(list, text)| Written {
            origin,
            list,
            text: text.to_owned(),
            file: file.clone(),
        }));
        directories.extend(settings.permissions.additional_directories);
    }
    let others = hosts::load(place, on_fault)?;
    written.extend(others.written);
    files.extend(others.files);
    let (rules, malformed) = compile(&written);
    let warnings = malformed.into_iter().map(Caution::from).chain(others.cautions).collect();
    Ok(InForce {
        rules: if managed_only { rules.managed_only() } else { rules },
        warnings,
        files,
        managed_only,
        trust: Trust::Workspace,
        written,
        directories,
    })
}

/// Where rules may stand, strongest first.
fn settings_files(place: &Place) -> Result<Vec<(Origin, PathBuf)>, AppError> {
    let mut files = Vec::new();
    if let Some(folder) = &place.managed {
        files.push((Origin::Managed, folder.join("managed-settings.json")));
        files.extend(dropped_in(folder)?.into_iter().map(|file| (Origin::Managed, file)));
    }
    files.push((Origin::Local, place.root.join(LOCAL_FILE)));
    files.push((Origin::Project, place.root.join(".claude/settings.json")));
    if let Some(home) = &place.home {
        files.push((Origin::User, home.join(".claude/settings.json")));
    }
    Ok(files)
}

/// Managed settings may be spread over a folder.
fn dropped_in(folder: &Path) -> Result<Vec<PathBuf>, AppError> {
    let Ok(entries) = std::fs::read_dir(folder.join("managed-settings.d")) else {
        return Ok(Vec::new());
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.map_err(|error| {
        AppError::bad_input(format!("{}: {error}", folder.display()), "make the folder readable")
    })?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    Ok(paths)
}

/// Only what a project allows itself depends on trust; where it allows nothing, the host's large memory
/// file need not be read.
fn needs_trust(written: &[Written]) -> bool {
    let by_project = |origin| matches!(origin, Origin::Project | Origin::Local);
    written.iter().any(|each| each.list == List::Allow && by_project(each.origin))
}

fn trust(place: &Place) -> Trust {
    match (is_trusted(place), is_tracked(&place.root)) {
        (true, _) => Trust::Workspace,
        (false, false) => Trust::LocalFile,
        (false, true) => Trust::Nothing,
    }
}

/// Whether the host remembers that this folder, or one above it, was trusted.
fn is_trusted(place: &Place) -> bool {
    let memory = place.home.as_ref().and_then(|home| {
        let text = std::fs::read_to_string(home.join(".claude.json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()
    });
    let accepted = |folder: &Path| {
        let project = memory.as_ref()?.get("projects")?.get(folder.to_str()?)?;
        project.get("hasTrustDialogAccepted")?.as_bool()
    };
    place.cwd.ancestors().any(|folder| accepted(folder).unwrap_or_default())
}

/// Whether the local settings stand in git's index. Where that cannot be told, they count as others'.
fn is_tracked(root: &Path) -> bool {
    if !root.join(LOCAL_FILE).is_file() || !root.join(".git").exists() {
        return false;
    }
    match std::fs::read(root.join(".git/index")) {
        Ok(index) => index.windows(LOCAL_FILE.len()).any(|window| window == LOCAL_FILE.as_bytes()),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    impl Stage {
        fn load(&self) -> Result<InForce, AppError> {
            load(&self.place("p"))
        }
    }

    fn texts(in_force: &InForce) -> Vec<String> {
        let line = |each: &Written| format!("{} {} {}", each.origin, each.list.as_str(), each.text);
        in_force.written.iter().map(line).collect()
    }

    #[test]
    fn every_file_is_read_strongest_first() {
        let in_force = Stage::new()
            .file("etc/managed-settings.json", r#"{"permissions":{"deny":["Bash(a)"]}}"#)
            .file("etc/managed-settings.d/10.json", r#"{"permissions":{"ask":["Bash(b)"]}}"#)
            .file("p/.claude/settings.local.json", r#"{"permissions":{"allow":["Bash(c)"]}}"#)
            .file("p/.claude/settings.json", r#"{"model":"x","permissions":{"allow":["Read("]}}"#)
            .file("home/.claude/settings.json", r#"{"permissions":{"deny":["Read(.env)"]}}"#)
            .load()
            .unwrap();
        assert_eq!(
            texts(&in_force),
            [
                "managed deny Bash(a)",
                "managed ask Bash(b)",
                "local allow Bash(c)",
                "project allow Read(",
                "user deny Read(.env)"
            ]
        );
        assert_eq!(
            in_force.warnings[0].to_string(),
            "project rule `Read(` is skipped: its parentheses do not match"
        );
    }

    #[test]
    fn a_file_that_does_not_validate_is_told() {
        for text in [
            "{",
            r#"{"permissions":{"deny":"Bash"}}"#,
            r#"{"permissions":{"deny":[1]}}"#,
            r#"{} {"permissions":{"deny":["Bash"]}}"#,
        ] {
            let error = Stage::new().file("p/.claude/settings.json", text).load().unwrap_err();
            assert!(error.message.contains("settings.json cannot be read"), "{}", error.message);
        }
    }

    #[test]
    fn no_files_are_no_rules() {
        let in_force = Stage::new().load().unwrap();
        assert!(in_force.written.is_empty() && !in_force.managed_only);
    }

    #[test]
    fn trust_is_what_the_host_remembers() {
        let stage = Stage::new();
        let project = stage.folder.path().join("p").display().to_string();
        let memory = format!(r#"{{"projects":{{"{project}":{{"hasTrustDialogAccepted":true}}}}}}"#);
        assert!(stage.file("home/.claude.json", &memory).load().unwrap().trust == Trust::Workspace);
    }
}
