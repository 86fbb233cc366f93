//! Reads the files in which hosts keep permission rules.
//!
//! The platforms' tables say where the files are and how they are parsed. A file that cannot be read or
//! parsed is an error: continuing with fewer rules would be worse. A single rule that cannot be translated
//! is reported and skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forebay_platforms::folders::BaseDir;
use forebay_platforms::permissions::{ParseContext, RuleFolder, RuleSource, SourceKind};
use forebay_platforms::{PLATFORMS, Platform};
use forebay_policy::Origin;
use forebay_store::control_file::{self, is_missing};

use super::Environment;
use super::load::{Caution, OnError, RuleLine};
use crate::AppError;

/// Origins of rule files, strongest first.
const ORIGINS: [Origin; 4] = [Origin::Managed, Origin::Local, Origin::Project, Origin::User];

/// The content of all rule files.
#[derive(Debug, Default)]
pub(super) struct RuleFiles {
    pub(super) written: Vec<RuleLine>,
    pub(super) cautions: Vec<Caution>,
    /// Every file and folder that was looked for, strongest first, and whether it exists.
    pub(super) files: Vec<(Origin, PathBuf, bool)>,
    pub(super) directories: Vec<String>,
    pub(super) is_managed_only: bool,
}

/// Reads the rule files of every host.
pub(super) fn read_all(
    environment: &Environment,
    on_error: OnError<'_>,
) -> Result<RuleFiles, AppError> {
    let mut files = RuleFiles::default();
    let mut project_files = BTreeSet::new();
    for origin in ORIGINS {
        let context = ParseContext { origin, roots: spellings(&environment.root) };
        for source in sources(origin) {
            for path in paths(source, environment) {
                // If the home folder is a project, its files count as the project's.
                let is_known = match source.folder {
                    RuleFolder::Project => !project_files.insert(path.clone()),
                    _ => project_files.contains(&path),
                };
                if !is_known && let Err(error) = files.read_source(source, path, &context) {
                    on_error(error)?;
                }
            }
        }
    }
    Ok(files)
}

/// The sources of this origin, of all hosts.
pub(super) fn sources(origin: Origin) -> impl Iterator<Item = &'static RuleSource> {
    let all = PLATFORMS.iter().flat_map(|platform| platform.permissions);
    all.filter(move |source| source.folder.origin() == origin)
}

/// The files in which a host keeps permission rules, whether they exist or not.
pub(super) fn of_host(platform: &Platform, environment: &Environment) -> Vec<(Origin, PathBuf)> {
    let files = platform.permissions.iter().flat_map(|source| {
        let listed = |path: PathBuf| match source.kind {
            SourceKind::File => vec![path],
            SourceKind::Folder(extension) => {
                files_in(&path, extension).ok().flatten().unwrap_or_default()
            }
        };
        let origin = source.folder.origin();
        let files = paths(source, environment).into_iter().flat_map(listed);
        files.map(move |file| (origin, file)).collect::<Vec<_>>()
    });
    files.collect()
}

fn paths(source: &RuleSource, environment: &Environment) -> Vec<PathBuf> {
    folders(source.folder, environment).iter().map(|folder| folder.join(source.path)).collect()
}

fn folders(folder: RuleFolder, environment: &Environment) -> Vec<PathBuf> {
    match folder {
        RuleFolder::Managed { linux, macos } => {
            let folder = if cfg!(target_os = "macos") { macos } else { linux };
            let root = environment.system_root.iter();
            root.map(|root| root.join(folder.trim_start_matches('/'))).collect()
        }
        RuleFolder::Local | RuleFolder::ProjectRoot => vec![environment.root.clone()],
        RuleFolder::Project => {
            let inside =
                environment.cwd.ancestors().take_while(|f| f.starts_with(&environment.root));
            let mut folders: Vec<PathBuf> = inside.map(Path::to_owned).collect();
            if folders.last() != Some(&environment.root) {
                folders.push(environment.root.clone());
            }
            folders.reverse();
            folders
        }
        RuleFolder::User(base) => user_folder(base, environment).into_iter().collect(),
    }
}

/// A folder of the user; a variable counts only if it names an absolute path.
fn user_folder(base: BaseDir, environment: &Environment) -> Option<PathBuf> {
    let home = || environment.home.clone();
    match base {
        BaseDir::EnvOr(variable, default) => {
            let moved = (environment.variable)(variable).filter(|folder| folder.is_absolute());
            moved.or_else(|| Some(home()?.join(default)))
        }
        _ => home(),
    }
}

impl RuleFiles {
    fn read_source(
        &mut self,
        source: &RuleSource,
        path: PathBuf,
        context: &ParseContext,
    ) -> Result<(), AppError> {
        match source.kind {
            SourceKind::File => self.read_file(source, path, context),
            SourceKind::Folder(extension) => {
                let files = files_in(&path, extension)?;
                // The folder is listed because it changes when a file is added to it.
                self.files.push((context.origin, path, files.is_some()));
                let mut files = files.into_iter().flatten();
                files.try_for_each(|file| self.read_file(source, file, context))
            }
        }
    }

    fn read_file(
        &mut self,
        source: &RuleSource,
        file: PathBuf,
        context: &ParseContext,
    ) -> Result<(), AppError> {
        let text = read_text(&file)?;
        self.files.push((context.origin, file.clone(), text.is_some()));
        let Some(text) = text else { return Ok(()) };
        let parsed = (source.parse)(&text, context).map_err(|reason| invalid(&file, &reason))?;
        self.is_managed_only |= context.origin == Origin::Managed && parsed.is_managed_only;
        self.directories.extend(parsed.directories);
        self.written.extend(parsed.rules.into_iter().map(|(list, text)| RuleLine {
            origin: context.origin,
            list,
            text,
            file: file.clone(),
        }));
        self.cautions.extend(parsed.diagnostics.into_iter().map(|each| Caution::Untranslated {
            file: file.clone(),
            rule: each.rule,
            message: each.message,
            is_skipped: each.is_skipped,
        }));
        Ok(())
    }
}

/// The text of a file; `None` if it does not exist.
fn read_text(path: &Path) -> Result<Option<String>, AppError> {
    control_file::read(path).map_err(|error| invalid(path, &error.to_string()))
}

fn invalid(path: &Path, reason: &str) -> AppError {
    AppError::bad_input(
        format!("the permission rules of {} cannot be read: {reason}", path.display()),
        "fix the file; Forebay does not apply only some of the rules",
    )
}

/// The files with an extension in a folder; `None` if it does not exist.
fn files_in(folder: &Path, extension: &str) -> Result<Option<Vec<PathBuf>>, AppError> {
    let failed = |error: std::io::Error| invalid(folder, &error.to_string());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension) && !path.is_dir());
    paths.sort();
    Ok(Some(paths))
}

/// A folder as given, and with symbolic links resolved.
fn spellings(folder: &Path) -> Vec<String> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut spellings: Vec<String> =
        [folder, &real].iter().map(|path| path.to_string_lossy().into_owned()).collect();
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test_env::TestEnv;

    impl TestEnv {
        fn rule_files(&self) -> Result<RuleFiles, AppError> {
            read_all(&self.environment("p/deep"), &mut Err)
        }

        fn lines(&self) -> Vec<String> {
            let root = self.folder.path().canonicalize().unwrap();
            let name = |file: &Path| {
                let real = file.canonicalize().unwrap();
                real.strip_prefix(&root).unwrap().display().to_string()
            };
            let found = self.rule_files().unwrap();
            let line = |each: &RuleLine| {
                format!("{} {} {} {}", each.origin, each.list.as_str(), each.text, name(&each.file))
            };
            found.written.iter().map(line).collect()
        }
    }

    #[test]
    fn reads_files_of_the_project_and_the_user() {
        let stage = TestEnv::new()
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
                "user deny Bash(f:*) home/.gemini/settings.json",
                "user ask Bash home/.config/opencode/opencode.jsonc",
                "user deny Bash(e:*) home/.cursor/cli-config.json",
                "user allow Bash(g:*) home/.qwen/settings.json",
            ]
        );
    }

    #[test]
    fn malformed_file_is_an_error() {
        for (name, text) in [
            ("p/.codex/rules/a.rules", "prefix_rule("),
            ("home/.gemini/policies/a.toml", "[[rule"),
            ("p/opencode.json", "{"),
            ("home/.cursor/cli-config.json", "[]"),
            ("p/.qwen/settings.json", "{\"permissions\": 1}"),
        ] {
            let error = TestEnv::new().file(name, text).rule_files().unwrap_err();
            let file = name.rsplit('/').next().unwrap();
            assert!(
                error.message.contains(file) && error.message.contains("cannot be read"),
                "{name}"
            );
        }
    }

    #[test]
    fn lists_folders_and_missing_files() {
        let found = TestEnv::new().file("p/.codex/rules/a.rules", "").rule_files().unwrap();
        let is_there = |end: &str| found.files.iter().find(|file| file.1.ends_with(end)).unwrap().2;
        assert!(is_there("p/.codex/rules") && is_there("p/.codex/rules/a.rules"));
        assert!(!is_there("home/.codex/rules") && !is_there("p/opencode.json"));
    }

    #[test]
    fn variable_of_the_host_moves_its_folder() {
        let environment = Environment {
            cwd: "/p".into(),
            root: "/p".into(),
            home: Some("/h".into()),
            system_root: None,
            variable: |name| (name == "CODEX_HOME").then(|| "/elsewhere".into()),
        };
        let codex = forebay_platforms::find("codex").unwrap();
        let paths: Vec<PathBuf> =
            codex.permissions.iter().flat_map(|source| paths(source, &environment)).collect();
        assert_eq!(paths, [Path::new("/p/.codex/rules"), Path::new("/elsewhere/rules")]);
    }
}
