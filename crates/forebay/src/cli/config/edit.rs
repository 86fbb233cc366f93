//! `forebay config edit`: opens a settings file in the user's editor and checks the result.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::{AppError, Reply, settings};
use forebay_sandbox::run_in_foreground;

use super::get_set::{SettingsLevel, read, write};
use crate::cli::terminal::{self, Failure};
use crate::cli::{Common, project_root, settings_files};
use crate::config::{Config, ConfigError, SettingsFiles, environment};

/// Every system has it.
const DEFAULT_EDITOR: &str = "vi";

/// Edit a settings file with $VISUAL or $EDITOR
///
/// The file is replaced only if the edited text is valid.
#[derive(Debug, Args)]
pub(super) struct Edit {
    #[command(flatten)]
    level: SettingsLevel,
}

impl Edit {
    pub(super) fn run(&self, common: &Common) -> Result<ExitCode, Failure> {
        let files = settings_files(&project_root(&common.working_folder()?));
        let path = self.level.file(&files)?;
        let editor = editor(&path)?;
        let before = read(&path)?;
        let start = if before.is_empty() { template() } else { before };
        let draft = Draft::new(&start)?;
        let after = draft.edit(&editor, &files, &path)?;
        if after == start {
            terminal::print_plain("nothing was changed\n")?;
        } else {
            write(&path, &after)?;
            terminal::print_plain(&format!("{} was written\n", path.display()))?;
        }
        draft.remove();
        Ok(ExitCode::SUCCESS)
    }
}

/// The text while it is edited. It outlives an error, so that no work is lost.
struct Draft {
    path: PathBuf,
}

impl Draft {
    fn new(text: &str) -> io::Result<Self> {
        let file =
            tempfile::Builder::new().prefix("forebay-settings-").suffix(".toml").tempfile()?;
        let (_, path) = file.keep().map_err(|error| error.error)?;
        fs::write(&path, text)?;
        Ok(Self { path })
    }

    /// Lets the user edit until the text is valid, and returns it.
    fn edit(&self, editor: &str, files: &SettingsFiles, target: &Path) -> Result<String, Failure> {
        loop {
            self.open(editor)?;
            let text = fs::read_to_string(&self.path)?;
            match Config::check_file(files, target, &self.path, &text) {
                Ok(()) => return Ok(text),
                Err(error) => self.ask_again(&error, target)?,
            }
        }
    }

    fn open(&self, editor: &str) -> Result<(), Failure> {
        let status = run_in_foreground(editor, self.path.as_os_str())?;
        if status.success() {
            return Ok(());
        }
        self.remove();
        Err(AppError::unavailable(
            format!("the editor `{editor}` failed ({status}); the settings are unchanged"),
            Some("set VISUAL or EDITOR to an editor"),
        )
        .into())
    }

    fn ask_again(&self, error: &ConfigError, target: &Path) -> Result<(), Failure> {
        if terminal::ask(&format!("{error}\n{}\nEdit again?", error.hint())) == Reply::Yes {
            return Ok(());
        }
        let message = format!("{error}; {} is unchanged, your text is kept", target.display());
        Err(AppError::bad_input(message, error.hint()).into())
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The user's editor. The default one needs a terminal; a chosen one may work without.
fn editor(target: &Path) -> Result<String, AppError> {
    let chosen = environment::EDITORS.iter().find_map(|name| environment::read(name));
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    match chosen {
        Some(chosen) => Ok(chosen),
        None if has_terminal => Ok(DEFAULT_EDITOR.to_owned()),
        None => Err(AppError::bad_input(
            "there is no terminal to edit in",
            format!("edit {}, use `forebay config set`, or set VISUAL or EDITOR", target.display()),
        )),
    }
}

/// Every setting with its explanation, commented out.
fn template() -> String {
    let is_setting = |line: &str| line.contains('=') && !line.starts_with('#');
    let line = |line: &str| {
        if is_setting(line) { format!("#{line}\n") } else { format!("{line}\n") }
    };
    settings::DEFAULTS.lines().map(line).collect()
}
