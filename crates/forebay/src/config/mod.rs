//! Settings in layers: defaults, user file, project file, environment, flags; later layers override earlier ones.
//!
//! A project's file comes with the project, so it may tighten restrictions and never loosen them.

pub(crate) mod environment;
mod recognizers;
mod tighten;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_app::settings::{self, Settings};
use toml::{Table, Value};

/// The name of a project's settings file.
pub(crate) const PROJECT_FILE: &str = ".forebay.toml";

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layer {
    Default,
    File(PathBuf),
    Environment(String),
    Flag,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag => f.write_str("--set"),
        }
    }
}

/// Every setting with the layer that set it.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// Values set by some layer; all others have their default.
    said: BTreeMap<String, (Value, Layer)>,
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {message}", path.display())]
    NotToml { path: PathBuf, message: String },
    #[error("{layer}: unknown setting `{key}`")]
    Unknown { layer: Layer, key: String },
    #[error("{layer}: `{key}` = {value} is not {expected}")]
    WrongType { layer: Layer, key: String, value: String, expected: &'static str },
    #[error("{layer}: a project cannot loosen `{key}` to {value}")]
    Loosens { layer: Layer, key: String, value: String },
    #[error("{layer}: `{key}`: {message}")]
    BadRecognizer { layer: Layer, key: String, message: String },
    #[error("--set {0}: write it as key=value")]
    BadFlag(String),
}

impl ConfigError {
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "make the file readable, or remove it",
            Self::NotToml { .. } => "settings files are TOML; `forebay config` shows every setting",
            Self::Loosens { .. } => "set it in your own settings file; `forebay config` names it",
            Self::BadRecognizer { .. } => {
                "patterns are regular expressions of Rust's `regex` crate, best in 'single quotes'; \
                 docs/reference/digests.md shows an example"
            }
            _ => "`forebay config` shows every setting with its value",
        }
    }
}

impl Config {
    /// Reads all layers in order.
    pub(crate) fn load(
        user: Option<&Path>,
        project: &Path,
        flags: &[String],
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some(user) = user {
            config.overlay_file(user, |_, _, asked| Some(asked))?;
        }
        config.overlay_file(project, tighten::tightened)?;
        config.overlay_environment()?;
        config.overlay_flags(flags)?;
        config.files = user.into_iter().chain([project]).map(Path::to_owned).collect();
        Ok(config)
    }

    /// Every setting and every custom recognizer, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (String, Value, Layer)> {
        let defaults = settings::keys()
            .filter_map(|key| Some((settings::default(&key)?, key)))
            .map(|(value, key)| (key, (value, Layer::Default)));
        let mut rows: BTreeMap<String, (Value, Layer)> = defaults.collect();
        rows.extend(self.said.clone());
        rows.into_iter().map(|(key, (value, layer))| (key, value, layer))
    }

    /// The resolved settings.
    pub(crate) fn settings(self) -> Result<Settings, ConfigError> {
        let given = self.said.into_iter().map(|(key, (value, _))| (key, value)).collect();
        Settings::with(given).map_err(|error| ConfigError::NotToml {
            path: PathBuf::from("settings"),
            message: error.message().to_owned(),
        })
    }

    /// Applies a file; `may` maps a value to what is allowed, or None if it may not be set.
    fn overlay_file(&mut self, path: &Path, may: May) -> Result<(), ConfigError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // A data directory that is a file has no settings either.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(());
            }
            Err(source) => return Err(ConfigError::Unreadable { path: path.to_owned(), source }),
        };
        let layer = Layer::File(path.to_owned());
        let mut table = parse(path, &text)?;
        if let Some(defined) = table.remove(recognizers::SECTION) {
            let rows = recognizers::read(defined, path)?;
            self.said.extend(rows.into_iter().map(|(key, row)| (key, (row, layer.clone()))));
        }
        flatten(table).into_iter().try_for_each(|(key, value)| self.set(&key, value, &layer, may))
    }

    fn overlay_environment(&mut self) -> Result<(), ConfigError> {
        for (name, text) in environment::forebay_variables() {
            if let Some(key) = settings::key_for_variable(&name) {
                self.set_text(&key, &text, &Layer::Environment(name))?;
            }
        }
        Ok(())
    }

    fn overlay_flags(&mut self, flags: &[String]) -> Result<(), ConfigError> {
        flags.iter().try_for_each(|flag| {
            let (key, text) =
                flag.split_once('=').ok_or_else(|| ConfigError::BadFlag(flag.clone()))?;
            self.set_text(key.trim(), text.trim(), &Layer::Flag)
        })
    }

    /// Sets a value from an environment variable or a flag.
    fn set_text(&mut self, key: &str, text: &str, layer: &Layer) -> Result<(), ConfigError> {
        let is_list = self.current(key).is_some_and(|value| value.is_array());
        let value = if is_list { list_from_text(text) } else { from_text(text) };
        self.set(key, value, layer, |_, _, asked| Some(asked))
    }

    fn set(&mut self, key: &str, value: Value, layer: &Layer, may: May) -> Result<(), ConfigError> {
        let (layer, key) = (layer.clone(), key.to_owned());
        let Some(current) = self.current(&key) else {
            return Err(ConfigError::Unknown { layer, key });
        };
        if !fits(&current, &value) {
            let expected = expected(&current);
            return Err(ConfigError::WrongType { layer, key, value: value.to_string(), expected });
        }
        let Some(allowed) = may(&key, &current, value.clone()) else {
            return Err(ConfigError::Loosens { layer, key, value: value.to_string() });
        };
        self.said.insert(key, (allowed, layer));
        Ok(())
    }

    /// The value so far.
    fn current(&self, key: &str) -> Option<Value> {
        let said = self.said.get(key).map(|(value, _)| value.clone());
        said.or_else(|| settings::default(key))
    }
}

/// Maps the key, the current value and the requested value to the effective one.
type May = fn(&str, &Value, Value) -> Option<Value>;

fn fits(example: &Value, value: &Value) -> bool {
    example.same_type(value)
        && value.as_integer().is_none_or(|number| number >= 0)
        && value.as_array().is_none_or(|items| items.iter().all(Value::is_str))
}

fn parse(path: &Path, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| ConfigError::NotToml {
        path: path.to_owned(),
        message: error.to_string().trim().replace('\n', " "),
    })
}

/// Flattens `{digest: {budget: 400}}` to `digest.budget = 400`.
fn flatten(table: Table) -> Vec<(String, Value)> {
    table
        .into_iter()
        .flat_map(|(key, value)| match value {
            Value::Table(inner) => flatten(inner)
                .into_iter()
                .map(|(rest, value)| (format!("{key}.{rest}"), value))
                .collect(),
            value => vec![(key, value)],
        })
        .collect()
}

/// Parses a value of an environment variable or a flag.
fn from_text(text: &str) -> Value {
    match (text.parse::<i64>(), text.parse::<bool>()) {
        (Ok(number), _) => Value::Integer(number),
        (_, Ok(truth)) => Value::Boolean(truth),
        _ => Value::String(text.to_owned()),
    }
}

/// Parses `/a,/b` or `["/a", "/b"]` as a list.
fn list_from_text(text: &str) -> Value {
    if let Ok(list @ Value::Array(_)) = text.parse::<Value>() {
        return list;
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

fn expected(example: &Value) -> &'static str {
    match example {
        Value::Integer(_) => "a non-negative integer",
        Value::Boolean(_) => "true or false",
        Value::String(_) => "a string",
        Value::Array(_) => "a list of strings",
        _ => "settable this way: define recognizers in a settings file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_layers_override_earlier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (user, project) = (folder.path().join("user.toml"), folder.path().join("project.toml"));
        fs::write(&user, "[digest]\nbudget = 111\nverbatim = 222\n").unwrap();
        fs::write(&project, "digest.budget = 333").unwrap();
        let config = Config::load(Some(&user), &project, &["keep.runs=7".to_owned()]).unwrap();
        let row = |name: &str| {
            config
                .rows()
                .find(|(key, ..)| key == name)
                .map(|(_, value, layer)| (value.as_integer(), layer))
        };
        assert_eq!(row("digest.budget"), Some((Some(333), Layer::File(project.clone()))));
        assert_eq!(row("digest.verbatim"), Some((Some(222), Layer::File(user.clone()))));
        assert_eq!(row("keep.runs"), Some((Some(7), Layer::Flag)));
        assert_eq!(row("get.budget"), Some((Some(2000), Layer::Default)));
    }

    #[test]
    fn parses_lists_with_commas_or_as_toml() {
        for list in ["/a, /b", "/a,/b", r#"["/a", "/b"]"#] {
            let flags = [format!("isolation.write={list}"), "isolation.profile=off".to_owned()];
            let settings =
                Config::load(None, Path::new("/none"), &flags).unwrap().settings().unwrap();
            assert_eq!(settings.isolation.write, ["/a", "/b"]);
            assert_eq!(settings.isolation.profile.name(), "off");
        }
    }

    #[track_caller]
    fn check_refused(text: &str, expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.toml");
        fs::write(&file, text).unwrap();
        let error = Config::load(None, &file, &[]).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn reports_invalid_files() {
        check_refused("digest.budgt = 1", "unknown setting `digest.budgt`");
        check_refused("digest.budget = 'many'", "a non-negative integer");
        check_refused("digest.budget = -4", "a non-negative integer");
        check_refused("digest = [", "s.toml");
        check_refused("isolation.deny = [1]", "a list of strings");
        check_refused("isolation.profile = 'off'", "cannot loosen `isolation.profile`");
    }
}
