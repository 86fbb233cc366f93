//! Event extraction, tested with tables of texts that must and must not become an event.
//!
//! Each event kind has a table. A line is `+ words` or `- words`: a prompt, or after `$` a command that ran, as in
//! `exit=1 $ command >> output`. `⏎` is a line feed.

#![allow(clippy::unwrap_used, reason = "a table that cannot be read has failed")]

use forebay_app::hooks::extract::{MAX_EVENTS_PER_CALL, events};
use forebay_domain::EventKind;
use forebay_domain::hook::{
    HookEvent, ResultPart, TodoItem, TodoState, ToolAction, ToolCall, ToolResult,
};
use proptest::prelude::*;

macro_rules! tables {
    ($($kind:ident => $name:ident),* $(,)?) => {
        const TABLED: &[(EventKind, &str)] =
            &[$((EventKind::$kind, include_str!(concat!("cases/", stringify!($name), ".txt")))),*];
        $(#[test]
        fn $name() {
            check(EventKind::$kind, include_str!(concat!("cases/", stringify!($name), ".txt")));
        })*
    };
}

tables! {
    Reference => reference,
    Data => data,
    Git => git,
    Environment => environment,
    Error => error,
}

#[track_caller]
fn check(kind: EventKind, table: &str) {
    let failures: Vec<String> = table
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("//"))
        .filter_map(|line| failure(kind, line))
        .collect();
    assert!(failures.is_empty(), "{}:\n{}", kind.as_str(), failures.join("\n"));
}

fn failure(kind: EventKind, line: &str) -> Option<String> {
    let (mark, words) = line.split_once(' ').unwrap();
    let found = events(&hook_event(&words.replace('⏎', "\n")));
    let is_found = found.iter().any(|event| event.kind == kind);
    (is_found != (mark == "+")).then(|| format!("  {line}\n    {found:?}"))
}

fn hook_event(words: &str) -> HookEvent {
    let Some((head, rest)) =
        words.split_once("$ ").filter(|(head, _)| head.is_empty() || head.starts_with("exit="))
    else {
        return HookEvent::Prompt(words.to_owned());
    };
    let exit_code = head.trim().strip_prefix("exit=").map(|code| code.parse().unwrap());
    let (command, output) = rest.split_once(" >> ").unwrap_or((rest, ""));
    shell(command, output, exit_code)
}

fn shell(command: &str, output: &str, exit_code: Option<i32>) -> HookEvent {
    let parts = vec![ResultPart::Text(output.to_owned())];
    let action = ToolAction::Shell { command: command.to_owned() };
    HookEvent::AfterTool(
        call("Bash", action),
        ToolResult { parts, exit_code, ..ToolResult::default() },
    )
}

fn call(name: &str, action: ToolAction) -> ToolCall {
    ToolCall { name: name.to_owned(), id: None, action, description: None, is_partial: false }
}

/// Returns the events of a successful action as `kind: subject: text`.
fn extracted_from(action: ToolAction) -> Vec<String> {
    extracted(&HookEvent::AfterTool(call("tool", action), ToolResult::default()))
}

fn extracted(event: &HookEvent) -> Vec<String> {
    let line = |event: forebay_domain::Event| {
        format!("{}: {}: {}", event.kind.as_str(), event.subject, event.text)
    };
    events(event).into_iter().map(line).collect()
}

#[test]
fn every_table_has_positive_and_negative_cases() {
    for (kind, table) in TABLED {
        for mark in ["+ ", "- "] {
            let count = table.lines().filter(|line| line.starts_with(mark)).count();
            assert!(count >= 6, "{}: {count} of `{mark}`", kind.as_str());
        }
    }
}

#[test]
fn extracts_events_from_tool_calls() {
    let paths = vec!["/home/user/p/src/a.rs".to_owned()];
    assert_eq!(
        extracted_from(ToolAction::Edit { paths: paths.clone() }),
        ["file edited: /home/user/p/src/a.rs: file edited"]
    );
    assert_eq!(
        extracted_from(ToolAction::Write { paths: paths.clone() }),
        ["file written: /home/user/p/src/a.rs: file written"]
    );
    assert_eq!(
        extracted_from(ToolAction::Read { paths }),
        ["file read: /home/user/p/src/a.rs: file read"]
    );
    let rules =
        extracted_from(ToolAction::Read { paths: vec!["/home/user/p/AGENTS.md".to_owned()] });
    assert_eq!(rules[1], "rule: /home/user/p/AGENTS.md: rules stand in /home/user/p/AGENTS.md");
    let item = |text: &str, state| TodoItem { id: None, text: text.to_owned(), state };
    let items = vec![item("Write it", TodoState::Done), item("Test it", TodoState::Open)];
    assert_eq!(
        extracted_from(ToolAction::Todo { items }),
        ["task: Write it: done", "task: Test it: open"]
    );
    let mcp = ToolAction::Mcp { server: Some("github".to_owned()), tool: "get_issue".to_owned() };
    assert_eq!(extracted_from(mcp), ["mcp: github/get_issue: github/get_issue"]);
    let task =
        ToolAction::Task { description: "Find it".to_owned(), agent: Some("Explore".to_owned()) };
    assert_eq!(extracted_from(task), ["subagent: Find it: Explore: Find it"]);
    assert_eq!(extracted_from(ToolAction::Skill { name: "pdf".to_owned() }), ["skill: pdf: pdf"]);
    assert_eq!(extracted_from(ToolAction::Plan { text: "1. a".to_owned() }), ["plan: plan: 1. a"]);
    assert_eq!(
        extracted_from(ToolAction::Fetch { urls: vec!["https://a.b/c".to_owned()] }),
        ["reference: https://a.b/c: https://a.b/c"]
    );
    assert_eq!(extracted_from(ToolAction::Other), Vec::<String>::new());
}

#[test]
fn a_task_keeps_its_id() {
    let item =
        |text: &str, state| TodoItem { id: Some("3".to_owned()), text: text.to_owned(), state };
    let made = extracted_from(ToolAction::Todo { items: vec![item("Write it", TodoState::Open)] });
    assert_eq!(made, ["task: #3: open: Write it"]);
    let done = extracted_from(ToolAction::Todo { items: vec![item("", TodoState::Done)] });
    assert_eq!(done, ["task: #3: done"]);
}

#[test]
fn a_failed_call_becomes_an_error_only() {
    let result = ToolResult {
        is_error: true,
        parts: vec![ResultPart::Text("String to replace not found".to_owned())],
        ..ToolResult::default()
    };
    let edit = call("Edit", ToolAction::Edit { paths: vec!["a.rs".to_owned()] });
    let found = extracted(&HookEvent::AfterTool(edit, result));
    assert_eq!(found, ["error: Edit a.rs: String to replace not found"]);
    let found =
        extracted(&shell("git commit -m x", "nothing to commit, working tree clean", Some(1)));
    assert_eq!(found, ["error: git commit -m x: nothing to commit, working tree clean"]);
}

#[test]
fn an_error_has_the_line_that_explains_it() {
    let output = "running 3 tests\ntest a ... ok\ntest b ... FAILED\n\nthread 'b' panicked at src/lib.rs:7:5:\nassertion failed\n\ntest result: FAILED. 1 passed; 1 failed\n";
    let found = extracted(&shell("cargo test", output, Some(101)));
    assert_eq!(
        found,
        ["error: cargo test: thread 'b' panicked at src/lib.rs:7:5: assertion failed"]
    );
}

#[test]
fn a_git_event_has_its_result() {
    let found = extracted(&shell(
        "cd web && git commit -qam 'web: x'",
        "[main 3f2a1bc] web: x\n 1 file changed\n",
        Some(0),
    ));
    assert_eq!(
        found,
        [
            "environment: folder: works in web",
            "git: commit: git commit -qam web: x: [main 3f2a1bc] web: x"
        ]
    );
}

#[test]
fn file_content_is_not_an_error() {
    let parts =
        vec![ResultPart::Text("error: this is what the docs say\npanicked at x".to_owned())];
    let read = call("Read", ToolAction::Read { paths: vec!["docs.md".to_owned()] });
    let found =
        extracted(&HookEvent::AfterTool(read, ToolResult { parts, ..ToolResult::default() }));
    assert_eq!(found, ["file read: docs.md: file read"]);
}

#[test]
fn omits_values_of_variables() {
    let found = extracted(&shell("export API_TOKEN=abc123; FOO=secret", "", Some(0)));
    assert_eq!(
        found,
        ["environment: variable API_TOKEN: sets API_TOKEN", "environment: variable FOO: sets FOO"]
    );
}

proptest! {
    #[test]
    fn events_are_bounded(text in any::<String>(), command in any::<String>(), code in prop::option::of(-1_i32..4)) {
        let long = text.repeat(200);
        for event in [HookEvent::Prompt(text.clone()), HookEvent::Prompt(long.clone()), shell(&command, &long, code), shell(&long, &text, code)] {
            let found = events(&event);
            prop_assert!(found.len() <= MAX_EVENTS_PER_CALL);
            for event in found {
                prop_assert!(event.subject.len() <= 240 && event.text.len() <= 4_000, "{:?}", event);
            }
        }
    }
}
