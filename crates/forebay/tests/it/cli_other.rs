//! The other commands: history, reflect, purge, stats, doctor, config, digest, demo, completions and man page.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};
use crate::texts::{tokens, varied_log};

#[test]
fn history_pages_list_every_entry_exactly_once_newest_first() {
    let env = TestEnv::new();
    let mut expect: Vec<String> =
        (0..23).map(|number| env.noted(&format!("note {number}"))).collect();
    expect.reverse();
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut line = vec!["history", "--json", "--limit", "5"];
        line.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
        let page = finish(env.command(line), b"").ok().json();
        let entries = page["entries"].as_array().unwrap();
        assert!(entries.len() <= 5);
        seen.extend(entries.iter().map(|entry| entry["ref"].as_str().unwrap().to_owned()));
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, expect);
}

#[test]
fn history_prints_the_cursor_of_the_next_page() {
    let env = TestEnv::new();
    (0..3).for_each(|number| drop(env.noted(&format!("note {number}"))));
    let text = env.forebay(["history", "--limit", "2"]).ok().text();
    let cursor = text.rsplit_once("older: ctx_history cursor=").unwrap().1;
    let older = env.forebay(["history", "--cursor", cursor]).ok().text();
    assert!(older.contains("note 0") && !older.contains("note 1"), "{older}");
}

#[test]
fn history_reaches_every_entry_with_the_smallest_budget() {
    let env = TestEnv::new();
    let mut expect: Vec<String> =
        (0..4).map(|number| env.noted(&format!("{number} {}", "long title ".repeat(20)))).collect();
    expect.reverse();
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut line = vec!["history", "--budget", "50"];
        line.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
        let text = finish(env.command(line), b"").ok().text();
        assert!(tokens(&text) <= 50, "{text}");
        seen.extend(text.match_indices("[ctx:").map(|(at, _)| text[at + 5..at + 15].to_owned()));
        match text.rsplit_once("older: ctx_history cursor=") {
            Some((_, next)) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, expect);
}

#[test]
fn history_shows_one_session_or_all() {
    let env = TestEnv::new();
    env.forebay(["--session", "one", "note", "first"]).ok();
    env.forebay(["--session", "two", "note", "second"]).ok();
    let one = env.forebay(["--session", "one", "history"]).ok().text();
    assert!(one.contains("first") && !one.contains("second"), "{one}");
    let all = env.forebay(["history", "--all"]).ok().text();
    assert!(all.contains("first") && all.contains("second"), "{all}");
    env.forebay(["--session", "three", "history"]).refused(
        1,
        "unknown session `three`",
        "two, one",
    );
}

#[test]
fn takes_the_session_id_from_the_host() {
    let env = TestEnv::new();
    let mut command = env.command(["note", "of the host"]);
    command.env("CLAUDE_CODE_SESSION_ID", "host-1");
    finish(command, b"").ok();
    let history = env.forebay(["--session", "host-1", "history"]).ok().text();
    assert!(history.contains("of the host"), "{history}");
}

#[test]
fn history_and_reflect_work_in_a_new_session() {
    let env = TestEnv::new();
    env.forebay(["--session", "yesterday", "note", "of yesterday"]).ok();
    for line in ["history", "reflect"] {
        let mut command = env.command([line]);
        command.env("FOREBAY_SESSION", "today");
        finish(command, b"").ok();
    }
}

#[test]
fn a_reflection_has_at_most_a_hundred_words() {
    let env = TestEnv::new();
    for number in 0..12 {
        let text =
            format!("decision {number}: {}", "we will do it this way and no other ".repeat(4));
        env.forebay(["note", "--kind", "decision", &text]).ok();
        env.forebay(["run", "--", &format!("echo {number} and many other words; exit 1")]);
    }
    let text = env.forebay(["reflect"]).ok().text();
    assert!(text.split_whitespace().count() <= 100, "{text}");
    assert!(text.contains("12 runs (12 failed), 12 notes"), "{text}");
    assert!(text.contains("Decided: decision 11"), "{text}");
    assert!(text.ends_with('…'), "truncation is marked: {text}");
}

#[test]
fn a_reflection_lists_runs_decisions_and_open_tasks() {
    let env = TestEnv::new();
    assert!(env.forebay(["reflect"]).ok().text().contains("nothing yet"));
    env.forebay(["run", "--", "exit 1"]);
    env.forebay(["note", "--kind", "todo", "fix the build"]).ok();
    env.forebay(["note", "--kind", "decision", "use WAL"]).ok();
    let text = env.forebay(["reflect"]).ok().text();
    for part in ["1 run", "Decided: use WAL", "Open: fix the build", "Still failing: `exit 1`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn purge_deletes_only_with_yes_and_previews_otherwise() {
    let env = TestEnv::new();
    let doomed = env.noted("to be forgotten");
    let kept = env.noted("to be kept");
    let answer = env.forebay(["purge", &doomed]).ok().text();
    assert!(answer.starts_with("1 entry (including 1 note), "), "{answer}");
    assert!(
        answer.contains("would be deleted") && answer.ends_with("the same with --yes"),
        "{answer}"
    );
    assert_eq!(env.forebay(["get", &doomed]).ok().body(), "to be forgotten");

    let done = env.forebay(["purge", "--yes", &doomed]).ok().text();
    assert!(done.contains(" deleted") && !done.contains("would"), "{done}");
    env.forebay(["get", &doomed]).refused(1, "was deleted: it was purged on request", "again");
    assert_eq!(env.forebay(["get", &kept]).ok().body(), "to be kept");
    assert!(env.forebay(["search", "forgotten"]).ok().text().contains("nothing found"));
}

#[test]
fn purge_selects_exactly_what_its_conditions_match() {
    let env = TestEnv::new();
    let old = env.forebay(["--session", "s1", "note", "one"]).ok().reference();
    let new = env.forebay(["--session", "s2", "note", "two"]).ok().reference();
    let count = |arguments: &[&str]| {
        let line = [&["purge", "--json"], arguments].concat();
        finish(env.command(line), b"").ok().json()["entries"].clone()
    };
    assert_eq!(count(&["--everything"]), 2);
    assert_eq!(count(&["--of-session", "s1"]), 1);
    assert_eq!(count(&["--of-session", "s1", "--older-than-days", "1"]), 0);
    assert_eq!(count(&["--expired"]), 0, "notes never expire");
    env.forebay(["purge", "--of-session", "s1", "--yes"]).ok();
    assert_eq!(env.forebay(["get", &old]).code(), Some(1));
    assert_eq!(env.forebay(["get", &new]).code(), Some(0));
}

#[test]
fn purge_without_a_selection_is_refused() {
    let env = TestEnv::new();
    env.noted("kept");
    env.forebay(["purge", "--yes"]).refused(2, "nothing is selected", "--everything");
}

#[test]
fn purge_of_an_unknown_reference_fails() {
    let env = TestEnv::new();
    env.noted("kept");
    let done = env.forebay(["purge", "--yes", "zzzzzzzzzz"]);
    assert_eq!(done.code(), Some(1), "{done:?}");
    assert!(done.stderr.contains("zzzzzzzzzz"), "{done:?}");
}

#[test]
fn purged_text_is_erased_from_the_files() {
    let env = TestEnv::new();
    let reference = env.noted("xyzzysecretword");
    assert!(
        count_files_containing(&env, b"xyzzysecretword") > 0,
        "the text is stored before the purge"
    );
    env.forebay(["purge", "--yes", &reference]).ok();
    assert_eq!(count_files_containing(&env, b"xyzzysecretword"), 0);
}

fn count_files_containing(env: &TestEnv, needle: &[u8]) -> usize {
    let folder = env.database().parent().unwrap().to_owned();
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| path.is_file())
        .filter(|path| fs::read(path).unwrap().windows(needle.len()).any(|part| part == needle))
        .count()
}

fn stats(env: &TestEnv) -> Value {
    env.forebay(["stats", "--json"]).ok().json()["project"].clone()
}

#[test]
fn stats_compare_with_what_the_host_would_show() {
    let env = TestEnv::new();
    env.write("small", varied_log(100));
    let small = tokens(&varied_log(100));
    let answer = tokens(&env.forebay(["--session", "s", "run", "--", "cat small"]).ok().text());
    let row = stats(&env)["tools"]["ctx_execute"].clone();
    assert_eq!(row["answers"], 1);
    assert_eq!(row["host_tokens"], small);
    assert_eq!(row["delivered_tokens"], answer);
    assert_eq!(row["saved_tokens"], json!(small as i64 - answer as i64));
}

#[test]
fn stats_cap_savings_at_what_a_host_shows() {
    let env = TestEnv::new();
    env.write("large", "x".repeat(1_000_000));
    let answer = tokens(&env.forebay(["--session", "s", "run", "--", "cat large"]).ok().text());
    let row = stats(&env)["tools"]["ctx_execute"].clone();
    assert_eq!(row["raw_tokens"], 250_000);
    assert_eq!(row["host_tokens"], 7_500);
    assert_eq!(row["saved_tokens"], json!(7_500 - answer as i64));
}

#[test]
fn stats_columns_are_aligned_and_plain_in_a_pipe() {
    let env = TestEnv::new();
    env.write("a.md", "walrus");
    let mut mcp = env.mcp();
    let batch = json!({ "commands": ["echo one"], "queries": [] });
    mcp.text("ctx_batch_execute", batch);
    mcp.text("ctx_index", json!({ "path": "a.md" }));
    assert!(mcp.close().success());
    let text = env.forebay(["stats"]).ok().text();
    let table: Vec<&str> = text.lines().take_while(|line| !line.starts_with("stored")).collect();
    assert!(table.iter().any(|row| row.contains("ctx_batch_execute")), "{text}");
    assert!(table.iter().all(|row| row.len() == table[0].len() && row.len() <= 80), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn commands_at_a_terminal_are_no_conversation() {
    let env = TestEnv::new();
    env.write("a.rs", varied_log(300));
    env.forebay(["run", "--", "cat a.rs"]).ok();
    env.forebay(["index", "a.rs"]).ok();
    env.forebay(["peek", "a.rs"]).ok();
    env.forebay(["search", "line"]).ok();
    env.forebay(["stats"]).ok();
    let project = stats(&env);
    assert_eq!((&project["total"]["answers"], &project["tools"]), (&json!(0), &json!({})));
    let text = env.forebay(["stats"]).ok().text();
    assert!(!text.contains("this session") && text.contains("not counted"), "{text}");
}

#[test]
fn only_text_that_a_host_would_have_shown_is_credited() {
    let env = TestEnv::new();
    env.write("a.rs", format!("pub fn a() {{\n{}}}\n", "    work();\n".repeat(500)));
    let mut mcp = env.mcp();
    mcp.text("ctx_index", json!({ "path": "a.rs" }));
    mcp.text("context_peek", json!({ "path": "a.rs" }));
    mcp.text("context_peek", json!({ "path": "." }));
    assert!(mcp.close().success());
    for (tool, row) in stats(&env)["tools"].as_object().unwrap() {
        assert_eq!(row["host_tokens"], 0, "{tool} {row}");
    }
}

#[test]
fn a_job_s_output_is_credited_once() {
    let env = TestEnv::new();
    env.write("log", varied_log(200));
    let mut mcp = env.mcp();
    mcp.text("ctx_execute", json!({ "code": "cat log", "background": true }));
    for action in ["wait", "wait", "read"] {
        mcp.text("ctx_job", json!({ "job": "j1", "action": action }));
    }
    assert!(mcp.close().success());
    let total = stats(&env)["total"].clone();
    assert_eq!(total["host_tokens"], tokens(&varied_log(200)), "{total}");
}

#[test]
fn stats_subtract_the_cost_of_the_tool_list() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "a note" }));
    assert!(mcp.close().success());
    let project = stats(&env);
    let list = &project["tools"]["tool list"];
    assert_eq!(list["answers"], 1);
    let cost = list["delivered_tokens"].as_i64().unwrap();
    assert!(cost > 300, "{cost}");
    assert_eq!(list["saved_tokens"], json!(-cost));
    assert!(project["total"]["saved_tokens"].as_i64().unwrap() <= -cost);
}

#[test]
fn stats_count_stored_entries_and_bytes() {
    let env = TestEnv::new();
    env.stored("12345\n");
    env.noted("abc");
    let store = env.forebay(["stats", "--json"]).ok().json()["store"].clone();
    assert_eq!(store["entries"], json!({ "note": 1, "run": 1 }));
    assert_eq!(store["raw_bytes"], 9);
}

#[test]
fn doctor_reports_a_new_installation_as_healthy() {
    let env = TestEnv::new();
    let text = env.forebay(["doctor"]).ok().text();
    for check in ["forebay", "project", "data", "store", "index", "shell"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("ok     {check}"))), "{text}");
    }
    assert_eq!(env.forebay(["doctor", "--json"]).ok().json()["healthy"], true);
}

#[test]
fn doctor_reports_a_data_folder_open_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.noted("x");
    fs::set_permissions(env.data(), fs::Permissions::from_mode(0o755)).unwrap();
    let answer = env.forebay(["doctor"]);
    assert_eq!(answer.code(), Some(1));
    assert!(
        answer.text().contains("BROKEN data") && answer.text().contains("chmod 700"),
        "{answer:?}"
    );
}

/// Returns the value of a setting and its origin.
#[track_caller]
fn setting(
    env: &TestEnv,
    key: &str,
    arguments: &[&str],
    variable: Option<&str>,
) -> (Value, String) {
    let mut command = env.command([&["config", "--json"], arguments].concat());
    if let Some(value) = variable {
        command.env("FOREBAY_DIGEST_BUDGET", value);
    }
    let row = finish(command, b"").ok().json()[key].clone();
    (row["value"].clone(), row["from"].as_str().unwrap().to_owned())
}

#[test]
fn each_settings_layer_overrides_the_previous() {
    let env = TestEnv::new();
    let budget = |arguments: &[&str], variable| {
        let (value, from) = setting(&env, "digest.budget", arguments, variable);
        (value.as_i64().unwrap(), env.redact(&from))
    };
    assert_eq!(budget(&[], None), (400, "default".to_owned()));
    fs::create_dir(env.data()).unwrap();
    fs::write(env.data().join("settings.toml"), "[digest]\nbudget = 301\n").unwrap();
    assert_eq!(budget(&[], None), (301, "[ROOT]/data/settings.toml".to_owned()));
    env.write(".forebay.toml", "digest.budget = 302\n");
    assert_eq!(budget(&[], None), (302, "[ROOT]/app/.forebay.toml".to_owned()));
    assert_eq!(budget(&[], Some("303")), (303, "FOREBAY_DIGEST_BUDGET".to_owned()));
    let flag = ["--set", "digest.budget=304"];
    assert_eq!(budget(&flag, Some("303")), (304, "--set".to_owned()));
}

#[test]
fn a_setting_takes_effect() {
    let env = TestEnv::new();
    env.write("log", varied_log(500));
    let shown = |arguments: &[&str]| {
        let line = [&["run"], arguments, &["--", "cat log"]].concat();
        tokens(&finish(env.command(line), b"").ok().text())
    };
    assert!(shown(&["--set", "digest.budget=120"]) <= 120);
    assert!(shown(&["--set", "digest.budget=1000"]) > 400);
}

#[test]
fn reports_invalid_settings_with_their_location() {
    let env = TestEnv::new();
    let set = |flag: &str| env.forebay(["config", "--set", flag]);
    set("digest.budgt=1").refused(2, "unknown setting `digest.budgt`", "forebay config");
    set("digest.budget=many").refused(2, "a non-negative integer", "forebay config");
    set("digest.budget").refused(2, "key=value", "forebay config");
    env.write(".forebay.toml", "digest.nope = 1\n");
    env.forebay(["run", "--", "touch ran"]).refused(
        2,
        ".forebay.toml:1:8: unknown setting",
        "config",
    );
    assert!(!env.project().join("ran").exists());
    env.write(".forebay.toml", "digest = [\n");
    env.forebay(["run", "true"]).refused(2, ".forebay.toml:1:", "TOML");
}

#[test]
fn config_lists_every_setting_and_file() {
    let env = TestEnv::new();
    let text = env.forebay(["config"]).ok().text();
    let row = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap();
    assert_eq!(
        row("digest.budget").split_whitespace().collect::<Vec<_>>(),
        ["digest.budget", "400", "default"]
    );
    // The column fits the longest name.
    let column = |value: &str, key: &str| row(key).find(value).unwrap();
    assert_eq!(
        column("400", "digest.budget"),
        column("60000", "embedder.batch_timeout_ms"),
        "{text}"
    );
    assert!(env.redact(&text).contains("[ROOT]/app/.forebay.toml (not found)"), "{text}");
}

#[test]
fn completions_contain_every_command() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = env.forebay(["completions", shell]).ok().text();
        for command in ["run", "get", "search", "note", "history", "purge", "doctor", "mcp"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(env.forebay(["completions", "nosuchshell"]).code(), Some(2));
}

#[test]
fn bash_accepts_its_completion_script() {
    let env = TestEnv::new();
    let script = env.forebay(["completions", "bash"]).ok().stdout;
    let mut bash = env.program("bash");
    bash.arg("-n");
    let checked = finish(bash, &script);
    assert_eq!((checked.code(), checked.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_manual_is_a_man_page() {
    let env = TestEnv::new();
    let page = env.forebay(["man"]).ok().text();
    assert!(page.contains(".TH forebay 1"), "{}", &page[..200]);
    assert!(page.contains(".SH SUBCOMMANDS") || page.contains("forebay\\-run"), "{page}");
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let env = TestEnv::new();
    let reference = env.stored(varied_log(100_000));
    let lines: [&[&str]; 5] = [
        &["get", "--raw", &reference],
        &["get", &reference, "--budget", "100000"],
        &["history"],
        &["completions", "bash"],
        &["stats", "--json"],
    ];
    for line in lines {
        let mut command = env.command(line);
        let (reader, writer) = std::io::pipe().unwrap();
        command.stdout(Stdio::from(writer));
        drop(reader);
        let ended = finish(command, b"");
        assert_eq!((ended.code(), ended.stderr.as_str()), (Some(0), ""), "{line:?}");
    }
}

#[test]
fn the_demo_shows_each_step_and_cleans_up() {
    let env = TestEnv::new();
    let text = env.forebay(["demo"]).ok().text();
    for step in [
        "$ forebay run -- sh build.sh",
        "exit 101",
        "migrates_from_v1",
        "--lines 415-420",
        "--grep 'FAILED'",
        "$ forebay search",
        "$ forebay note",
        "$ forebay reflect",
        "$ forebay stats",
        "forebay init",
    ] {
        assert!(text.contains(step), "{step}: {text}");
    }
    assert!(env.forebay(["history"]).ok().text().contains("nothing yet"));
    let left = fs::read_dir(env.root()).unwrap().count();
    assert_eq!(left, ["app", "data", "home"].len(), "the demo removes its folder");
}

#[test]
fn purge_says_how_many_entries_it_does_not_list() {
    let env = TestEnv::new();
    for number in 0..9 {
        env.forebay(["note", &format!("note {number}")]).ok();
    }
    let text = env.forebay(["purge", "--everything"]).ok().text();
    let listed = text.lines().filter(|line| line.starts_with("[ctx:")).count();
    assert!(text.contains(&format!("\n… {} more\n", 9 - listed)), "{text}");
}

/// The part of the README that shows the demo is between these lines.
const SAMPLE_START: &str =
    "<!-- The start of `forebay demo`; a test compares it. -->\n```console\n";
const SAMPLE_END: &str = "```\n";

/// References, times and what depends on their length are different in each run.
fn comparable(env: &TestEnv, text: &str) -> String {
    let mask =
        |line: &str| line.split_once(" -> ").map_or(line.to_owned(), |(head, _)| head.to_owned());
    env.redact(text).lines().map(mask).collect::<Vec<_>>().join("\n")
}

/// `INSTA_UPDATE=always` updates the README, as it does snapshots.
#[test]
fn the_readme_shows_what_the_demo_prints() {
    let env = TestEnv::new();
    let text = env.forebay(["demo"]).ok().text();
    let start = text.find("$ forebay run").unwrap();
    let end = text.find("\n$ forebay get").unwrap();
    let demo = &text[start..end];
    // Without the title of the second step.
    let demo = demo.rsplit_once("\n\n").unwrap().0;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = fs::read_to_string(path).unwrap();
    let (before, rest) = readme.split_once(SAMPLE_START).unwrap();
    let (sample, after) = rest.split_once(SAMPLE_END).unwrap();
    if comparable(&env, sample) == comparable(&env, demo) {
        return;
    }
    let update = std::env::var_os("INSTA_UPDATE").is_some_and(|word| word == "always");
    assert!(update, "README.md shows:\n{sample}\nthe demo prints:\n{demo}");
    fs::write(path, format!("{before}{SAMPLE_START}{demo}\n{SAMPLE_END}{after}")).unwrap();
}

#[test]
fn the_demo_ends_with_the_next_step() {
    let env = TestEnv::new();
    assert!(env.forebay(["demo"]).ok().text().ends_with("$ forebay init"));
}

#[test]
fn the_demo_states_the_correct_line_count() {
    let env = TestEnv::new();
    let text = env.forebay(["demo"]).ok().text();
    let count = text.split_once("A command prints ").unwrap().1.split_once(' ').unwrap().0;
    assert!(text.contains(&format!(" · {count} lines, ")), "{text}");
}

#[test]
fn a_digest_of_stdin_stays_within_its_budget() {
    let env = TestEnv::new();
    let log = varied_log(2_000);
    for budget in [1, 5, 20, 50, 150, 300, 600, 1_200] {
        let line = ["digest", "--budget", &budget.to_string()];
        let digest = env.forebay_reading(line, log.as_bytes()).ok().stdout;
        assert!(digest.len() <= budget * 4, "{} > {budget} tokens", digest.len());
    }
    let small = env.forebay_reading(["digest", "--budget", "50"], b"all of it\n").ok().stdout;
    assert_eq!(small, b"all of it\n");
    let unterminated = env.forebay_reading(["digest"], b"no newline").ok().stdout;
    assert_eq!(unterminated, b"no newline\n");
}

#[test]
fn an_explained_digest_says_of_each_line_why_it_is_shown() {
    let env = TestEnv::new();
    let end = "src/a.rs:3: error: no space left\nThe command \"make\" exited with 2.\n";
    let log = varied_log(500) + end;
    let log = log.as_bytes();
    let plain = env.forebay_reading(["digest", "--budget", "80"], log).ok().text();
    let explained = env.forebay_reading(["digest", "--budget", "80", "--explain"], log).ok().text();
    for (shown, line) in plain.lines().zip(explained.lines()) {
        let (text, reason) = line.split_once("  ← ").unwrap_or((line, ""));
        assert_eq!(text, shown);
        assert_eq!(reason.is_empty(), shown.starts_with('…'), "{line}");
    }
    let error = explained.lines().find(|line| line.contains("no space left")).unwrap();
    assert!(error.contains("line"), "{error}");
}

#[test]
fn a_digest_stores_nothing() {
    let env = TestEnv::new();
    env.forebay_reading(["digest"], b"text\n").ok();
    assert!(!env.data().exists());
}

#[test]
fn every_command_has_help() {
    let env = TestEnv::new();
    let help = env.forebay(["--help"]).ok().text();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        // Longer descriptions go on in indented lines.
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|command| !matches!(*command, "" | "help"))
        .collect();
    assert!(commands.len() >= 16, "{commands:?}");
    for command in commands {
        assert!(env.forebay([command, "--help"]).ok().text().contains("Usage"), "{command}");
    }
}

#[test]
fn purging_returns_disk_space() {
    let env = TestEnv::new();
    // Incompressible, so that the file has to grow by about as much.
    let text: String = (0..400_000u64)
        .map(|n| format!("{:016x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17)))
        .collect::<Vec<_>>()
        .join("\n");
    let reference = env.stored(&text);
    env.wait_for_checkpoint();
    let size = || fs::metadata(env.database()).unwrap().len();
    let full = size();
    assert!(full > 1_000_000, "{full}");
    env.forebay(["purge", "--yes", &reference]).ok();
    let left = size();
    assert!(left < full / 4, "{left} of {full} bytes are left");
}
