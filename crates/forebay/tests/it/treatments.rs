//! Which results stay raw: those that are held out for a comparison, and those of recognizers that lose.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, reference_in};
use crate::hook_host::Host;

fn long_log(number: u64) -> String {
    (0..700).map(|line| format!("{line} worked on item {}\n", line * number)).collect()
}

impl Host<'_> {
    /// Reports a command that succeeded, with the host's id of the call.
    fn called(&self, id: &str, log: &str) -> Output {
        let fields = json!({
            "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": format!("make {id}") },
            "tool_response": { "stdout": log, "stderr": "", "interrupted": false },
        });
        self.hook("PostToolUse", fields)
    }
}

fn digests(env: &TestEnv) -> Value {
    env.forebay(["stats", "--json"]).ok().json()["digests"].clone()
}

fn entries(env: &TestEnv) -> usize {
    env.forebay(["history", "--all"]).ok().text().matches("[ctx:").count()
}

#[test]
fn results_that_are_held_out_stay_raw_and_are_stored_once() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    env.write(".forebay.toml", "experiment.holdout = 1\n");
    let log = long_log(7);
    host.called("toolu_1", &log).silent();
    // The mod hands over the same result.
    let handed_over = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": { "command": "make toolu_1" },
        "tool_response": log, "is_error": false,
    });
    host.hook("ToolResult", handed_over).silent();
    assert_eq!(entries(&env), 1);
    let holdout = digests(&env)["holdout"].clone();
    assert_eq!((&holdout["share"], &holdout["comparison"]["held_out"]), (&json!(1.0), &json!(1)));
    let text = env.forebay(["stats"]).ok().text();
    assert!(text.contains("not enough data"), "{text}");
    assert!(!text.contains("capture "), "nothing was saved: {text}");
}

#[test]
fn a_share_of_calls_is_held_out_and_always_the_same() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "experiment.holdout = 0.5\n");
    let host = Host::new(&env);
    let raw = || -> Vec<bool> {
        let call = |number: u64| host.called(&format!("toolu_{number}"), &long_log(number));
        (0..16).map(|number| call(number).ok().stdout.is_empty()).collect()
    };
    let first = raw();
    let count = first.iter().filter(|is_raw| **is_raw).count();
    assert!((1..16).contains(&count), "{first:?}");
    let comparison = digests(&env)["holdout"]["comparison"].clone();
    assert_eq!(
        (&comparison["held_out"], &comparison["digests"]),
        (&json!(count), &json!(16 - count))
    );
    let again = TestEnv::new();
    again.write(".forebay.toml", "experiment.holdout = 0.5\n");
    let host = Host::new(&again);
    let call = |number: u64| host.called(&format!("toolu_{number}"), &long_log(number));
    let second: Vec<bool> = (0..16).map(|number| call(number).ok().stdout.is_empty()).collect();
    assert_eq!(first, second);
}

#[test]
fn a_recognizer_that_costs_more_than_it_saves_passes_raw_until_it_is_forced_back() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    for number in 0..20 {
        let answer = host.called(&format!("toolu_{number}"), &long_log(number + 3)).answer();
        let reference = reference_in(&answer.to_string());
        let get = ["--session", host.session, "get", &reference, "--budget", "20000"];
        env.forebay(get).ok();
    }
    let before = digests(&env);
    assert_eq!(before["switched_off"], json!([]));
    let (name, verdict) = before["recognizers"].as_object().unwrap().iter().next().unwrap();
    assert_eq!((&verdict["uses"], &verdict["reread_rate"]), (&json!(20), &json!(1.0)), "{verdict}");
    assert!(verdict["kept_out_tokens"].as_i64().unwrap() < 0, "{verdict}");

    host.answered("Done.");
    let off = digests(&env)["switched_off"].clone();
    assert_eq!((&off[0]["recognizer"], &off[0]["uses"]), (&json!(name), &json!(20)));
    host.called("toolu_20", &long_log(99)).silent();
    let text = env.forebay(["stats"]).ok().text();
    assert!(text.contains("(raw now)") && text.contains("raw since 20 digests"), "{text}");

    let doctor = env.forebay(["doctor"]).text();
    assert!(doctor.contains("pass raw from now on: 20 digests cost"), "{doctor}");
    let keep = format!("hooks.keep_digests = [\"{name}\"]");
    assert!(doctor.contains(&keep), "{doctor}");
    let doctor = env.forebay(["doctor"]).text();
    assert!(!doctor.contains("pass raw from now on"), "told once: {doctor}");

    env.write(".forebay.toml", keep);
    assert!(host.called("toolu_21", &long_log(98)).answer()["updatedToolOutput"].is_object());
}

#[test]
fn a_command_that_runs_again_without_a_change_is_a_repetition() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let repeated = || {
        let tools = digests(&env)["tools"].clone();
        tools["Bash"]["repeated"].as_u64().unwrap()
    };
    host.start("startup");
    host.ran("make all", &long_log(7)).answer();
    host.ran("make all", &long_log(11)).answer();
    assert_eq!(repeated(), 1);
    env.write("main.c", "int main;");
    host.edited("main.c");
    host.ran("make all", &long_log(13)).answer();
    assert_eq!(repeated(), 1, "something was edited");
    host.prompt("and once more, please");
    host.ran("make all", &long_log(17)).answer();
    assert_eq!(repeated(), 1, "the user said something");
}

#[test]
fn what_is_no_share_is_refused() {
    let env = TestEnv::new();
    for wrong in ["2", "-0.1", "many"] {
        let set = format!("experiment.holdout={wrong}");
        env.forebay(["--set", &set, "stats"]).refused(2, "experiment.holdout", "");
    }
    env.forebay(["config", "set", "experiment.holdout", "0.1"]).ok();
    assert_eq!(env.forebay(["config", "get", "experiment.holdout"]).ok().text().trim(), "0.1");
}
