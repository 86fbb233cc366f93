//! What is compared with an earlier run of the same command, and when nothing may be left out.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::env::{Output, TestEnv, check_out, finish, reference_in, wait_until};
use crate::hook_host::Host;
use crate::mcp_client::McpClient;
use crate::postgres::unused_workspace;
use crate::texts::word;

fn log(seconds: u32) -> String {
    let mut log = String::new();
    for number in 0..3_000 {
        let _ = writeln!(log, "{} {}", word(number), word(number * 31));
    }
    log + &format!("done in {seconds}.2s\n")
}

/// An output of `cargo test` in which these tests have these outcomes.
fn cargo_test(tests: &[(&str, &str)]) -> String {
    let failed: Vec<&str> =
        tests.iter().filter(|(_, outcome)| *outcome == "FAILED").map(|(name, _)| *name).collect();
    let mut text = format!("\nrunning {} tests\n", tests.len());
    for (name, outcome) in tests {
        let _ = writeln!(text, "test {name} ... {outcome}");
    }
    if !failed.is_empty() {
        text.push_str("\nfailures:\n");
        for name in &failed {
            let _ = writeln!(
                text,
                "\n---- {name} stdout ----\nthread '{name}' panicked at src/lib.rs:3:5:\nboom"
            );
        }
        let _ = writeln!(text, "\n\nfailures:\n    {}", failed.join("\n    "));
    }
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    let passed = tests.len() - failed.len();
    let _ = writeln!(
        text,
        "\ntest result: {verdict}. {passed} passed; {} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        failed.len()
    );
    text
}

/// A conversation whose host reports the resets of its context.
fn told_host(env: &TestEnv) -> Host<'_> {
    let host = Host::new(env);
    host.start("startup");
    host
}

impl Host<'_> {
    /// Returns what the model gets for the output of a command.
    fn replaced(&self, command: &str, stdout: &str) -> String {
        replacement(&self.ran(command, stdout))
    }

    /// Runs a command through the binary, as a rewritten call does.
    fn run(&self, command: &str) -> String {
        let words = ["run", "--digest", "--session", self.session, "--", command];
        finish(self.env.command(words), b"").text()
    }
}

fn replacement(output: &Output) -> String {
    output.answer()["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned()
}

#[test]
fn unchanged_output_is_one_line_with_the_reference() {
    let env = TestEnv::new();
    let host = told_host(&env);
    let first = host.replaced("make all", &log(1));
    let again = host.replaced("make all", &log(1));
    let reference = reference_in(&first);
    assert!(again.contains(&format!("unchanged since [ctx:{reference}] (3,001 lines)")), "{again}");
    assert_eq!(again.lines().count(), 1, "{again}");
    let later = host.replaced("make all", &log(7));
    assert!(later.contains("unchanged but for times") && later.contains("done in 7.2s"), "{later}");
    assert!(later.lines().count() == 2 && !later.contains(&word(0)), "{later}");
    let usage = env.forebay(["stats", "--json"]).ok().json()["project"]["tools"]["capture"].clone();
    assert!(usage["delivered_tokens"].as_u64() < Some(600), "only what was sent counts: {usage}");
}

#[test]
fn nothing_is_left_out_where_the_earlier_answer_may_be_gone() {
    let env = TestEnv::new();
    let untold = Host { session: "conversation-0", ..Host::new(&env) };
    untold.replaced("make all", &log(1));
    let stands_alone = |text: &str| {
        assert!(text.contains(&word(0)) && text.contains("left out"), "{text}");
        assert!(!text.contains("unchanged") && !text.contains("since [ctx:"), "{text}");
    };
    stands_alone(&untold.replaced("make all", &log(1)));
    let host = told_host(&env);
    stands_alone(&host.replaced("make all", &log(1)));
    assert!(host.replaced("make all", &log(1)).contains("unchanged since"));
    host.hook("PreCompact", json!({ "trigger": "auto" }));
    stands_alone(&host.replaced("make all", &log(1)));
    assert!(host.replaced("make all", &log(1)).contains("unchanged since"));
    host.start("clear");
    stands_alone(&host.replaced("make all", &log(1)));
    let other = Host { session: "conversation-2", ..host };
    let text = other.replaced("make all", &log(1).replace("done in", "warning: slow\ndone in"));
    stands_alone(&text);
    let below = text.lines().rev().nth(1).unwrap();
    assert!(
        below.starts_with("earlier run [ctx:") && below.ends_with(": 1 line new, 0 lines gone"),
        "{text}"
    );
}

#[test]
fn a_subagent_does_not_have_the_main_agents_context() {
    let env = TestEnv::new();
    let host = told_host(&env);
    env.write("log.txt", log(1));
    assert!(!host.run("cat log.txt").contains("unchanged"));
    assert!(host.run("cat log.txt").contains("unchanged since"));
    let response = json!({ "stdout": log(1), "stderr": "" });
    let input = json!({ "command": "cat log.txt" });
    let fields = json!({
        "tool_name": "Bash", "tool_input": input, "tool_response": response, "agent_id": "a1", "agent_type": "x",
    });
    let text = replacement(&host.hook("PostToolUse", fields.clone()));
    assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
    let text = replacement(&host.hook("PostToolUse", fields.clone()));
    assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
    // From now on a call of our own may be one of the subagent.
    host.hook("PreToolUse", fields);
    let text = host.run("cat log.txt");
    assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
}

#[test]
fn test_results_are_told_against_the_last_run() {
    let env = TestEnv::new();
    let host = told_host(&env);
    let others: Vec<String> = (0..300).map(|number| format!("suite::case_{number}")).collect();
    let run = |outcomes: &[(&str, &str)]| {
        let mut tests = outcomes.to_vec();
        tests.extend(others.iter().map(|name| (name.as_str(), "ok")));
        env.write("out.txt", cargo_test(&tests));
        host.run("PATH=bin:$PATH cargo test")
    };
    std::fs::create_dir(env.project().join("bin")).unwrap();
    let cargo = env.write("bin/cargo", "#!/bin/sh\ncat out.txt\n! grep -q FAILED out.txt\n");
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let good = run(&[("a::one", "ok"), ("a::two", "ok")]);
    let broken = run(&[("a::one", "FAILED"), ("a::two", "FAILED")]);
    let since = broken.lines().find(|line| line.starts_with("since [ctx:")).unwrap();
    assert!(since.contains(&reference_in(&good)) && since.contains("] (exit 0): "), "{since}");
    assert!(since.contains("new failures: a::one, a::two"), "{since}");
    assert!(since.contains("passed 302 -> 300; failed 0 -> 2"), "{since}");
    let half = run(&[("a::one", "ok"), ("a::two", "FAILED")]);
    let since = half.lines().find(|line| line.starts_with("since [ctx:")).unwrap();
    assert!(since.contains("pass now: a::one; 1 still failing"), "{since}");
    assert!(since.contains(&format!("last success [ctx:{}]", reference_in(&good))), "{since}");
    let removed = run(&[("a::one", "ok")]);
    let since = removed.lines().find(|line| line.starts_with("since [ctx:")).unwrap();
    assert!(since.contains("now not reported (fixed, removed or not run): a::two"), "{since}");
    assert!(!since.contains("pass now"), "{since}");
}

#[test]
fn changed_lines_are_marked_within_the_budget() {
    let env = TestEnv::new();
    let host = told_host(&env);
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    host.replaced("make all", &log(1));
    let changed = log(1).replace("done in", &format!("[ctx:aaaaaaaaaa] {secret} new\ndone in"));
    let text = host.replaced("make all", &changed);
    assert!(text.contains(": 1 line new, 0 lines gone\n+ | [ctx:aaaaaaaaaa] [redacted:"), "{text}");
    assert!(!text.contains(secret) && text.len() <= 1_600 + 60, "{} {text}", text.len());
    let lines: Vec<String> = changed.lines().map(str::to_owned).collect();
    let reordered: String = lines.iter().rev().map(|line| format!("{line}\n")).collect();
    let text = host.replaced("make all", &reordered);
    assert!(text.contains("same lines in another order") && text.contains("left out"), "{text}");
    let other: String = (5_000..8_000).map(|number| format!("{}\n", word(number * 3))).collect();
    let text = host.replaced("make all", &other);
    assert!(!text.contains("since [ctx:"), "another text is not a list of changes: {text}");
}

#[test]
fn other_folders_projects_and_arguments_are_other_runs() {
    let env = TestEnv::new();
    let host = told_host(&env);
    let path = env.write("log.txt", log(1));
    std::fs::create_dir(env.project().join("sub")).unwrap();
    let command = format!("cat {}", path.display());
    let run_in = |folder: &std::path::Path| {
        let cwd = folder.display().to_string();
        let words = ["run", "--digest", "--session", host.session, "--cwd", &cwd, "--", &command];
        finish(env.command(words), b"").ok().text()
    };
    run_in(&env.project());
    let text = run_in(&env.project().join("sub"));
    assert!(!text.contains("unchanged") && !text.contains("earlier run"), "{text}");
    assert!(run_in(&env.project()).contains("unchanged since"));
    env.write("copy.txt", log(1));
    let text = host.run(&format!("cat {}", env.project().join("copy.txt").display()));
    assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
    let elsewhere = env.add_project("elsewhere");
    let text =
        env.forebay_in(&elsewhere, ["run", "--digest", "--session", host.session, "--", &command]);
    assert!(!text.ok().text().contains("unchanged"));
}

#[test]
fn a_view_that_was_asked_for_is_shown_and_the_setting_turns_all_off() {
    let env = TestEnv::new();
    let host = told_host(&env);
    env.write("log.txt", log(1));
    host.run("cat log.txt");
    let words =
        ["run", "--digest", "--session", host.session, "--budget", "900", "--", "cat log.txt"];
    let text = finish(env.command(words), b"").ok().text();
    assert!(text.contains(&word(0)) && text.contains("same output"), "{text}");
    assert!(text.len() <= 3_600, "{}", text.len());
    env.write(".forebay.toml", "digest.diff = false\n");
    let text = host.run("cat log.txt");
    assert!(text.contains(&word(0)) && !text.contains("same output"), "{text}");
}

#[test]
fn long_output_is_not_compared() {
    let env = TestEnv::new();
    let host = told_host(&env);
    let command = "yes 'a line of some length' | head -c 3000000";
    host.run(command);
    let text = host.run(command);
    assert!(text.starts_with("[ctx:") && !text.contains("unchanged"), "{text}");
}

#[test]
fn a_part_of_an_output_is_no_earlier_run() {
    let env = TestEnv::new();
    let host = told_host(&env);
    // The host says that it saved more than it passes on, in a file that is not its own.
    let elsewhere = env.write("saved.txt", log(1));
    let cut = json!({
        "stdout": log(1), "stderr": "", "persistedOutputPath": elsewhere, "persistedOutputSize": 9_000_000,
    });
    let first = host.tool("Bash", json!({ "command": "make all" }), cut);
    assert!(replacement(&first).contains("cut by the host"));
    let text = host.replaced("make all", &log(1));
    assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
}

#[test]
fn a_run_that_is_still_going_is_no_earlier_run() {
    let env = TestEnv::new();
    let host = told_host(&env);
    env.write("log.txt", log(1));
    let script = "cat log.txt\nif [ -e slow ]; then touch started; while [ -e slow ]; do sleep 0.1; done; fi\n";
    env.write("script.sh", script);
    let slow = env.write("slow", "");
    thread::scope(|scope| {
        let going = scope.spawn(|| host.run("sh script.sh"));
        let started = env.project().join("started");
        assert!(wait_until(Duration::from_mins(1), || started.exists()));
        // A script that does not wait; the shell has read the other one.
        let other = env.write("quick.sh", script.replace("slow", "absent"));
        std::fs::rename(&other, env.project().join("script.sh")).unwrap();
        let text = host.run("sh script.sh");
        std::fs::remove_file(&slow).unwrap();
        assert!(text.contains(&word(0)) && !text.contains("unchanged"), "{text}");
        going.join().unwrap();
    });
}

#[test]
fn of_concurrent_runs_at_most_one_relies_on_the_other() {
    let env = TestEnv::new();
    let host = told_host(&env);
    env.write("log.txt", log(1));
    let texts: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| host.run("cat log.txt"))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(
        texts.iter().any(|text| text.contains(&word(0))),
        "one of them shows the output: {texts:?}"
    );
}

#[test]
fn tools_tell_differences_too() {
    let env = TestEnv::new();
    told_host(&env);
    env.write("log.txt", log(1));
    let mut server = McpClient::initialized(env.command(["mcp", "--session", "conversation-1"]));
    let first = server.text("ctx_execute", json!({ "code": "cat log.txt" }));
    let again = server.text("ctx_execute", json!({ "code": "cat log.txt" }));
    let unchanged = format!("unchanged since [ctx:{}]", reference_in(&first));
    assert!(again.contains(&unchanged) && again.lines().count() == 1, "{again}");
    let batch = server.text("ctx_batch_execute", json!({ "commands": ["cat log.txt", "echo x"] }));
    assert!(batch.contains(&format!("unchanged since [ctx:{}]", reference_in(&again))), "{batch}");
    assert!(!batch.contains(&word(0)), "{batch}");
    let whole = server.text("ctx_execute", json!({ "code": "cat log.txt", "intent": word(77) }));
    assert!(whole.contains(&word(77)) && !whole.contains("unchanged"), "{whole}");
}

#[test]
fn on_a_server_a_run_is_told_against_the_default_branch() {
    let Some(url) = unused_workspace() else { return };
    let env = TestEnv::on_server(url);
    let folder = env.project().join(".git/refs/remotes/origin");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("HEAD"), "ref: refs/remotes/origin/trunk\n").unwrap();
    let run_on = |branch: &str, line: &str| {
        check_out(&env.project(), branch);
        env.write("log.txt", log(1).replace("done in", &format!("{line}\ndone in")));
        env.forebay(["run", "--digest", "--", "cat log.txt"]).ok().text()
    };
    let trunk = run_on("trunk", "as on trunk");
    run_on("topic", "as on topic");
    let text = run_on("topic", "as on topic again");
    let earlier =
        format!("earlier run [ctx:{}] (exit 0): 1 line new, 1 line gone", reference_in(&trunk));
    assert!(text.contains(&earlier), "{text}");
}
