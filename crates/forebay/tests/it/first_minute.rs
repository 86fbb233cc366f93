//! The first minute: what `forebay` alone says, and the check at the end of `forebay init`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};
use crate::init::{files, write};

/// A PATH without agents, with the program or without it.
fn path(with_program: bool) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_forebay")).parent().unwrap().to_string_lossy();
    if with_program { format!("{folder}:/usr/bin:/bin") } else { "/usr/bin:/bin".to_owned() }
}

fn run(env: &TestEnv, arguments: &[&str]) -> Output {
    let mut command = env.command(arguments);
    command.env("PATH", path(true));
    finish(command, b"")
}

fn start_page(env: &TestEnv) -> Value {
    let page = run(env, &[]).ok().text();
    let data = run(env, &["--json"]).ok().json();
    assert!(page.contains(&format!("next      {}", data["next"].as_str().unwrap())), "{page}");
    data
}

#[test]
fn the_next_step_leads_from_an_empty_home_to_the_first_search() {
    let env = TestEnv::new();
    let before = files(env.root());
    assert_eq!(start_page(&env)["next"], "forebay demo", "no agent is here");
    fs::create_dir_all(env.home().join(".codex")).unwrap();
    let page = start_page(&env);
    assert_eq!(
        (&page["next"], &page["agents"]["not_set_up"]),
        (&json!("forebay init"), &json!(["Codex CLI"]))
    );
    assert!(!env.data().exists() && files(env.root()) == before, "the page writes nothing");

    run(&env, &["init", "--yes"]).ok();
    let page = start_page(&env);
    assert_eq!(page["agents"]["set_up"], json!(["Codex CLI (user)"]));
    assert_eq!(
        (&page["next"], &page["entries"]),
        (&json!("forebay run -- git log --stat"), &json!(0))
    );
    fs::remove_file(env.home().join(".codex/hooks.json")).unwrap();
    assert_eq!(start_page(&env)["next"], "forebay doctor --fix");
    run(&env, &["doctor", "--fix", "--yes"]).ok();

    env.noted("remember");
    let stored = fs::read(env.database()).unwrap();
    let page = start_page(&env);
    assert_eq!((&page["next"], &page["entries"]), (&json!("forebay search WORDS"), &json!(1)));
    assert_eq!(fs::read(env.database()).unwrap(), stored, "the page writes nothing");
    let mut command = env.command::<&str>([]);
    command.current_dir(env.home()).env("PATH", path(true));
    let page = finish(command, b"").ok().text();
    assert!(page.contains("~, which is never a project: nothing stored yet"), "{page}");
}

#[test]
fn entries_are_counted_while_a_session_writes() {
    let env = TestEnv::new();
    let mut session = env.mcp();
    for number in 0..3 {
        session.text("ctx_annotate", json!({ "text": format!("note {number}") }));
        assert_eq!(start_page(&env)["entries"], number + 1);
    }
}

#[test]
fn the_page_works_with_invalid_settings_and_without_a_home() {
    let env = TestEnv::new();
    write(&env.data().join("settings.toml"), "[digest]\nbudget = \"much\"\n");
    let page = run(&env, &[]).ok().text();
    assert!(page.contains("settings") && page.contains("budget"), "{page}");
    assert!(page.contains("next      forebay config edit\n"), "{page}");
    fs::remove_file(env.data().join("settings.toml")).unwrap();

    let mut homeless = env.command::<&str>([]);
    homeless.env_remove("HOME").env_remove("FOREBAY_HOME").env_remove("XDG_DATA_HOME");
    assert!(finish(homeless, b"").ok().text().contains("next      "));
    let mut off_path = env.command::<&str>([]);
    off_path.env("PATH", path(false));
    let page = finish(off_path, b"").ok().text();
    assert!(page.contains("program   not on the PATH: add /"), "{page}");
    let help = run(&env, &["--help"]).ok().text();
    assert!(help.contains("Usage: forebay [OPTIONS] [COMMAND]"), "{help}");
}

fn check_of(output: &Output) -> Vec<Value> {
    output.json()["check"].as_array().unwrap().clone()
}

#[test]
fn init_sees_hooks_and_tools_answer_and_stores_nothing() {
    let env = TestEnv::new();
    let mut command = env.command(["init", "claude", "codex", "zed", "--yes", "--json"]);
    // As in a shell that another agent has started, with settings for a server that is not there.
    command
        .env("PATH", path(true))
        .env("GEMINI_SESSION_ID", "g1")
        .env("FOREBAY_STORE_URL", "postgres://localhost:1/none");
    let output = finish(command, b"").ok();
    let check = check_of(&output);
    let seen: Vec<(&str, &Value, &Value)> = check
        .iter()
        .map(|one| {
            (
                one["agent"].as_str().unwrap(),
                &one["hook"]["answered"],
                &one["tool_call"]["answered"],
            )
        })
        .collect();
    let (yes, none) = (&json!(true), &Value::Null);
    assert_eq!(seen, [("claude-code", yes, yes), ("codex", yes, yes), ("zed", none, yes)]);
    let left: Vec<String> = fs::read_dir(env.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        left.iter().all(|name| ["created-folders", "set-up-locations"].contains(&&**name)),
        "{left:?}"
    );
    let temporary = fs::read_dir(env.root()).unwrap().map(|entry| entry.unwrap().file_name());
    let temporary: Vec<_> =
        temporary.filter(|name| name.to_string_lossy().contains("check")).collect();
    assert!(temporary.is_empty(), "{temporary:?}");

    let text = run(&env, &["init", "codex", "zed"]).ok().text();
    assert!(text.contains("nothing to change: 4 already set up"), "{text}");
    let codex =
        text.lines().find(|line| line.starts_with("  Codex CLI  hook answered in ")).unwrap();
    assert!(codex.ends_with("; waits for a step of yours, see below"), "{codex}");
    assert!(text.contains("type /hooks"), "the step is named: {text}");
    let zed =
        text.lines().find(|line| line.starts_with("  Zed        no hook, tool call answered in "));
    assert!(zed.is_some(), "{text}");
}

#[test]
fn what_does_not_answer_is_said_with_its_reason() {
    let env = TestEnv::new();
    run(&env, &["init", "claude", "--yes", "--no-check"]).ok();
    let (servers, settings) =
        (env.home().join(".claude.json"), env.home().join(".claude/settings.json"));
    let edit = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    let failing = env.root().join("failing");
    write(&failing, "#!/bin/sh\ncat > /dev/null\necho 'cannot load libx' >&2\nexit 3\n");
    fs::set_permissions(&failing, fs::Permissions::from_mode(0o755)).unwrap();
    let program = env!("CARGO_BIN_EXE_forebay");
    edit(&servers, program, &failing.to_string_lossy());
    edit(&settings, program, &failing.to_string_lossy());
    // `init` would write the files again: a read-only file is left alone.
    let modes = |mode: u32| {
        for path in [&servers, &settings] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    modes(0o444);
    let failed = run(&env, &["init", "claude", "--yes"]);
    assert_eq!(failed.code(), Some(1), "{failed:?}");
    let text = failed.text();
    assert!(
        text.contains(
            "hook FAILED: exit 3: cannot load libx, tool call FAILED: exit 3: cannot load libx"
        ),
        "{text}"
    );
    assert!(text.contains("is not usable yet: `forebay doctor --fix`"), "{text}");
    modes(0o644);
    edit(&settings, &failing.to_string_lossy(), "/gone/forebay");
    modes(0o444);
    let text = run(&env, &["init", "claude", "--yes"]).text();
    assert!(text.contains("hook FAILED: /gone/forebay does not exist here"), "{text}");
}
