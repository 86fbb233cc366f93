//! `forebay config get`, `set` and `edit`, and settings files with errors.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::env::{TestEnv, finish};

#[test]
fn set_keeps_comments_and_get_shows_the_value() {
    let env = TestEnv::new();
    let file = env.data().join("settings.toml");
    env.forebay(["config", "set", "digest.budget", "300"]).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[digest]\nbudget = 300\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&file, "# mine\n[digest] # here\nbudget =  300 # small\n").unwrap();
    let done = env.forebay(["config", "set", "digest.budget", "301", "--user"]).ok().text();
    assert!(done.contains("digest.budget is set in "), "{done}");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "# mine\n[digest] # here\nbudget =  301 # small\n");
    assert_eq!(env.forebay(["config", "get", "digest.budget"]).ok().text(), "301");
    let section = env.forebay(["config", "get", "digest"]).ok().text();
    assert_eq!(section, "digest.budget = 301\ndigest.diff = true\ndigest.verbatim = 1250");

    env.forebay(["config", "set", "isolation.deny", "/a, .env", "--project"]).ok();
    let project = fs::read_to_string(env.project().join(".forebay.toml")).unwrap();
    assert_eq!(project, "[isolation]\ndeny = [\"/a\", \".env\"]\n");
    let json = env.forebay(["config", "get", "isolation.deny", "--json"]).ok().json();
    assert_eq!(json["isolation.deny"]["value"], serde_json::json!(["/a", ".env"]));
}

#[test]
fn set_refuses_what_no_command_could_use() {
    let env = TestEnv::new();
    let set = |key: &str, value: &str| env.forebay(["config", "set", key, value]);
    set("digest.budgt", "1").refused(2, "unknown setting", "did you mean `digest.budget`?");
    env.forebay(["config", "get", "digest.budgt"]).refused(2, "unknown", "did you mean");
    set("digest.budget", "many").refused(2, "a non-negative integer", "forebay config");
    set("isolation.profile", "none").refused(2, "expected off, project or strict", "config");
    let loosen = ["config", "set", "isolation.profile", "off", "--project"];
    env.forebay(loosen).refused(2, "a project cannot loosen", "your own settings");
    assert!(!env.data().join("settings.toml").exists());
    assert!(!env.project().join(".forebay.toml").exists());
    env.write(".forebay.toml", "[digest]\nbudget = [\n");
    let set = env.forebay(["config", "set", "digest.budget", "1", "--project"]);
    set.refused(2, ".forebay.toml:2:", "TOML");
}

#[test]
fn set_says_when_another_layer_overrides() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "digest.budget = 302\n");
    let output = env.forebay(["config", "set", "digest.budget", "300"]).ok();
    assert!(
        output.stderr.contains(".forebay.toml overrides it: digest.budget = 302"),
        "{}",
        output.stderr
    );
}

/// Runs `config edit` with an editor that appends a line.
fn edit(env: &TestEnv, line: &str) -> crate::env::Output {
    let editor = env.write("my editor", format!("#!/bin/sh\nprintf '%s\\n' '{line}' >> \"$2\"\n"));
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = env.command(["config", "edit"]);
    // With an option, as in `code --wait`.
    command.env("EDITOR", format!("'{}' --wait", editor.display()));
    finish(command, b"")
}

#[test]
fn edit_writes_only_valid_text() {
    let env = TestEnv::new();
    let file = env.data().join("settings.toml");
    edit(&env, "[digest]").refused(2, "duplicate key", "TOML");
    assert!(!file.exists());
    let wrong = edit(&env, "x = 1");
    assert_eq!(wrong.code(), Some(2));
    let kept = wrong.stderr.split_once("error: ").unwrap().1.split_once(".toml:").unwrap().0;
    assert!(fs::read_to_string(format!("{kept}.toml")).unwrap().ends_with("x = 1\n"));
    assert!(!file.exists());

    let mut nothing = env.command(["config", "edit"]);
    nothing.env("VISUAL", "true").env("EDITOR", "false");
    assert_eq!(finish(nothing, b"").ok().text(), "nothing was changed");
    let mut failing = env.command(["config", "edit"]);
    failing.env("EDITOR", "false");
    finish(failing, b"").refused(1, "the editor `false` failed", "EDITOR");

    fs::create_dir_all(env.data()).unwrap();
    fs::write(&file, "# mine\n").unwrap();
    edit(&env, "digest.budget = 299").ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\ndigest.budget = 299\n");
}

#[test]
fn edit_without_a_terminal_needs_a_chosen_editor() {
    let env = TestEnv::new();
    let mut command = env.command(["config", "edit"]);
    command.env_remove("VISUAL").env_remove("EDITOR");
    finish(command, b"").refused(2, "there is no terminal", "forebay config set");
}

#[test]
fn a_broken_user_file_is_reported_and_the_settings_are_shown() {
    let env = TestEnv::new();
    fs::create_dir_all(env.data()).unwrap();
    fs::write(env.data().join("settings.toml"), "[digest\n").unwrap();
    env.forebay(["note", "x"]).refused(2, "settings.toml:1", "forebay config");
    let shown = env.forebay(["config"]).ok();
    assert!(shown.stderr.contains("what is valid in this file counts"), "{}", shown.stderr);
    assert!(shown.text().contains("digest.budget"));
    env.forebay(["config", "get", "digest.budget"]).ok();
}

#[test]
fn every_command_reports_where_a_project_file_is_wrong() {
    let env = TestEnv::new();
    let reference = env.stored("a line\n");
    env.write(".forebay.toml", "# ours\n[digest]\nbudgt = 1\n");
    let expected = ".forebay.toml:3:1: unknown setting `digest.budgt`";
    // What runs or stores something refuses: the file may tighten what is allowed.
    for line in [vec!["run", "--", "touch ran"], vec!["note", "x"], vec!["index", "."]] {
        finish(env.command(&line), b"").refused(2, expected, "did you mean `digest.budget`?");
    }
    assert!(!env.project().join("ran").exists());
    // What only shows something goes on.
    let get = ["get", reference.as_str()];
    let readers: [&[&str]; 7] = [
        &get,
        &["search", "line"],
        &["history"],
        &["stats"],
        &["config"],
        &["init", "zed", "--dry-run"],
        &["reflect"],
    ];
    for line in readers {
        let output = finish(env.command(line), b"").ok();
        let note = format!("{expected}; what is valid in this file counts");
        assert!(output.stderr.contains(&note), "{line:?}: {}", output.stderr);
    }
    let doctor = env.forebay(["doctor"]);
    assert_eq!(doctor.code(), Some(1));
    assert!(doctor.stderr.contains(expected), "{}", doctor.stderr);
}

/// What a project may not set is refused; hooks, which must go on, leave it out.
#[test]
fn a_project_cannot_turn_redaction_off() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "store.redact = false\nhooks.threshold = 1\n");
    let loosens = "a project cannot loosen `store.redact` to false";
    env.forebay(["run", "--", "echo hi"]).refused(2, loosens, "your own settings file");
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPL3");
    let payload = serde_json::json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": { "command": "print" },
        "tool_response": { "stdout": format!("{secret}\n").repeat(200), "stderr": "" },
    });
    let hook = ["hook", "claude-code", "PostToolUse"];
    let answer = env.forebay_reading(hook, payload.to_string().as_bytes()).ok().text();
    assert!(answer.contains("[ctx:"), "the other setting counts: {answer}");
    fs::remove_file(env.project().join(".forebay.toml")).unwrap();
    let reference = crate::env::reference_in(&answer);
    let stored = env.forebay(["get", &reference, "--raw"]).ok().text();
    assert!(stored.contains("[redacted:") && !stored.contains(&secret), "{stored}");
}
