//! What a project's settings file may do to the settings that hold a run back.

use forebay_policy::Unmatched;
use forebay_sandbox::Profile;
use toml::Value;

/// What becomes of `asked` where `held` holds; none if that would loosen it.
pub(super) fn tightened(key: &str, held: &Value, asked: Value) -> Option<Value> {
    let allowed = match key {
        "isolation.profile" => profile(&asked) >= profile(held),
        "rules.unmatched" => unmatched(&asked) >= unmatched(held),
        "isolation.write" | "isolation.read" => is_part_of(&asked, held),
        "isolation.deny" => return Some(both(held, asked)),
        // Where a user's entries go is for the user to say.
        "store.url" | "store.workspace" => asked == *held,
        "fetch.loopback" => asked.as_bool() <= held.as_bool(),
        // Who may come in is the word of who runs the server, not of a project.
        _ if key.starts_with("serve.") => asked == *held,
        // A project could have the user's notes and token sent to whoever wrote it.
        "team.server" | "team.token" => asked == *held,
        // The same holds for all that is stored and searched for, and for the key that is paid with.
        _ if key.starts_with("embedder.") => asked == *held,
        _ if key.starts_with("limits.") => limit(&asked) <= limit(held),
        _ => true,
    };
    allowed.then_some(asked)
}

/// A name that is none is left for the reader of the settings to refuse.
fn profile(value: &Value) -> Profile {
    value.as_str().and_then(Profile::named).unwrap_or(Profile::Strict)
}

fn unmatched(value: &Value) -> Unmatched {
    value.as_str().and_then(Unmatched::from_word).unwrap_or(Unmatched::Deny)
}

/// 0 is no limit, which is the highest.
fn limit(value: &Value) -> i64 {
    value.as_integer().filter(|most| *most > 0).unwrap_or(i64::MAX)
}

fn is_part_of(asked: &Value, held: &Value) -> bool {
    items(asked).iter().all(|item| items(held).contains(item))
}

/// What one denies and what the other denies.
fn both(held: &Value, asked: Value) -> Value {
    let mut all = items(held).to_vec();
    all.extend(items(&asked).iter().filter(|item| !items(held).contains(item)).cloned());
    Value::Array(all)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All three are TOML values; `expect` is none where the project would loosen.
    #[track_caller]
    fn check(key: &str, held: &str, asked: &str, expect: Option<&str>) {
        let value = |text: &str| text.parse::<Value>().unwrap();
        assert_eq!(tightened(key, &value(held), value(asked)), expect.map(value), "{key} {asked}");
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
