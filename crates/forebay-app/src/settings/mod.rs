//! User settings, with the defaults in `settings.toml` beside this file.

mod defaults;
pub mod prices;
pub mod recognizers;
mod share;

use std::time::Duration;

use forebay_domain::EntryKind;
use forebay_domain::time::days;
use forebay_policy::Unmatched;
use forebay_sandbox::Profile;
use serde::{Deserialize, Serialize};

pub use self::defaults::{default, keys};
pub use self::share::Share;
use crate::settings::prices::Prices;
use crate::settings::recognizers::Recognizers;

/// All settings with their defaults, in the format of a settings file.
pub const DEFAULTS: &str = include_str!("settings.toml");

/// Settings whose environment variables do not follow the naming rule.
const SPECIAL_VARIABLES: &[(&str, &str)] =
    &[("store.url", "FOREBAY_STORE"), ("store.workspace", "FOREBAY_WORKSPACE")];

/// Returns the environment variable of a setting: `FOREBAY_DIGEST_BUDGET` for `digest.budget`.
pub fn variable(key: &str) -> String {
    let named = SPECIAL_VARIABLES.iter().find(|(known, _)| *known == key);
    named.map_or_else(
        || format!("FOREBAY_{}", key.replace('.', "_").to_uppercase()),
        |(_, name)| (*name).to_owned(),
    )
}

/// Returns the setting that an environment variable sets, or None if it sets none.
pub fn key_for_variable(name: &str) -> Option<String> {
    let named = SPECIAL_VARIABLES
        .iter()
        .find(|(_, known)| *known == name)
        .map(|(key, _)| (*key).to_owned());
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
    pub wrap: Wrap,
    pub gateway: Gateway,
    pub files: Files,
    pub index: Index,
    pub fetch: Fetch,
    pub serve: Serve,
    pub keep: Keep,
    pub team: Team,
    pub upgrade: Upgrade,
    pub prices: Prices,
    pub experiment: Experiment,
    /// Empty unless a settings file defines recognizers.
    #[serde(default)]
    pub recognizers: Recognizers,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    pub verbatim: u64,
    pub budget: u64,
    pub diff: bool,
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
    /// Empty for files on this machine.
    pub url: String,
    pub workspace: String,
}

impl Store {
    /// Switches to a sub-workspace of the current workspace, which only its own members can access.
    pub fn enter_workspace(&mut self, name: &str) {
        let within = forebay_store_postgres::Address::parse(&self.url, &self.workspace)
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
    pub sockets: Vec<String>,
    pub deny: Vec<String>,
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    #[serde(with = "unmatched_by_name")]
    pub unmatched: Unmatched,
}

/// Resource limits of one run; 0 means no limit.
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
    pub reranker: bool,
}

/// The embedding server; disabled without a URL.
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

/// Which tools are listed to the model.
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
    pub keep_digests: Vec<String>,
    pub rewrite: bool,
    pub whole_output: bool,
    pub compact: Compactor,
    pub compact_min_saving: u64,
    pub start_budget: u64,
    pub compact_budget: u64,
}

impl Hooks {
    /// Whether digests of a recognizer stay even if they cost more than they saved.
    pub fn keeps_digests_of(&self, recognizer: &str) -> bool {
        self.keep_digests.iter().any(|kept| kept == "*" || kept == recognizer)
    }
}

/// What is tried out to measure whether it pays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The share of long results that pass raw.
    pub holdout: Share,
}

/// Who compacts a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Compactor {
    Host,
    Forebay,
}

impl TryFrom<String> for Compactor {
    type Error = String;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            "host" => Ok(Self::Host),
            "forebay" => Ok(Self::Forebay),
            _ => Err(format!("hooks.compact = \"{word}\": expected host or forebay")),
        }
    }
}

/// Results of other MCP servers behind `forebay wrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrap {
    pub pass: Vec<String>,
    pub media_kb: u64,
    pub slim: Vec<String>,
    pub facade: Vec<String>,
    pub accept_seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gateway {
    pub sessions: u64,
    pub sessions_per_caller: u64,
    pub servers: u64,
    pub idle_seconds: u64,
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
    /// Returns the size of the largest file that is indexed.
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

/// The HTTP server.
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

/// Days to keep each kind of entry; 0 keeps it forever.
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
    /// Returns how long to keep session events, or None if they never expire.
    pub fn events(&self) -> Option<Duration> {
        (self.events > 0).then(|| days(self.events))
    }

    /// Returns the retention of each kind of entry that expires.
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

/// The server that notes are exchanged with, and their author.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Team {
    pub server: String,
    pub token: String,
    pub project: String,
    pub author: String,
}

/// The server with releases; empty texts stand for those of the build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upgrade {
    pub url: String,
    pub key: String,
    pub timeout_ms: u64,
}

/// Serializes [`Unmatched`] as one word.
mod unmatched_by_name {
    use forebay_policy::Unmatched;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(value: &Unmatched, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Unmatched, D::Error> {
        let word = String::deserialize(from)?;
        Unmatched::parse(&word).ok_or_else(|| {
            D::Error::custom(format!("rules.unmatched = \"{word}\": expected run, ask or deny"))
        })
    }
}

/// Serializes a [`Profile`] as its name.
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
                "isolation.profile = \"{name}\": expected off, project or strict"
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
            assert_eq!(key_for_variable(&variable(&key)), Some(key));
        }
        for none in ["FOREBAY_STORE_URL", "FOREBAY_HOME", "FOREBAY_digest_budget", "DIGEST_BUDGET"]
        {
            assert_eq!(key_for_variable(none), None);
        }
    }

    #[test]
    fn entering_a_sub_workspace_keeps_the_other_url_parameters() {
        let url = "postgres://db/x?workspace=team&sslmode=disable".to_owned();
        let mut store = Store { redact: true, url, workspace: "default".to_owned() };
        store.enter_workspace("ann");
        assert_eq!(store.url, "postgres://db/x?sslmode=disable");
        assert_eq!(store.workspace, "team/ann");
        let address = forebay_store_postgres::Address::parse(&store.url, &store.workspace).unwrap();
        assert_eq!(address.workspace(), "team/ann");
    }
}
