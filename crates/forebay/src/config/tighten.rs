//! What a project's settings file may set: a list of keys, and restrictions only to tighten them.

use std::env::home_dir;
use std::path::Path;

use forebay_app::settings;
use forebay_policy::Unmatched;
use forebay_sandbox::Profile;
use forebay_store::Project;
use toml::Value;

use super::environment;

/// How a project may change a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// As it likes: the setting restricts nothing.
    Any,
    /// To a profile that is at least as strict.
    StricterProfile,
    /// To an answer that is at least as strict.
    StricterAnswer,
    /// To a smaller number; 0 is no limit.
    Lower,
    /// To a part of the list; `*` stands for everything.
    Fewer,
    /// By adding to the list.
    More,
    /// To `false` only.
    Off,
    /// To `true` only.
    On,
    /// To a name that the project has anyway, where the user has not chosen one.
    OwnName,
}

use Change::{Any, Fewer, Lower, More, Off, On, OwnName, StricterAnswer, StricterProfile};

/// Every setting that a project may change. One that is not listed is the user's alone: where data is stored and sent,
/// who may use a server, how long entries are kept, in whose name they are written.
const PROJECT_SETTINGS: &[(&str, Change)] = &[
    ("digest.verbatim", Any),
    ("digest.budget", Any),
    ("digest.diff", Any),
    ("run.timeout_ms", Any),
    ("store.redact", On),
    ("isolation.profile", StricterProfile),
    ("isolation.write", Fewer),
    ("isolation.read", Fewer),
    ("isolation.sockets", Fewer),
    ("isolation.deny", More),
    ("isolation.required", On),
    ("rules.unmatched", StricterAnswer),
    ("limits.memory_mb", Lower),
    ("limits.cpu_seconds", Lower),
    ("limits.processes", Lower),
    ("limits.open_files", Lower),
    ("limits.file_mb", Lower),
    ("limits.output_mb", Lower),
    ("get.budget", Any),
    ("search.limit", Any),
    ("search.budget", Any),
    ("search.reranker", Any),
    ("tools.all", Any),
    ("tools.also", Any),
    ("tools.without", Any),
    ("hooks.threshold", Any),
    ("hooks.allow", Fewer),
    ("hooks.never", More),
    ("hooks.keep_digests", Any),
    ("hooks.rewrite", Off),
    ("hooks.whole_output", Off),
    ("hooks.start_budget", Any),
    ("hooks.compact_budget", Any),
    ("wrap.pass", Any),
    ("wrap.media_kb", Any),
    ("wrap.slim", Any),
    ("wrap.facade", Any),
    ("wrap.accept_seconds", Any),
    ("files.read", Any),
    ("files.peek", Any),
    ("files.map", Any),
    ("index.largest_mb", Lower),
    ("index.refresh_seconds", Any),
    ("fetch.loopback", Off),
    ("fetch.timeout_ms", Lower),
    ("fetch.largest_mb", Lower),
    ("fetch.fresh_hours", Any),
    ("team.project", OwnName),
    ("experiment.holdout", Any),
];

/// The effective value of `requested` given the `current` one; None if the project with settings in `file` may not set it.
pub(super) fn tightened(
    file: &Path,
    key: &str,
    current: &Value,
    requested: Value,
) -> Option<Value> {
    if requested == *current {
        return Some(requested);
    }
    let allowed = match change(key)? {
        Any => true,
        StricterProfile => profile(&requested) >= profile(current),
        StricterAnswer => unmatched(&requested) >= unmatched(current),
        Lower => limit(&requested) <= limit(current),
        Fewer => is_subset(&requested, current),
        More => return Some(union(current, &requested)),
        Off => requested.as_bool() == Some(false),
        On => requested.as_bool() == Some(true),
        OwnName if is_chosen_by_user(key, current) => return Some(current.clone()),
        OwnName => requested.as_str().is_some_and(|name| is_own_name(file, name.trim())),
    };
    allowed.then_some(requested)
}

fn change(key: &str) -> Option<Change> {
    PROJECT_SETTINGS.iter().find(|(known, _)| *known == key).map(|(_, change)| *change)
}

/// An unknown name is left for settings validation to reject.
fn profile(value: &Value) -> Profile {
    value.as_str().and_then(Profile::from_name).unwrap_or(Profile::Strict)
}

fn unmatched(value: &Value) -> Unmatched {
    value.as_str().and_then(Unmatched::parse).unwrap_or(Unmatched::Deny)
}

/// Whether the user's own file or environment has a name; a variable comes later than the project's file.
fn is_chosen_by_user(key: &str, current: &Value) -> bool {
    let is_variable = |name: String| settings::key_for_variable(&name).as_deref() == Some(key);
    current.as_str().is_some_and(|chosen| !chosen.trim().is_empty())
        || environment::forebay_variables().any(|(name, _)| is_variable(name))
}

/// Where notes are sent and read must not be for a repository to choose.
fn is_own_name(file: &Path, name: &str) -> bool {
    let project = file.parent().and_then(|root| Project::for_folder(root, home_dir().as_deref()));
    project.is_some_and(|project| project.is_called(name))
}

/// 0 means unlimited.
fn limit(value: &Value) -> i64 {
    value.as_integer().filter(|most| *most > 0).unwrap_or(i64::MAX)
}

fn is_subset(requested: &Value, current: &Value) -> bool {
    let has_all = items(current).iter().any(|item| item.as_str() == Some("*"));
    has_all || items(requested).iter().all(|item| items(current).contains(item))
}

/// The items of both lists.
fn union(current: &Value, requested: &Value) -> Value {
    let mut all = items(current).to_vec();
    all.extend(items(requested).iter().filter(|item| !items(current).contains(item)).cloned());
    Value::Array(all)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    /// All three are TOML values; `expect` is None where the project would loosen.
    #[track_caller]
    fn check(key: &str, current: &str, requested: &str, expect: Option<&str>) {
        let value = |text: &str| text.parse::<Value>().unwrap();
        assert_eq!(
            tightened(Path::new("/srv/app/.forebay.toml"), key, &value(current), value(requested)),
            expect.map(value),
            "{key} {requested}"
        );
    }

    #[test]
    fn a_project_tightens_and_never_loosens() {
        check("isolation.profile", "'project'", "'strict'", Some("'strict'"));
        check("isolation.profile", "'project'", "'off'", None);
        check("isolation.profile", "'off'", "'project'", Some("'project'"));
        check("rules.unmatched", "'run'", "'ask'", Some("'ask'"));
        check("rules.unmatched", "'deny'", "'run'", None);
        check("isolation.required", "true", "false", None);
        check("isolation.required", "false", "true", Some("true"));
        check("isolation.write", "[]", "['/']", None);
        check("isolation.write", "['/a', '/b']", "['/a']", Some("['/a']"));
        check("isolation.read", "[]", "['~/.ssh']", None);
        check("isolation.deny", "['/a']", "['.env', '/a']", Some("['/a', '.env']"));
        check("isolation.deny", "['/a']", "[]", Some("['/a']"));
        check("limits.output_mb", "100", "10", Some("10"));
        check("limits.output_mb", "100", "0", None);
        check("store.redact", "true", "false", None);
        check("store.redact", "false", "true", Some("true"));
        check("store.url", "''", "'postgres://elsewhere/x'", None);
        check("store.workspace", "'default'", "'other'", None);
        check("fetch.loopback", "false", "true", None);
        check("fetch.loopback", "true", "false", Some("false"));
        check("fetch.largest_mb", "50", "5000", None);
        check("limits.cpu_seconds", "0", "60", Some("60"));
        check("hooks.never", "['a']", "['b']", Some("['a', 'b']"));
        check("hooks.allow", "['*']", "['a']", Some("['a']"));
        check("hooks.allow", "['a']", "['*']", None);
        check("hooks.rewrite", "false", "true", None);
        check("keep.notes", "0", "1", None);
        check("serve.enable", "[]", "['execute']", None);
        check("serve.require_token", "true", "false", None);
        check("team.server", "''", "'https://example.org'", None);
        check("team.author", "'ann'", "'bob'", None);
        check("embedder.url", "''", "'http://example.org/v1'", None);
        check("embedder.key_env", "''", "'GITHUB_TOKEN'", None);
        check("upgrade.url", "''", "'https://example.org'", None);
        check("upgrade.key", "''", "'RW'", None);
        check("embedder.model", "'a'", "'a'", Some("'a'"));
        check("team.project", "''", "'elsewhere'", None);
        check("team.project", "'chosen'", "'app'", Some("'chosen'"));
        check("digest.budget", "400", "4000", Some("4000"));
    }

    #[test]
    fn a_project_names_itself_to_a_team_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join("checkout/.git");
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("config"), "[remote \"origin\"]\nurl = git@example.com:team/app.git\n")
            .unwrap();
        let file = folder.path().join("checkout/.forebay.toml");
        let named = |name: &str| {
            tightened(&file, "team.project", &Value::String(String::new()), name.into()).is_some()
        };
        assert!(named("app") && named("checkout"));
        assert!(!named("payments") && !named("team/app") && !named("team"));
    }

    /// A setting that is added later is the user's until it is listed here.
    #[test]
    fn settings_are_closed_to_projects_unless_listed() {
        check("section.added_later", "1", "2", None);
        let all: BTreeSet<String> = settings::keys().collect();
        for (key, _) in PROJECT_SETTINGS {
            assert!(all.contains(*key), "{key} is no setting");
        }
        for key in all.iter().filter(|key| change(key).is_none()) {
            let current = settings::default(key).unwrap();
            assert_eq!(tightened(Path::new("/"), key, &current, other(&current)), None, "{key}");
        }
        let closed: BTreeSet<&str> = all
            .iter()
            .filter(|key| change(key).is_none())
            .filter_map(|key| key.split('.').next())
            .collect();
        let expect =
            ["embedder", "gateway", "hooks", "keep", "prices", "serve", "store", "team", "upgrade"];
        assert_eq!(closed.into_iter().collect::<Vec<_>>(), expect, "sections with closed settings");
    }

    /// No change of a restriction by a project makes it looser, whatever the values.
    #[test]
    fn what_a_project_sets_is_never_looser() {
        for key in settings::keys() {
            let current = settings::default(&key).unwrap();
            for requested in [other(&current), current.clone()] {
                let Some(effective) = tightened(Path::new("/"), &key, &current, requested) else {
                    continue;
                };
                let back = tightened(Path::new("/"), &key, &effective, current.clone());
                let is_free = change(&key) == Some(Any);
                assert!(is_free || effective == current || back != Some(current.clone()), "{key}");
            }
        }
    }

    /// A value of the same type that differs.
    fn other(value: &Value) -> Value {
        match value {
            Value::Integer(number) => Value::Integer(number + 1),
            Value::Float(number) => Value::Float(number + 0.5),
            Value::Boolean(is_set) => Value::Boolean(!is_set),
            Value::Array(_) => Value::Array(vec!["x".into()]),
            _ => Value::String("x".to_owned()),
        }
    }
}
