//! Which restrictions a project's settings file may change: only to tighten them.

use forebay_policy::Unmatched;
use forebay_sandbox::Profile;
use toml::Value;

/// The effective value of `requested` given the `current` one; None if it would loosen the restriction.
pub(super) fn tightened(key: &str, current: &Value, requested: Value) -> Option<Value> {
    let allowed = match key {
        "isolation.profile" => profile(&requested) >= profile(current),
        "rules.unmatched" => unmatched(&requested) >= unmatched(current),
        "isolation.write" | "isolation.read" => is_subset(&requested, current),
        "isolation.deny" => return Some(union(current, requested)),
        // Only the user decides where entries are stored.
        "store.url" | "store.workspace" => requested == *current,
        "fetch.loopback" => requested.as_bool() <= current.as_bool(),
        // Access to the server is its operator's decision.
        _ if key.starts_with("serve.") => requested == *current,
        // Otherwise a project could send the user's notes and token to its author.
        "team.server" | "team.token" => requested == *current,
        // The same applies to stored text, queries, and the paid API key.
        _ if key.starts_with("embedder.") => requested == *current,
        _ if key.starts_with("limits.") => limit(&requested) <= limit(current),
        _ => true,
    };
    allowed.then_some(requested)
}

/// An unknown name is left for settings validation to reject.
fn profile(value: &Value) -> Profile {
    value.as_str().and_then(Profile::from_name).unwrap_or(Profile::Strict)
}

fn unmatched(value: &Value) -> Unmatched {
    value.as_str().and_then(Unmatched::parse).unwrap_or(Unmatched::Deny)
}

/// 0 means unlimited.
fn limit(value: &Value) -> i64 {
    value.as_integer().filter(|most| *most > 0).unwrap_or(i64::MAX)
}

fn is_subset(requested: &Value, current: &Value) -> bool {
    items(requested).iter().all(|item| items(current).contains(item))
}

/// The union of union deny lists.
fn union(current: &Value, requested: Value) -> Value {
    let mut all = items(current).to_vec();
    all.extend(items(&requested).iter().filter(|item| !items(current).contains(item)).cloned());
    Value::Array(all)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All three are TOML values; `expect` is None where the project would loosen.
    #[track_caller]
    fn check(key: &str, current: &str, requested: &str, expect: Option<&str>) {
        let value = |text: &str| text.parse::<Value>().unwrap();
        assert_eq!(
            tightened(key, &value(current), value(requested)),
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
        check("isolation.write", "[]", "['/']", None);
        check("isolation.write", "['/a', '/b']", "['/a']", Some("['/a']"));
        check("isolation.read", "[]", "['~/.ssh']", None);
        check("isolation.deny", "['/a']", "['.env', '/a']", Some("['/a', '.env']"));
        check("isolation.deny", "['/a']", "[]", Some("['/a']"));
        check("limits.output_mb", "100", "10", Some("10"));
        check("limits.output_mb", "100", "0", None);
        check("store.url", "''", "'postgres://elsewhere/x'", None);
        check("store.workspace", "'default'", "'other'", None);
        check("fetch.loopback", "false", "true", None);
        check("fetch.loopback", "true", "false", Some("false"));
        check("limits.cpu_seconds", "0", "60", Some("60"));
        check("serve.enable", "[]", "['execute']", None);
        check("serve.require_token", "true", "false", None);
        check("team.server", "''", "'https://example.org'", None);
        check("embedder.url", "''", "'http://example.org/v1'", None);
        check("embedder.key_env", "''", "'GITHUB_TOKEN'", None);
        check("embedder.model", "'a'", "'a'", Some("'a'"));
        check("team.project", "''", "'app'", Some("'app'"));
        check("digest.budget", "400", "4000", Some("4000"));
    }
}
