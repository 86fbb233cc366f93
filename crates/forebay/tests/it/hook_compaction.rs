//! What hooks answer when Forebay's mod hands over a conversation to compact.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish, reference_in};
use crate::hook_host::Host;

/// A result that hooks leave alone, with a fact in its middle.
fn log(name: &str) -> String {
    let line = |number: u32| format!("{name} line {number} of the log\n");
    (0..100)
        .map(line)
        .chain([format!("heron {name} counts\n")])
        .chain((100..200).map(line))
        .collect()
}

fn result(id: &str, tool: &str, input: Value, text: &str) -> Value {
    json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": text,
            "is_error": text.starts_with("Exit code") })
}

/// Hands over results of a conversation of `bytes` bytes with `hooks.compact` set.
fn hand_over(host: &Host<'_>, compact: &str, bytes: usize, results: &[Value]) -> Output {
    let mut hook = host.env.command(["hook", "claude-code", "Compact"]);
    hook.env("FOREBAY_HOOKS_COMPACT", compact);
    let payload = json!({
        "session_id": host.session, "cwd": host.env.project(), "hook_event_name": "Compact",
        "trigger": "auto", "conversation_bytes": bytes, "results": results,
    });
    finish(hook, payload.to_string().as_bytes())
}

#[test]
fn long_results_become_digests_that_are_readable_by_reference() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("count the herons at the weir");
    let (one, two, three) = (log("one"), log("two"), log("three"));
    let results = [
        result("toolu_1", "Bash", json!({ "command": "make one" }), &one),
        result("toolu_2", "Read", json!({ "file_path": "two.rs" }), &two),
        result("toolu_3", "Bash", json!({ "command": "make" }), &format!("Exit code 2\n{three}")),
        result("toolu_4", "Bash", json!({ "command": "ls" }), "short\n"),
        result("toolu_5", "Skill", json!({ "skill": "x" }), &one),
    ];
    let answer = hand_over(&host, "forebay", 20_000, &results).answer();
    let cut = answer["cutResults"].as_object().unwrap();
    assert_eq!(cut.keys().collect::<Vec<_>>(), ["toolu_1", "toolu_2", "toolu_3"]);
    for (id, raw) in [("toolu_1", &one), ("toolu_2", &two), ("toolu_3", &three)] {
        let text = cut[id].as_str().unwrap();
        assert!(text.len() < 800 && text.contains("201 lines"), "{text}");
        let stored = env.forebay(["get", "--raw", &reference_in(text)]).ok().stdout;
        assert!(stored == raw.as_bytes(), "{id} is stored whole");
    }
    assert!(cut["toolu_3"].as_str().unwrap().contains("] exit 2 · 201 lines"));
    // A file is found where it is, not as it was read.
    let search = |query: &str| env.forebay(["search", query]).text();
    let found = search("heron one counts");
    assert!(found.contains("make one"), "{found}");
    let found = search("heron two counts");
    assert!(!found.contains("two.rs") && !found.contains("two line"), "{found}");
}

#[test]
fn snapshot_is_taken_and_the_guide_follows() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("count the herons at the weir");
    let results = [result("toolu_1", "Bash", json!({ "command": "make" }), &log("one"))];
    hand_over(&host, "forebay", 7_000, &results).answer();
    let history = env.forebay(["history", "--all"]).ok().text();
    assert!(history.contains("session snapshot"), "{history}");
    let guide = host.hook("SessionStart", json!({ "source": "compact" })).context();
    assert!(guide.contains("count the herons at the weir"), "{guide}");
}

#[test]
fn the_host_compacts_if_it_is_set_to_or_little_would_be_saved() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let results = [result("toolu_1", "Bash", json!({ "command": "make" }), &log("one"))];
    hand_over(&host, "host", 7_000, &results).silent();
    hand_over(&host, "forebay", 20_000, &results).silent();
    hand_over(&host, "forebay", 7_000, &[]).silent();
    hand_over(&host, "both", 7_000, &results).silent();
    let history = env.forebay(["history", "--all"]).text();
    assert!(!history.contains("[ctx:"), "nothing is stored: {history}");
    env.write(".forebay.toml", "hooks.never = [\"Bash\"]\n");
    hand_over(&host, "forebay", 7_000, &results).silent();
}

#[test]
fn mod_is_told_whether_forebay_compacts() {
    let env = TestEnv::new();
    let loaded = |setting: &str| {
        let mut hook = env.command(["hook", "claude-code", "ModLoaded"]);
        hook.env("FOREBAY_HOOKS_COMPACT", setting);
        let payload =
            json!({ "session_id": "s", "cwd": env.project(), "hook_event_name": "ModLoaded" });
        finish(hook, payload.to_string().as_bytes())
    };
    loaded("host").silent();
    assert_eq!(loaded("forebay").answer()["compact"], true);
}
