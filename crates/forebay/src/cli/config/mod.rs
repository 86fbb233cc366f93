//! `forebay config`: every setting, its value and its origin; and changes of them.

mod edit;
mod get_set;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use self::edit::Edit;
use self::get_set::{Get, Set};
use super::terminal::{self, Failure};
use super::{Common, project_root, settings_files, wrong_settings};
use crate::config::{Config, Layer};

/// Show every setting and its origin, or change one
#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    Get(Get),
    Set(Set),
    Edit(Edit),
}

/// A setting: its key, its value and its origin.
type Row = (String, toml::Value, Layer);

impl ConfigCommand {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        match self.action {
            None => show(common),
            Some(Action::Get(get)) => get.run(common),
            Some(Action::Set(set)) => set.run(common),
            Some(Action::Edit(edit)) => edit.run(common),
        }
    }
}

/// Whether no layer of the settings sets this one.
pub(super) fn is_default(common: &Common, key: &str) -> Result<bool, Failure> {
    let files = settings_files(&project_root(&common.working_folder()?));
    let (config, _) = Config::load_for_display(&files, &common.set).map_err(wrong_settings)?;
    Ok(config.rows().any(|(name, _, layer)| name == key && layer == Layer::Default))
}

/// Changes a setting in the user's own settings, if there is a place for them; returns whether.
pub(super) fn set_for_user(common: &Common, key: &str, value: &str) -> Result<bool, Failure> {
    let files = settings_files(&project_root(&common.working_folder()?));
    let Some(path) = &files.user else { return Ok(false) };
    get_set::set(&files, path, key, value)?;
    Ok(true)
}

/// The settings in effect; a file with an error is reported and ignored.
fn load(common: &Common) -> Result<Config, Failure> {
    let files = settings_files(&project_root(&common.working_folder()?));
    let (config, faults) = Config::load_for_display(&files, &common.set).map_err(wrong_settings)?;
    for fault in faults {
        terminal::note(&format!("{fault}; what is valid in this file counts"))?;
    }
    Ok(config)
}

fn show(common: &Common) -> Result<ExitCode, Failure> {
    let config = load(common)?;
    if common.json {
        let rows: Map<String, Value> = config.rows().map(|row| row_as_data(&row)).collect();
        terminal::print_json(&Value::Object(rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    let rows: Vec<Row> = config.rows().collect();
    let width = rows.iter().map(|(key, ..)| key.len()).max().unwrap_or_default();
    for (key, value, layer) in rows {
        let value = in_short(&key, &shown(&key, &value));
        text.push_str(&format!("{key:<width$} {value:<10} {layer}\n"));
    }
    text.push_str("\nfiles, later ones override earlier ones:\n");
    for file in &config.files {
        let state = if file.is_file() { "" } else { " (not found)" };
        text.push_str(&format!("  {}{state}\n", file.display()));
    }
    terminal::print_plain(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn row_as_data((key, value, layer): &Row) -> (String, Value) {
    let value = plain(key, &shown(key, value));
    (key.clone(), json!({ "value": value, "from": layer.to_string() }))
}

/// A value as `config set` takes it.
fn in_full(key: &str, value: &toml::Value) -> String {
    let value = shown(key, value);
    match value.as_str() {
        Some(text) if !is_hidden(key, &value) => text.to_owned(),
        Some(_) => in_short(key, &value),
        None => value.to_string(),
    }
}

/// Settings whose values are never shown.
const SECRETS: &[&str] = &["team.token"];

/// A value for display: the URL of a store without its password.
fn shown(key: &str, value: &toml::Value) -> toml::Value {
    match value.as_str() {
        Some(url) if key == "store.url" => toml::Value::String(without_password(url)),
        _ => value.clone(),
    }
}

/// `postgres://ann:…@host/database`
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rsplit_once('@').map(|(who, host)| (who.split(':').next(), host)) {
        Some((Some(user), host)) => format!("{scheme}://{user}:…@{host}{}", &rest[end..]),
        _ => url.to_owned(),
    }
}

/// Abbreviates a recognizer, which is a whole table; `--json` prints all of it.
fn in_short(key: &str, value: &toml::Value) -> String {
    if is_hidden(key, value) {
        return "(set)".to_owned();
    }
    if value.is_table() { "{ … }".to_owned() } else { value.to_string() }
}

fn plain(key: &str, value: &toml::Value) -> Value {
    if is_hidden(key, value) {
        return "(set)".into();
    }
    serde_json::to_value(value).unwrap_or_default()
}

fn is_hidden(key: &str, value: &toml::Value) -> bool {
    SECRETS.contains(&key) && value.as_str().is_some_and(|secret| !secret.is_empty())
}
