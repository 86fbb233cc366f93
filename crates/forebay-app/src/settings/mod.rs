//! Settings: what a user can change. The defaults stand in `settings.toml` beside this file.

mod defaults;
pub mod recognizers;

use std::time::Duration;

use forebay_domain::EntryKind;
use forebay_domain::time::days;
use forebay_policy::Unmatched;
use forebay_sandbox::Profile;
use serde::{Deserialize, Serialize};

pub use self::defaults::{default, keys};
use crate::settings::recognizers::Recognizers;

/// The settings and their defaults, as the file a user would write.
pub const DEFAULTS: &str = include_str!("settings.toml");

/// Settings whose variables have names of their own.
const NAMED: &[(&str, &str)] =
    &[("store.url", "FOREBAY_STORE"), ("store.workspace", "FOREBAY_WORKSPACE")];

/// The environment variable that sets one setting: `digest.budget` by `FOREBAY_DIGEST_BUDGET`.
pub fn variable(key: &str) -> String {
    let named = NAMED.iter().find(|(known, _)| *known == key);
    named.map_or_else(
        || format!("FOREBAY_{}", key.replace('.', "_").to_uppercase()),
        |(_, name)| (*name).to_owned(),
    )
}

/// The setting that an environment variable sets, if it sets one.
pub fn of_variable(name: &str) -> Option<String> {
    let named = NAMED.iter().find(|(_, known)| *known == name).map(|(key, _)| (*key).to_owned());
    let spelled = || Some(name.strip_prefix("FOREBAY_")?.to_lowercase().replacen('_', ".", 1));
    named.or_else(spelled).filter(|key| default(key).is_some() && variable(key) == name)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub digest: Digest,
    pub run: Run,
    pub store: Store,
    pub isolation: Isolation,
    pub rules: Rules,
    pub limits: Limits,
    pub get: Get,
    pub search: Search,
    pub embedder: Embedder,
    pub tools: Tools,
    pub hooks: Hooks,
    pub files: Files,
    pub index: Index,
    pub fetch: Fetch,
    pub serve: Serve,
    pub keep: Keep,
    pub team: Team,
    /// None unless a settings file defines some.
    #[serde(default)]
    pub recognizers: Recognizers,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    pub verbatim: u64,
    pub budget: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub timeout_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Store {
    pub redact: bool,
    /// Empty for files of this machine.
    pub url: String,
    pub workspace: String,
}

impl Store {
    /// Goes into a workspace below the one that holds, which only its own members enter.
    pub fn enter(&mut self, name: &str) {
        let within = forebay_store_postgres::Address::read(&self.url, &self.workspace)
            .map_or_else(|_| self.workspace.clone(), |address| address.workspace().to_owned());
        if let Some((base, parameters)) = self.url.split_once('?') {
            let others = parameters.split('&').filter(|one| !one.starts_with("workspace="));
            self.url = format!("{base}?{}", others.collect::<Vec<_>>().join("&"));
        }
        self.workspace = format!("{within}/{name}");
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isolation {
    #[serde(with = "profile_by_name")]
    pub profile: Profile,
    pub write: Vec<String>,
    pub read: Vec<String>,
    pub deny: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    #[serde(with = "unmatched_by_name")]
    pub unmatched: Unmatched,
}

/// Of one run; 0 is without limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub memory_mb: u64,
    pub cpu_seconds: u64,
    pub processes: u64,
    pub open_files: u64,
    pub file_mb: u64,
    pub output_mb: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    pub budget: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    pub limit: u64,
    pub budget: u64,
}

/// A server's model that tells what texts mean; none without a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embedder {
    pub url: String,
    pub model: String,
    pub key_env: String,
    pub dimensions: u64,
    pub question_prefix: String,
    pub passage_prefix: String,
    pub timeout_ms: u64,
    pub batch: u64,
    pub batch_timeout_ms: u64,
}

/// Which tools a model is told of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    pub all: bool,
    pub also: Vec<String>,
    pub without: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooks {
    pub threshold: u64,
    pub allow: Vec<String>,
    pub never: Vec<String>,
    pub rewrite: bool,
    pub start_budget: u64,
    pub compact_budget: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    pub read: u64,
    pub peek: u64,
    pub map: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    pub largest_mb: u64,
    pub refresh_seconds: u64,
}

impl Index {
    /// The size of the largest file that is indexed.
    pub fn largest_bytes(&self) -> u64 {
        self.largest_mb.saturating_mul(1024 * 1024)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    pub loopback: bool,
    pub timeout_ms: u64,
    pub largest_mb: u64,
    pub fresh_hours: u64,
}

/// The network door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serve {
    pub listen: String,
    pub hosts: Vec<String>,
    pub origins: Vec<String>,
    pub enable: Vec<String>,
    pub require_token: bool,
    pub tls_cert: String,
    pub tls_key: String,
    pub issuer: String,
    pub sessions: bool,
    pub rate: u64,
    pub body_kb: u64,
    pub connections: u64,
    pub head_seconds: u64,
}

/// Days each kind is kept; 0 is for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    pub runs: u64,
    pub captures: u64,
    pub pages: u64,
    pub turns: u64,
    pub sources: u64,
    pub notes: u64,
    pub events: u64,
}

impl Keep {
    /// How long the events of a session are kept, if they expire at all.
    pub fn events(&self) -> Option<Duration> {
        (self.events > 0).then(|| days(self.events))
    }

    /// How long each kind that expires at all is kept.
    pub fn spans(&self) -> Vec<(EntryKind, Duration)> {
        [
            (EntryKind::Run, self.runs),
            (EntryKind::Capture, self.captures),
            (EntryKind::Page, self.pages),
            (EntryKind::Turn, self.turns),
            (EntryKind::Source, self.sources),
            (EntryKind::Note, self.notes),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| (kind, days(count)))
        .collect()
    }
}

/// Whom notes are shared with, and who writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Team {
    pub server: String,
    pub token: String,
    pub project: String,
    pub author: String,
}

/// What happens to what no rule mentions, as one word.
mod unmatched_by_name {
    use forebay_policy::Unmatched;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(value: &Unmatched, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.word())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Unmatched, D::Error> {
        let word = String::deserialize(from)?;
        Unmatched::from_word(&word).ok_or_else(|| {
            D::Error::custom(format!("rules.unmatched = \"{word}\" is none of run, ask, deny"))
        })
    }
}

/// A profile as its name.
mod profile_by_name {
    use forebay_sandbox::Profile;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(profile: &Profile, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(profile.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Profile, D::Error> {
        let name = String::deserialize(from)?;
        Profile::from_name(&name).ok_or_else(|| {
            D::Error::custom(format!(
                "isolation.profile = \"{name}\" is none of off, project, strict"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_variable() {
        for key in keys() {
            assert_eq!(of_variable(&variable(&key)), Some(key));
        }
        for none in ["FOREBAY_STORE_URL", "FOREBAY_HOME", "FOREBAY_digest_budget", "DIGEST_BUDGET"]
        {
            assert_eq!(of_variable(none), None);
        }
    }

    #[test]
    fn a_workspace_below_another_is_none_of_the_others() {
        let url = "postgres://db/x?workspace=team&sslmode=disable".to_owned();
        let mut store = Store { redact: true, url, workspace: "default".to_owned() };
        store.enter("ann");
        assert_eq!(store.url, "postgres://db/x?sslmode=disable");
        assert_eq!(store.workspace, "team/ann");
        let address = forebay_store_postgres::Address::read(&store.url, &store.workspace).unwrap();
        assert_eq!(address.workspace(), "team/ann");
    }
}
