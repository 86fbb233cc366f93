//! `forebay watch`: in a terminal, and in a pipe.

use std::io::{BufRead, BufReader, Read};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, reference_in, wait_until};
use crate::hook_host::Host;
use crate::pty::Terminal;

fn build_log() -> String {
    (0..2_000).map(|number| format!("line {number} of the build\n")).collect()
}

/// A digest, a denied call, and a run that passed.
fn worked(env: &TestEnv) -> String {
    std::fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(sudo:*)"]}}"#);
    let host = Host::new(env);
    let answer = host.ran("make everything", &build_log()).answer().to_string();
    host.before_tool("Bash", json!({ "command": "sudo reboot" }));
    env.forebay(["run", "--", "echo", "short"]).ok();
    reference_in(&answer)
}

fn watch(env: &TestEnv, rows: u16, columns: u16) -> Terminal {
    Terminal::open(env.command(["watch"]), rows, columns)
}

#[test]
fn calls_are_listed_and_their_texts_shown_side_by_side() {
    let env = TestEnv::new();
    let reference = worked(&env);
    let mut terminal = watch(&env, 40, 140);
    terminal.waits_for("make everything");
    let screen = terminal.screen();
    assert!(screen.contains("1 replaced · 1 passed · 1 denied"), "{screen}");
    assert!(screen.contains("denied   Bash") && screen.contains("sudo reboot"), "{screen}");
    terminal.press("jj");
    terminal.waits_for(&format!("[ctx:{reference}]"));
    terminal.waits_for("lines left out");
    let is_side_by_side = |line: &str| line.contains("digest · ") && line.contains("raw text · ");
    assert!(terminal.screen().lines().any(is_side_by_side), "{}", terminal.screen());
    terminal.press("\r");
    terminal.waits_for("Enter unfold");
    terminal.resize(24, 80);
    let is_stacked = || {
        let screen = terminal.screen();
        let has_heading = |start: &str| screen.lines().any(|line| line.starts_with(start));
        has_heading("digest · ") && has_heading("raw text · ")
    };
    assert!(wait_until(HANG_TIMEOUT, is_stacked), "{}", terminal.screen());
    terminal.press("q");
    assert!(terminal.ends().success());
    assert!(!terminal.is_alternate());
}

#[test]
fn a_new_call_appears_and_waits_while_paused() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let mut terminal = watch(&env, 24, 80);
    terminal.waits_for("No calls yet");
    host.ran("make first", &build_log());
    terminal.waits_for("make first");
    terminal.press("p");
    terminal.waits_for("paused");
    host.ran("make second", &build_log().replace("build", "second build"));
    terminal.waits_for("paused, 1 wait");
    assert!(!terminal.screen().contains("make second"));
    terminal.press("p");
    terminal.waits_for("make second");
    terminal.press("/first\r");
    terminal.waits_until_gone("make second");
    terminal.press("\u{3}");
    assert!(terminal.ends().success());
}

#[test]
fn what_is_hostile_never_reaches_the_terminal() {
    let env = TestEnv::new();
    let mut log = build_log();
    log.insert_str(0, "error: \u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mred\u{1b}[0m \u{202e}back\n");
    log.push_str("error: the end \u{1b}]52;c;ZXZpbA==\u{7}\n");
    let answer = Host::new(&env).ran("printf '\u{1b}]0;title\u{7}'", &log).answer().to_string();
    let mut terminal = watch(&env, 40, 140);
    terminal.waits_for("raw text");
    terminal.waits_for("\\u{202e}");
    terminal.press("\rc");
    let copied = format!("copied [ctx:{}]", reference_in(&answer));
    terminal.waits_for(&copied);
    terminal.press("q");
    assert!(terminal.ends().success());
    let drawn = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    for hostile in ["\u{1b}]0;", "ZXZpbA==\u{7}", "\u{202e}", "\u{1b}[31mred"] {
        assert!(!drawn.contains(hostile), "{hostile:?}");
    }
    assert_eq!(drawn.matches("\u{1b}]52;c;").count(), 1, "only what the user copies");
}

#[test]
fn without_colours_and_after_a_signal() {
    let env = TestEnv::new();
    worked(&env);
    let mut command = env.command(["watch"]);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::open(command, 24, 80);
    terminal.waits_for("make everything");
    terminal.signal(Signal::TERM);
    assert!(terminal.ends().success());
    assert!(!terminal.is_alternate(), "the screen is as it was");
    let drawn = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    let has_colour = drawn.split("\u{1b}[").skip(1).any(|rest| {
        let codes = rest.split(|c: char| c.is_ascii_alphabetic()).next().unwrap_or_default();
        let is_style = rest[codes.len()..].starts_with('m');
        is_style
            && codes.split(';').any(|code| matches!(code.parse(), Ok(30..=38 | 40..=48 | 90..=107)))
    });
    assert!(!has_colour, "{drawn:?}");
}

#[test]
fn the_last_calls_are_printed_without_a_terminal() {
    let env = TestEnv::new();
    let reference = worked(&env);
    let text = env.forebay(["watch", "--once"]).ok().text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    let replaced = format!("[ctx:{reference}]");
    assert!(lines[0].contains("replaced  Bash  make everything") && lines[0].ends_with(&replaced));
    assert!(lines[1].contains("denied  Bash  sudo reboot"), "{text}");
    assert!(lines[2].contains("passed  run  echo short  exit 0"), "{text}");
    let json: Vec<Value> = env
        .forebay(["watch", "--once", "--json"])
        .ok()
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&json[0]["outcome"], &json[0]["ref"]), (&json!("replaced"), &json!(reference)));
    let tokens = |name: &str| json[0][name].as_u64().unwrap();
    assert!(tokens("tokens_before") > 5_000 && tokens("tokens_after") < 500, "{json:?}");
    assert!(json[1]["reason"].as_str().unwrap().contains("Bash(sudo:*)"), "{json:?}");
}

#[test]
fn lines_follow_until_the_reader_is_gone() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("hello");
    let mut child = env.command(["watch"]).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    host.ran("make later", &build_log());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.contains("replaced  Bash  make later"), "{line}");
    drop(reader);
    assert!(wait_until(HANG_TIMEOUT, || child.try_wait().unwrap().is_some()));
    assert!(child.wait().unwrap().success());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
}

#[test]
fn all_projects_are_followed_also_new_ones() {
    let env = TestEnv::new();
    worked(&env);
    let other = env.add_project("other");
    env.forebay_in(&other, ["run", "--", "echo", "elsewhere"]).ok();
    let text = env.forebay(["watch", "--once", "--all"]).ok().text();
    assert!(text.contains("replaced  app  Bash") && text.contains("passed  other  run"), "{text}");
    assert!(!env.forebay(["watch", "--once"]).ok().text().contains("elsewhere"));
    let terminal = Terminal::open(env.command(["watch", "--all"]), 24, 120);
    terminal.waits_for("echo elsewhere");
    let third = env.add_project("third");
    env.forebay_in(&third, ["run", "--", "echo", "the third one"]).ok();
    terminal.waits_for("echo 'the third one'");
}

#[test]
fn a_store_that_cannot_be_read_is_named_and_the_others_are_followed() {
    let env = TestEnv::new();
    worked(&env);
    let other = env.add_project("other");
    env.forebay_in(&other, ["run", "--", "echo", "elsewhere"]).ok();
    let stores = std::fs::read_dir(env.data().join("projects")).unwrap();
    let mut folders = stores.map(|folder| folder.unwrap().path());
    let folder = folders.find(|path| path.to_string_lossy().contains("/other-")).unwrap();
    let database = rusqlite::Connection::open(folder.join("store.db")).unwrap();
    let newer = "INSERT INTO migration (name, checksum) VALUES ('9999_future', 'x')";
    database.execute(newer, ()).unwrap();
    drop(database);
    let output = env.forebay(["watch", "--once", "--all"]).ok();
    assert!(output.text().contains("replaced  app  Bash"), "{}", output.text());
    assert!(output.stderr.contains("other: "), "{}", output.stderr);
}

#[test]
fn a_store_that_begins_again_is_followed() {
    let env = TestEnv::new();
    for word in ["one", "two", "three"] {
        env.forebay(["run", "--", "echo", word]).ok();
    }
    let mut terminal = watch(&env, 24, 80);
    terminal.waits_for("echo three");
    let database = env.database();
    for ending in ["-wal", "-shm", ""] {
        let _ = std::fs::remove_file(format!("{}{ending}", database.display()));
    }
    env.forebay(["run", "--", "echo", "the new store"]).ok();
    terminal.waits_for("echo 'the new store'");
    terminal.press("q");
    assert!(terminal.ends().success());
}

#[test]
fn a_result_that_was_held_out_passed() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "experiment.holdout = 1\n");
    Host::new(&env)
        .hook(
            "PostToolUse",
            json!({
                "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "make" },
                "tool_response": { "stdout": build_log(), "stderr": "", "interrupted": false, "isImage": false },
            }),
        )
        .silent();
    let text = env.forebay(["watch", "--once"]).ok().text();
    assert!(text.contains("passed  Bash  make") && text.contains("held out"), "{text}");
}
