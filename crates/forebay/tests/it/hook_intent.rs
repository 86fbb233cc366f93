//! What a digest quotes if the caller states no intent: the host's description of the command, or the last request.

use serde_json::json;

use crate::env::TestEnv;
use crate::hook_host::Host;
use crate::texts::word;

const RARE_LINE: &str = "tenant kestrel has a quota of 17";

/// A long calm output with one line about a tenant in the middle.
fn log() -> String {
    let line = |number: u32| match number {
        1_500 => format!("{RARE_LINE}\n"),
        _ => format!("{} {}\n", word(number), word(number * 31)),
    };
    (0..3_000).map(line).collect()
}

impl Host<'_> {
    /// Returns the digest of a command's output; the model described the command like this.
    fn digest(&self, description: Option<&str>, stdout: &str) -> String {
        let input = json!({ "command": "make all", "description": description });
        let answer = self.tool("Bash", input, json!({ "stdout": stdout, "stderr": "" })).answer();
        answer["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned()
    }
}

#[test]
fn description_of_the_command_decides_what_is_quoted() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    assert!(!host.digest(None, &log()).contains(RARE_LINE));
    assert!(!host.digest(Some("Build all items"), &log()).contains(RARE_LINE));
    let text = host.digest(Some("Check the quota of tenant kestrel"), &log());
    assert!(text.contains(RARE_LINE), "{text}");
}

#[test]
fn last_request_decides_without_a_description() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let quotes = || host.digest(None, &log()).contains(RARE_LINE);
    for machine_text in [
        "<system-reminder>the quota of tenant kestrel</system-reminder>",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nthe quota of tenant kestrel",
    ] {
        host.prompt(machine_text);
        assert!(!quotes(), "{machine_text}");
    }
    host.prompt("why is the quota of tenant kestrel so low?");
    assert!(quotes());
    assert!(!host.digest(Some("Build all items"), &log()).contains(RARE_LINE));
    host.prompt("yes, go on");
    assert!(quotes(), "an assent is no new request");
    assert!(!Host { session: "conversation-2", ..host }.digest(None, &log()).contains(RARE_LINE));
    host.start("clear");
    assert!(!quotes(), "what was asked before the user cleared the conversation is over");
}

#[test]
fn own_runs_use_the_last_request_of_their_conversation() {
    let env = TestEnv::new();
    let path = env.write("log.txt", log());
    let command = format!("cat {}", path.display());
    Host::new(&env).prompt("why is the quota of tenant kestrel so low?");
    let run = |session: &str, intent: &str| {
        let words = ["run", "--digest", "--session", session, "--intent", intent, "--", &command];
        let without: Vec<&str> = words
            .into_iter()
            .filter(|word| !(intent.is_empty() && ["--intent", ""].contains(word)))
            .collect();
        crate::env::finish(env.command(without), b"").ok().text()
    };
    assert!(run("conversation-1", "").contains(RARE_LINE));
    assert!(!run("conversation-2", "").contains(RARE_LINE));
    // What the caller states takes the place of a guess.
    let sought = format!("{} {}", word(1_000), word(31_000));
    let stated = run("conversation-1", &sought);
    assert!(stated.contains(&sought) && !stated.contains(RARE_LINE), "{stated}");
}

#[test]
fn an_inferred_intent_costs_no_fact_and_no_reason() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let passed =
        |number: u32| format!("tests/test_kestrel.py::test_quota_{number} PASSED [ 10%]\n");
    let output = format!(
        "============================= test session starts ==============================\n{}\
         =================================== FAILURES ===================================\n\
         __________________________________ test_total __________________________________\n\n    \
         def test_total():\n>       assert total() == 4\nE       assert 3 == 4\n\n\
         tests/test_sum.py:7: AssertionError\n\
         =========================== short test summary info ============================\n\
         FAILED tests/test_sum.py::test_total - assert 3 == 4\n\
         ======================== 1 failed, 400 passed in 3.14s =========================\n",
        (0..400).map(passed).collect::<String>()
    );
    for description in [None, Some("Run the quota tests of kestrel"), Some("test_quota_17 session")]
    {
        let text = host.digest(description, &output);
        for needed in
            ["1 failed", "400 passed", "tests/test_sum.py:7", "assert 3 == 4", "test_total"]
        {
            assert!(text.contains(needed), "{description:?} {needed}: {text}");
        }
    }
}
