//! Errors of settings, with their place and a hint.

use std::io;
use std::path::{Path, PathBuf};

use forebay_app::settings;
use forebay_platforms::toml_text;
use forebay_text::spelling;

/// Why settings cannot be used. An origin is a file with line and column, a variable or a flag.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{origin}: {message}")]
    NotToml { origin: String, message: String },
    #[error("{origin}: unknown setting `{key}`")]
    Unknown { origin: String, key: String },
    #[error("{origin}: `{key}` = {value} is not {expected}")]
    WrongType { origin: String, key: String, value: String, expected: &'static str },
    #[error("{origin}: {message}")]
    WrongValue { origin: String, message: String },
    #[error("{origin}: a project cannot loosen `{key}` to {value}")]
    Loosens { origin: String, key: String, value: String },
    #[error("{origin}: `{key}`: {message}")]
    BadRecognizer { origin: String, key: String, message: String },
    #[error("--set {0}: write it as key=value")]
    BadFlag(String),
}

impl ConfigError {
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => "make the file readable, or remove it",
            Self::NotToml { .. } => "settings files are TOML; `forebay config` shows every setting",
            Self::Loosens { .. } => "set it in your own settings file; `forebay config` names it",
            Self::BadRecognizer { .. } => {
                "patterns are regular expressions of Rust's `regex` crate, best in 'single quotes'; \
                 docs/reference/digests.md shows an example"
            }
            Self::Unknown { key, .. } => {
                let keys: Vec<String> = settings::keys().collect();
                if let Some(meant) = spelling::nearest(key, keys.iter().map(String::as_str)) {
                    return format!("did you mean `{meant}`? `forebay config` shows every setting");
                }
                "`forebay config` shows every setting with its value"
            }
            _ => "`forebay config` shows every setting with its value",
        }
        .to_owned()
    }

    /// The error with the position of its key in the file.
    pub(super) fn located(mut self, path: &Path, text: &str) -> Self {
        if let Self::Unknown { origin, key }
        | Self::WrongType { origin, key, .. }
        | Self::Loosens { origin, key, .. }
        | Self::BadRecognizer { origin, key, .. } = &mut self
        {
            *origin = place(path, toml_text::position_of_key(text, key));
        }
        self
    }
}

/// `file:line:column`, or the file alone.
pub(super) fn place(path: &Path, position: Option<String>) -> String {
    match position {
        Some(position) => format!("{}:{position}", path.display()),
        None => path.display().to_string(),
    }
}
