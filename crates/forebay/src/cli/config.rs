//! `forebay config`: every setting, its value and its origin.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::terminal::{self, Failure};
use super::{Common, project_root, wrong_settings};

/// Show every setting and its origin
#[derive(Debug, Args)]
pub(super) struct Show {}

impl Show {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let config =
            common.config(&project_root(&common.working_folder()?)).map_err(wrong_settings)?;
        if common.json {
            let rows: Map<String, Value> = config
                .rows()
                .map(|(key, value, layer)| {
                    let value = plain(&key, &shown(&key, &value));
                    (key, json!({ "value": value, "from": layer.to_string() }))
                })
                .collect();
            terminal::print_json(&Value::Object(rows))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = String::new();
        let rows: Vec<_> = config.rows().collect();
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
