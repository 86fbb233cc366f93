//! Loads the rules in force: those of all hosts' rule files, and whether the project is trusted.

use std::path::{Path, PathBuf};

use forebay_platforms::{PLATFORMS, Platform};
use forebay_policy::{List, Mode, Origin, Rules, Trust, Unmatched, Warning};
use forebay_store::control_file;

use super::{Circumstances, Environment, compile, rule_files};
use crate::AppError;

/// A rule and the file that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLine {
    pub origin: Origin,
    pub list: List,
    pub text: String,
    pub file: PathBuf,
}

/// A rule that does not apply as it is written. It is reported, never dropped silently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Caution {
    #[error(transparent)]
    Malformed(#[from] Warning),
    #[error("{}: `{rule}` {message}", file.display())]
    Untranslated {
        file: PathBuf,
        rule: String,
        message: String,
        /// No rule replaces it; otherwise a stricter one does.
        is_skipped: bool,
    },
    /// A rule of the session's start that its file no longer has.
    #[error(
        "`{}` is no longer in {}; it holds until a new session or `forebay rules reload`",
        .0.text, .0.file.display()
    )]
    Held(RuleLine),
}

impl Caution {
    /// Whether no rule replaces it.
    pub fn is_skipped(&self) -> bool {
        match self {
            Self::Malformed(_) => true,
            Self::Held(_) => false,
            Self::Untranslated { is_skipped, .. } => *is_skipped,
        }
    }
}

/// The rules in force here.
#[derive(Debug)]
pub struct InForce {
    pub written: Vec<RuleLine>,
    pub rules: Rules,
    pub warnings: Vec<Caution>,
    /// Every file and folder that was looked for, strongest first, and whether it exists.
    pub files: Vec<(Origin, PathBuf, bool)>,
    pub managed_only: bool,
    pub trust: Trust,
    pub directories: Vec<String>,
}

impl InForce {
    /// The rule, if its file no longer has it and it holds since the start of the session.
    pub(crate) fn held(&self, origin: Origin, text: &str) -> Option<&Caution> {
        self.warnings.iter().find(|warning| {
            matches!(warning, Caution::Held(line) if line.origin == origin && line.text == text)
        })
    }

    /// The circumstances of a call under these rules.
    pub fn circumstances(&self, environment: &Environment, mode: Option<Mode>) -> Circumstances {
        Circumstances {
            environment: environment.clone(),
            mode: mode.unwrap_or(Mode::Forebay(Unmatched::Run)),
            trust: self.trust,
            directories: self.directories.clone(),
            allows_loopback: false,
        }
    }
}

/// Loads the rules of every host; a file that cannot be read is an error.
pub fn load(environment: &Environment) -> Result<InForce, AppError> {
    let mut in_force = load_with(environment, &mut Err)?;
    if needs_trust(&in_force.written) {
        in_force.trust = trust(environment);
    }
    Ok(in_force)
}

/// Loads the rules of all readable files, for callers that must not fail, and returns the errors.
///
/// Trust is not determined: it concerns allow rules only.
pub(crate) fn load_readable(
    environment: &Environment,
) -> Result<(InForce, Vec<AppError>), AppError> {
    let mut errors = Vec::new();
    let in_force = load_with(environment, &mut |error| {
        errors.push(error);
        Ok(())
    })?;
    Ok((in_force, errors))
}

/// Called for a file that cannot be read; an error ends the loading.
pub(super) type OnError<'a> = &'a mut dyn FnMut(AppError) -> Result<(), AppError>;

fn load_with(environment: &Environment, on_error: OnError<'_>) -> Result<InForce, AppError> {
    let files = rule_files::read_all(environment, on_error)?;
    let (rules, malformed) = compile(&files.written);
    let warnings = malformed.into_iter().map(Caution::from).chain(files.cautions).collect();
    Ok(InForce {
        rules: if files.is_managed_only { rules.managed_only() } else { rules },
        warnings,
        files: files.files,
        managed_only: files.is_managed_only,
        trust: Trust::Workspace,
        written: files.written,
        directories: files.directories,
    })
}

/// Whether any rule depends on trust: only allow rules of the project do. Otherwise the host's record of
/// trusted workspaces, a large file, is not read.
fn needs_trust(written: &[RuleLine]) -> bool {
    let by_project = |origin| matches!(origin, Origin::Project | Origin::Local);
    written.iter().any(|each| each.list == List::Allow && by_project(each.origin))
}

/// The host whose record of trusted workspaces decides on a project's allow rules.
pub fn trust_host() -> Option<&'static Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.trust.is_some())
}

fn trust(environment: &Environment) -> Trust {
    match (is_trusted(environment), has_tracked_local_file(&environment.root)) {
        (true, _) => Trust::Workspace,
        (false, false) => Trust::LocalFile,
        (false, true) => Trust::Nothing,
    }
}

/// Whether the host records that the user trusts the working directory or a folder above it.
fn is_trusted(environment: &Environment) -> bool {
    let trusted = || -> Option<Vec<String>> {
        let file = trust_host()?.trust?;
        let text = control_file::read_state(&environment.home.as_ref()?.join(file.path)).ok()??;
        Some((file.folders)(&text))
    };
    let trusted = trusted().unwrap_or_default();
    environment.cwd.ancestors().any(|folder| trusted.iter().any(|one| Path::new(one) == folder))
}

/// Whether a local rule file is in git's index. If that cannot be determined, it counts as tracked.
fn has_tracked_local_file(root: &Path) -> bool {
    let mut files = rule_files::sources(Origin::Local).map(|source| source.path);
    files.any(|file| root.join(file).is_file() && is_tracked(root, file))
}

fn is_tracked(root: &Path, file: &str) -> bool {
    if !root.join(".git").exists() {
        return false;
    }
    match control_file::read_state_bytes(&root.join(".git/index")) {
        Ok(Some(index)) => index.windows(file.len()).any(|window| window == file.as_bytes()),
        Ok(None) => false,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_env::TestEnv;
    use super::*;

    impl TestEnv {
        fn load(&self) -> Result<InForce, AppError> {
            load(&self.environment("p"))
        }
    }

    fn texts(in_force: &InForce) -> Vec<String> {
        let line =
            |each: &RuleLine| format!("{} {} {}", each.origin, each.list.as_str(), each.text);
        in_force.written.iter().map(line).collect()
    }

    #[test]
    fn reads_files_strongest_first() {
        let in_force = TestEnv::new()
            .file(
                "etc/claude-code/managed-settings.json",
                r#"{"permissions":{"deny":["Bash(a)"]}}"#,
            )
            .file(
                "etc/claude-code/managed-settings.d/10.json",
                r#"{"permissions":{"ask":["Bash(b)"]}}"#,
            )
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
    fn malformed_file_is_an_error() {
        for text in [
            "{",
            r#"{"permissions":{"deny":"Bash"}}"#,
            r#"{"permissions":{"deny":[1]}}"#,
            r#"{} {"permissions":{"deny":["Bash"]}}"#,
        ] {
            let error = TestEnv::new().file("p/.claude/settings.json", text).load().unwrap_err();
            assert!(error.message.contains("settings.json cannot be read"), "{}", error.message);
        }
    }

    #[test]
    fn no_files_mean_no_rules() {
        let in_force = TestEnv::new().load().unwrap();
        assert!(in_force.written.is_empty() && !in_force.managed_only);
    }

    #[test]
    fn trust_comes_from_the_host() {
        let stage = TestEnv::new();
        let project = stage.folder.path().join("p").display().to_string();
        let memory = format!(r#"{{"projects":{{"{project}":{{"hasTrustDialogAccepted":true}}}}}}"#);
        assert!(stage.file("home/.claude.json", &memory).load().unwrap().trust == Trust::Workspace);
    }
}
