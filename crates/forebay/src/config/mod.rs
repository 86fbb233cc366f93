//! Settings in layers: defaults, user file, project file, environment, flags; later layers override earlier ones.
//!
//! A project's file comes with the project, so it may tighten restrictions and never loosen them.

pub(crate) mod environment;
mod error;
mod recognizers;
mod tighten;
mod values;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use forebay_app::settings::{self, Settings};
use forebay_platforms::toml_text;
use forebay_store::control_file;
use toml::{Table, Value};

pub(crate) use self::error::ConfigError;
use self::error::place;
use self::values::{expected, fits, value_from_text};

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

/// The settings files of a call.
pub(crate) struct SettingsFiles {
    pub(crate) user: Option<PathBuf>,
    pub(crate) project: PathBuf,
}

impl Config {
    /// Reads all layers in order.
    pub(crate) fn load(files: &SettingsFiles, flags: &[String]) -> Result<Self, ConfigError> {
        match Self::load_what_is_valid(files, flags)? {
            (_, Some(error)) => Err(error),
            (config, None) => Ok(config),
        }
    }

    /// Reads all layers in order; of a project's file with errors, what is valid counts. Returns the first error.
    ///
    /// That file can only tighten restrictions, so this is for commands that run nothing.
    pub(crate) fn load_what_is_valid(
        files: &SettingsFiles,
        flags: &[String],
    ) -> Result<(Self, Option<ConfigError>), ConfigError> {
        let mut config = Self::default();
        config.overlay_user(files)?;
        config.overlay_rest(files, flags)
    }

    /// Loads the settings to show them: of a file with errors, what is valid counts. Returns the errors.
    pub(crate) fn load_for_display(
        files: &SettingsFiles,
        flags: &[String],
    ) -> Result<(Self, Vec<ConfigError>), ConfigError> {
        let mut config = Self::default();
        let user_fault = config.overlay_user(files).err();
        if let (Some(_), Some(user)) = (&user_fault, &files.user) {
            config = Self::default();
            config.overlay_valid_lines(user, &any_value);
        }
        let (config, project_fault) = config.overlay_rest(files, flags)?;
        Ok((config, user_fault.into_iter().chain(project_fault).collect()))
    }

    fn overlay_user(&mut self, files: &SettingsFiles) -> Result<(), ConfigError> {
        if let Some(user) = &files.user {
            self.overlay_file(user, &any_value)?;
        }
        self.check_values()
    }

    /// Adds the layers above the user's file; of a project's file with errors, what is valid. Returns the first error.
    fn overlay_rest(
        self,
        files: &SettingsFiles,
        flags: &[String],
    ) -> Result<(Self, Option<ConfigError>), ConfigError> {
        let mut config = self;
        let user_values = config.said.clone();
        let may = |key: &str, current: &Value, asked| {
            tighten::tightened(&files.project, key, current, asked)
        };
        let project = config.overlay_file(&files.project, &may);
        let fault = project.and_then(|()| config.check_values()).err();
        if fault.is_some() {
            config.said = user_values;
            config.overlay_valid_lines(&files.project, &may);
        }
        config.overlay_environment()?;
        config.overlay_flags(flags)?;
        config.files = files.user.iter().chain([&files.project]).cloned().collect();
        Ok((config, fault))
    }

    /// Checks the text of a settings file as it would be read from `path`, named `shown` in errors.
    pub(crate) fn check_file(
        files: &SettingsFiles,
        path: &Path,
        shown: &Path,
        text: &str,
    ) -> Result<(), ConfigError> {
        let mut config = Self::default();
        if path == files.project {
            if let Some(user) = &files.user {
                config.overlay_file(user, &any_value)?;
            }
            config.overlay_text(shown, text, &|key, current, asked| {
                tighten::tightened(path, key, current, asked)
            })?;
        } else {
            config.overlay_text(shown, text, &any_value)?;
        }
        config.check_values_in(shown, text)
    }

    /// The text of a settings file with another value for one setting.
    pub(crate) fn with_value(
        path: &Path,
        text: &str,
        key: &str,
        value: &str,
    ) -> Result<String, ConfigError> {
        parse(path, text)?;
        let origin = path.display().to_string();
        let Some(example) = settings::default(key) else {
            return Err(ConfigError::Unknown { origin, key: key.to_owned() });
        };
        let (value, key) = (value_from_text(&example, value), key.to_owned());
        if !fits(&example, &value) {
            let (value, expected) = (value.to_string(), expected(&example));
            return Err(ConfigError::WrongType { origin, key, value, expected });
        }
        toml_text::set(text, &key, &value.to_string()).ok_or_else(|| {
            let message = format!("cannot set `{key}`: its section is not a table");
            ConfigError::WrongValue { origin, message }
        })
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
        let given = self.said.iter().map(|(key, (value, _))| (key.clone(), value.clone()));
        Settings::with(given.collect()).map_err(|error| self.wrong_value(error.message()))
    }

    /// Checks values that have the right type, such as the name of a profile.
    fn check_values(&self) -> Result<(), ConfigError> {
        if self.said.is_empty() {
            return Ok(());
        }
        let given = self.said.iter().map(|(key, (value, _))| (key.clone(), value.clone()));
        let checked = Settings::with(given.collect());
        checked.map(drop).map_err(|error| self.wrong_value(error.message()))
    }

    /// The same, for a text that is not in its file.
    fn check_values_in(&self, shown: &Path, text: &str) -> Result<(), ConfigError> {
        self.check_values().map_err(|error| match error {
            ConfigError::WrongValue { message, .. } => {
                let key = message.split(' ').next().unwrap_or_default();
                ConfigError::WrongValue {
                    origin: place(shown, toml_text::position_of_key(text, key)),
                    message,
                }
            }
            other => other,
        })
    }

    /// The error for a value; its message begins with the key.
    fn wrong_value(&self, message: &str) -> ConfigError {
        let key = message.split(' ').next().unwrap_or_default();
        let origin = match self.said.get(key) {
            Some((_, Layer::File(path))) => {
                let text = control_file::read(path).ok().flatten().unwrap_or_default();
                place(path, toml_text::position_of_key(&text, key))
            }
            Some((_, layer)) => layer.to_string(),
            None => "settings".to_owned(),
        };
        ConfigError::WrongValue { origin, message: message.to_owned() }
    }

    /// Applies a file; `may` maps a value to what is allowed, or None if it may not be set.
    fn overlay_file(&mut self, path: &Path, may: May<'_>) -> Result<(), ConfigError> {
        match control_file::read(path) {
            Ok(Some(text)) => self.overlay_text(path, &text, may),
            // A data directory that is a file has no settings either.
            Ok(None) => Ok(()),
            Err(source) => Err(ConfigError::Unreadable { path: path.to_owned(), source }),
        }
    }

    /// Applies each setting of a file that is valid by itself.
    fn overlay_valid_lines(&mut self, path: &Path, may: May<'_>) {
        let text = control_file::read(path).ok().flatten().unwrap_or_default();
        let Ok(table) = parse(path, &text) else { return };
        let layer = Layer::File(path.to_owned());
        for (key, value) in flatten(table) {
            let before = self.said.get(&key).cloned();
            let is_set = self.set(&key, value, &layer, may).is_ok();
            if is_set && self.check_values().is_err() {
                match before {
                    Some(value) => drop(self.said.insert(key, value)),
                    None => drop(self.said.remove(&key)),
                }
            }
        }
    }

    fn overlay_text(&mut self, path: &Path, text: &str, may: May<'_>) -> Result<(), ConfigError> {
        let layer = Layer::File(path.to_owned());
        let mut table = parse(path, text)?;
        if let Some(defined) = table.remove(recognizers::SECTION) {
            let rows =
                recognizers::read(defined, path).map_err(|error| error.located(path, text))?;
            self.said.extend(rows.into_iter().map(|(key, row)| (key, (row, layer.clone()))));
        }
        flatten(table)
            .into_iter()
            .try_for_each(|(key, value)| self.set(&key, value, &layer, may))
            .map_err(|error| error.located(path, text))
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
        let value = match self.current(key) {
            Some(example) => value_from_text(&example, text),
            None => Value::String(text.to_owned()),
        };
        self.set(key, value, layer, &any_value)
    }

    fn set(
        &mut self,
        key: &str,
        value: Value,
        layer: &Layer,
        may: May<'_>,
    ) -> Result<(), ConfigError> {
        let (origin, key) = (layer.to_string(), key.to_owned());
        let Some(current) = self.current(&key) else {
            return Err(ConfigError::Unknown { origin, key });
        };
        if !fits(&current, &value) {
            let expected = expected(&current);
            return Err(ConfigError::WrongType { origin, key, value: value.to_string(), expected });
        }
        let Some(allowed) = may(&key, &current, value.clone()) else {
            return Err(ConfigError::Loosens { origin, key, value: value.to_string() });
        };
        self.said.insert(key, (allowed, layer.clone()));
        Ok(())
    }

    /// The value so far.
    fn current(&self, key: &str) -> Option<Value> {
        let said = self.said.get(key).map(|(value, _)| value.clone());
        let default = settings::default(key);
        match (said, &default) {
            // `0` is written for `0.0`, too.
            (Some(Value::Integer(number)), Some(Value::Float(_))) => {
                Some(Value::Float(number as f64))
            }
            (said, _) => said.or(default),
        }
    }
}

/// Maps the key, the current value and the requested value to the effective one.
type May<'a> = &'a dyn Fn(&str, &Value, Value) -> Option<Value>;

/// The user may set everything.
#[expect(clippy::unnecessary_wraps, reason = "the other functions of the list may refuse a value")]
fn any_value(_: &str, _: &Value, asked: Value) -> Option<Value> {
    Some(asked)
}

fn parse(path: &Path, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| {
        let position = error.span().map(|span| toml_text::position_of_offset(text, span.start));
        let message = error.message().trim().replace('\n', " ");
        ConfigError::NotToml { origin: place(path, position), message }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project_file(project: &Path) -> SettingsFiles {
        SettingsFiles { user: None, project: project.to_owned() }
    }

    #[test]
    fn later_layers_override_earlier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (user, project) = (folder.path().join("user.toml"), folder.path().join("project.toml"));
        fs::write(&user, "[digest]\nbudget = 111\nverbatim = 222\n").unwrap();
        fs::write(&project, "digest.budget = 333").unwrap();
        let files = SettingsFiles { user: Some(user.clone()), project: project.clone() };
        let config = Config::load(&files, &["keep.runs=7".to_owned()]).unwrap();
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
            let settings = Config::load(&project_file(Path::new("/none")), &flags)
                .unwrap()
                .settings()
                .unwrap();
            assert_eq!(settings.isolation.write, ["/a", "/b"]);
            assert_eq!(settings.isolation.profile.name(), "off");
        }
    }

    #[track_caller]
    fn check_refused(text: &str, expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.toml");
        fs::write(&file, text).unwrap();
        let error = Config::load(&project_file(&file), &[]).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn reports_invalid_files() {
        check_refused("\ndigest.budgt = 1", "s.toml:2:8: unknown setting `digest.budgt`");
        check_refused(
            "digest.budget = 'many'",
            "s.toml:1:8: `digest.budget` = \"many\" is not a non-negative",
        );
        check_refused("digest.budget = -4", "a non-negative integer");
        check_refused("[digest]\nbudget = [", "s.toml:2:");
        check_refused(
            "[rules]\nunmatched = 'no'",
            "s.toml:2:1: rules.unmatched = \"no\": expected run",
        );
        check_refused("isolation.deny = [1]", "a list of strings");
        check_refused("isolation.profile = 'off'", "cannot loosen `isolation.profile`");
    }

    #[test]
    fn what_is_valid_in_a_project_file_with_errors_counts() {
        let folder = tempfile::tempdir().unwrap();
        let files = SettingsFiles {
            user: Some(folder.path().join("user.toml")),
            project: folder.path().join("project.toml"),
        };
        fs::write(files.user.as_ref().unwrap(), "digest.budget = 111").unwrap();
        for (broken, budget) in [
            ("digest.budget = 5\ndigest.nope = 1", 5),
            ("store.redact = false\ndigest.budget = 6", 6),
            ("rules.unmatched = 'no'", 111),
            ("[", 111),
        ] {
            fs::write(&files.project, broken).unwrap();
            let (config, fault) = Config::load_what_is_valid(&files, &[]).unwrap();
            assert!(fault.unwrap().to_string().contains("project.toml:"));
            let settings = config.settings().unwrap();
            assert_eq!(settings.digest.budget, budget, "{broken}");
            assert!(settings.store.redact);
        }
        fs::write(files.user.as_ref().unwrap(), "[").unwrap();
        assert!(Config::load_what_is_valid(&files, &[]).is_err());
        let (_, faults) = Config::load_for_display(&files, &[]).unwrap();
        assert_eq!(faults.len(), 2);
    }

    #[test]
    fn values_are_set_by_their_type() {
        let set = |key: &str, value: &str| {
            Config::with_value(Path::new("s.toml"), "", key, value)
                .map_err(|error| error.to_string())
        };
        assert_eq!(set("team.project", "12").as_deref(), Ok("[team]\nproject = \"12\"\n"));
        assert_eq!(set("keep.runs", "7").as_deref(), Ok("[keep]\nruns = 7\n"));
        assert!(set("keep.runs", "-7").unwrap_err().contains("a non-negative integer"));
        assert!(set("keep.run", "7").unwrap_err().contains("unknown setting"));
    }
}
