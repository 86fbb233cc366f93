//! User-defined recognizers: parsed from a settings file and checked against their samples.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forebay_digest::{BadDefinition, CountDefinition, CustomRecognizers, Definition, SampleCheck};
use forebay_store::regular_file;
use serde::{Deserialize, Serialize};

/// An example with a sample that a test checks, for the reference documentation.
pub const EXAMPLE: &str = include_str!("recognizers_example.toml");

/// Maximum size of a sample file.
const MAX_SAMPLE_BYTES: u64 = 16 * 1024 * 1024;

/// The table `[recognizers.<name>]` of a settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_lines: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    pub label: String,
    pub pattern: String,
}

/// All recognizers of the settings, validated and compiled.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Row>", into = "BTreeMap<String, Row>")]
pub struct Recognizers {
    rows: BTreeMap<String, Row>,
    ready: CustomRecognizers,
}

impl PartialEq for Recognizers {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Eq for Recognizers {}

impl TryFrom<BTreeMap<String, Row>> for Recognizers {
    type Error = BadDefinition;

    fn try_from(rows: BTreeMap<String, Row>) -> Result<Self, BadDefinition> {
        if let Some(name) =
            rows.iter().find_map(|(name, row)| row.has_two_samples().then_some(name))
        {
            let message = "has both `sample` and `sample_file`; give one".to_owned();
            return Err(BadDefinition { key: name.clone(), message });
        }
        let ready = CustomRecognizers::new(rows.iter().map(|(name, row)| row.definition(name)))?;
        Ok(Self { rows, ready })
    }
}

impl From<Recognizers> for BTreeMap<String, Row> {
    fn from(recognizers: Recognizers) -> Self {
        recognizers.rows
    }
}

impl Row {
    /// Resolves the sample's path relative to the settings file that names it.
    #[must_use]
    pub fn with_sample_beside(mut self, settings_file: &Path) -> Self {
        if let Some(path) = &mut self.sample_file {
            *path = settings_file.with_file_name("").join(&*path);
        }
        self
    }

    fn has_two_samples(&self) -> bool {
        self.sample.is_some() && self.sample_file.is_some()
    }

    fn definition(&self, name: &str) -> Definition {
        let count = |count: &Count| CountDefinition {
            label: count.label.clone(),
            pattern: count.pattern.clone(),
        };
        Definition {
            name: name.to_owned(),
            commands: self.commands.clone(),
            first_lines: self.first_lines.clone(),
            keep: self.keep.clone(),
            drop: self.drop.clone(),
            counts: self.counts.iter().map(count).collect(),
        }
    }

    fn sample(&self) -> Result<Vec<u8>, String> {
        match (&self.sample, &self.sample_file) {
            (Some(text), _) => Ok(text.clone().into_bytes()),
            (None, Some(path)) => regular_file::read(path, MAX_SAMPLE_BYTES)
                .map_err(|error| format!("{}: {error}", path.display())),
            (None, None) => Err("has no `sample` or `sample_file`".to_owned()),
        }
    }
}

/// The result of checking a recognizer, or a reported digest, against its sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub name: String,
    pub checked: SampleCheck,
}

impl Recognizers {
    /// Returns the compiled recognizers.
    pub fn ready(&self) -> &CustomRecognizers {
        &self.ready
    }

    /// Checks each recognizer against its sample, with a digest of `budget` tokens.
    pub fn check(&self, budget: u64) -> Vec<Verdict> {
        let rows = self.rows.iter();
        rows.map(|(name, row)| Verdict {
            name: name.clone(),
            checked: self.check_one(name, row, budget),
        })
        .collect()
    }

    fn check_one(&self, name: &str, row: &Row, budget: u64) -> SampleCheck {
        let sample = match row.sample() {
            Ok(sample) => sample,
            Err(fault) => {
                return SampleCheck {
                    digest: String::new(),
                    errors: vec![fault],
                    unmatched: Vec::new(),
                };
            }
        };
        let mut checked = self.ready.check(name, &sample, &row.expect, budget);
        if row.expect.is_empty() {
            checked
                .errors
                .push("`expect` is empty: it lists what the digest must contain".to_owned());
        }
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[derive(Deserialize)]
    struct File {
        recognizers: Recognizers,
    }

    #[test]
    fn example_passes_its_own_check() {
        let File { recognizers } = toml::from_str(EXAMPLE).unwrap();
        let verdicts = recognizers.check(200);
        assert_eq!(verdicts.len(), 1);
        let SampleCheck { errors, unmatched, digest } = &verdicts[0].checked;
        assert!(errors.is_empty() && unmatched.is_empty(), "{errors:?} {unmatched:?}\n{digest}");
    }

    #[test]
    fn recognizers_survive_a_serde_round_trip() {
        let text = format!("{}\n{EXAMPLE}", crate::settings::DEFAULTS);
        let settings: Settings = toml::from_str(&text).unwrap();
        let written = toml::to_string(&settings).unwrap();
        assert_eq!(toml::from_str::<Settings>(&written).unwrap(), settings);
    }

    #[test]
    fn reports_an_unreadable_sample() {
        let row = |file: &str| Row {
            commands: vec!["x".to_owned()],
            keep: vec!["x".to_owned()],
            sample_file: Some(file.into()),
            ..Row::default()
        };
        let rows = [("gone", row("/no/such/file")), ("device", row("/dev/zero"))];
        let rows: BTreeMap<_, _> = rows.map(|(name, row)| (name.to_owned(), row)).into();
        let verdicts = Recognizers::try_from(rows).unwrap().check(100);
        assert!(verdicts[0].checked.errors[0].contains("not a regular file"), "{verdicts:?}");
        assert!(verdicts[1].checked.errors[0].contains("/no/such/file"), "{verdicts:?}");
    }
}
