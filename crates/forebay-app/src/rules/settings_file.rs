//! The permission part of a host's settings file.

use std::io::ErrorKind;
use std::path::Path;

use forebay_policy::List;
use serde::Deserialize;

use crate::AppError;

/// What Forebay reads of a settings file. Other keys are the host's own.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SettingsFile {
    #[serde(default)]
    pub(super) permissions: Permissions,
    #[serde(default)]
    pub(super) allow_managed_permission_rules_only: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Permissions {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
    pub(super) additional_directories: Vec<String>,
}

impl Permissions {
    pub(super) fn rules(&self) -> impl Iterator<Item = (List, &str)> {
        List::ALL.into_iter().flat_map(|list| {
            let texts = match list {
                List::Deny => &self.deny,
                List::Ask => &self.ask,
                List::Allow => &self.allow,
            };
            texts.iter().map(move |text| (list, text.as_str()))
        })
    }
}

impl SettingsFile {
    /// Reads a file; `None` if there is none. One that does not validate is an error: going on with
    /// fewer rules would be worse.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, AppError> {
        let Some(text) = text_of(path)? else { return Ok(None) };
        if text.trim().is_empty() {
            return Ok(Some(Self::default()));
        }
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let settings = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| invalid(path, &error.to_string()))?;
        deserializer.end().map_err(|error| invalid(path, &error.to_string()))?;
        Ok(Some(settings))
    }
}

/// The text of a file, `None` if there is none.
pub(super) fn text_of(path: &Path) -> Result<Option<String>, AppError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(invalid(path, &error.to_string())),
    }
}

pub(super) fn invalid(path: &Path, why: &str) -> AppError {
    AppError::bad_input(
        format!("the permission rules of {} cannot be read: {why}", path.display()),
        "correct the file; until then nothing is judged by half of the rules",
    )
}
