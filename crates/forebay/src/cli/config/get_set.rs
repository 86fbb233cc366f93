//! `forebay config get` and `forebay config set`.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use forebay_store::control_file;
use serde_json::{Map, Value, json};

use super::{Row, row_as_data};
use crate::cli::terminal::{self, Failure};
use crate::cli::{Common, project_root, settings_files, wrong_settings};
use crate::config::{Config, ConfigError, Layer, SettingsFiles};

/// Mode of a new settings file: it may contain tokens and passwords.
const PRIVATE_MODE: u32 = 0o600;

/// Print the value of a setting, or of all settings of a section
#[derive(Debug, Args)]
pub(super) struct Get {
    /// e.g. digest.budget, or digest
    key: String,
}

impl Get {
    pub(super) fn run(&self, common: &Common) -> Result<ExitCode, Failure> {
        let config = super::load(common)?;
        let is_wanted = |row: &Row| {
            row.0 == self.key
                || row.0.strip_prefix(&self.key).is_some_and(|rest| rest.starts_with('.'))
        };
        let rows: Vec<Row> = config.rows().filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(unknown(&self.key).into());
        }
        if common.json {
            let rows: Map<String, Value> = rows.iter().map(row_as_data).collect();
            terminal::print_json(&Value::Object(rows))?;
            return Ok(ExitCode::SUCCESS);
        }
        let is_one = rows[0].0 == self.key;
        for (key, value, _) in &rows {
            let value = super::in_full(key, value);
            let line = if is_one { value } else { format!("{key} = {value}") };
            terminal::print_plain(&format!("{line}\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Change a setting in a settings file; comments and layout stay
#[derive(Debug, Args)]
pub(super) struct Set {
    /// e.g. digest.budget
    key: String,
    /// The new value; a list as /a,/b
    #[arg(allow_hyphen_values = true)]
    value: String,
    #[command(flatten)]
    level: SettingsLevel,
}

/// Which settings file to change.
#[derive(Debug, Args)]
pub(super) struct SettingsLevel {
    /// Your own settings (the default)
    #[arg(long)]
    user: bool,
    /// The project's .forebay.toml, which its team shares
    #[arg(long, conflicts_with = "user")]
    project: bool,
}

impl SettingsLevel {
    pub(super) fn file(&self, files: &SettingsFiles) -> Result<PathBuf, AppError> {
        let file = if self.project { Some(&files.project) } else { files.user.as_ref() };
        file.cloned().ok_or_else(|| {
            AppError::bad_input(
                "this user has no home directory",
                "set FOREBAY_HOME to a directory",
            )
        })
    }
}

impl Set {
    pub(super) fn run(&self, common: &Common) -> Result<ExitCode, Failure> {
        let files = settings_files(&project_root(&common.working_folder()?));
        let path = self.level.file(&files)?;
        set(&files, &path, &self.key, &self.value)?;
        self.report(common, &path)
    }

    fn report(&self, common: &Common, path: &Path) -> Result<ExitCode, Failure> {
        let config = super::load(common)?;
        let Some((key, value, layer)) = config.rows().find(|(key, ..)| *key == self.key) else {
            return Err(unknown(&self.key).into());
        };
        let is_in_effect = layer == Layer::File(path.to_owned());
        if common.json {
            let data =
                json!({ "key": key, "file": path.to_string_lossy(), "in_effect": is_in_effect });
            terminal::print_json(&data)?;
            return Ok(ExitCode::SUCCESS);
        }
        terminal::print_plain(&format!("{key} is set in {}\n", path.display()))?;
        if !is_in_effect {
            let value = super::in_full(&key, &value);
            terminal::note(&format!("{layer} overrides it: {key} = {value}"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Changes a setting in one of the settings files.
pub(super) fn set(
    files: &SettingsFiles,
    path: &Path,
    key: &str,
    value: &str,
) -> Result<(), AppError> {
    let before = read(path)?;
    let after = Config::with_value(path, &before, key, value)
        .and_then(|after| {
            Config::check_file(files, path, path, &after)?;
            Ok(after)
        })
        .map_err(wrong_settings)?;
    write(path, &after)
}

fn unknown(key: &str) -> AppError {
    wrong_settings(ConfigError::Unknown { origin: "config".to_owned(), key: key.to_owned() })
}

/// The text of a settings file; empty if there is none.
pub(super) fn read(path: &Path) -> Result<String, AppError> {
    match control_file::read(path) {
        Ok(text) => Ok(text.unwrap_or_default()),
        Err(source) => {
            Err(wrong_settings(ConfigError::Unreadable { path: path.to_owned(), source }))
        }
    }
}

/// Writes a settings file: the whole text or nothing.
pub(super) fn write(path: &Path, text: &str) -> Result<(), AppError> {
    let written = match path.canonicalize() {
        Ok(path) => forebay_app::replace_file(&path, text.as_bytes()),
        Err(_) => create(path, text),
    };
    written.map_err(|error| {
        AppError::unavailable(format!("cannot write {}: {error}", path.display()), None)
    })
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE_MODE).open(path)?;
    file.write_all(text.as_bytes())
}
