//! `forebay run`: passes the exit code on, stores the complete output and answers within the budget.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::env::{TestEnv, announced_process, finish, finished, is_gone};
use crate::texts::{binary, long_line, tokens, varied_log};

#[test]
fn exits_with_the_exit_code_of_the_command() {
    let env = TestEnv::new();
    for code in [0, 1, 3, 101, 255] {
        let ran = env.forebay(["run", "--", &format!("exit {code}")]);
        assert_eq!(ran.code(), Some(code));
        assert!(ran.text().contains(&format!("] exit {code} · ")), "{}", ran.text());
    }
}

#[test]
fn dies_by_the_same_signal_as_the_command() {
    let env = TestEnv::new();
    for (name, number) in [("TERM", 15), ("KILL", 9), ("INT", 2), ("ABRT", 6)] {
        let ran = env.forebay(["run", "--", &format!("echo before; kill -{name} $$")]);
        assert_eq!(ran.signal(), Some(number), "{ran:?}");
        assert!(ran.text().contains(&format!("] killed by SIG{name} · ")), "{}", ran.text());
        assert_eq!(ran.body(), "before");
    }
}

#[test]
fn a_timeout_is_reported_and_keeps_the_partial_output() {
    let env = TestEnv::new();
    let started = Instant::now();
    let ran = env.forebay(["run", "--timeout-ms", "600", "--", "echo partial; sleep 100"]);
    assert_eq!(ran.code(), Some(124));
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(ran.text().contains("] timed out · ") && ran.text().contains("partial"));
    assert_eq!(env.forebay(["get", "--raw", &ran.reference()]).ok().stdout, b"partial\n");
}

#[test]
fn a_small_output_is_shown_whole() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--", "printf 'one\\n\\n  three\\n'"]).ok();
    assert_eq!(env.redact(&ran.text()), "[ctx:REF] exit 0 · [TIME] · 3 lines\none\n\n  three");
}

#[test]
fn reports_a_command_without_output() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--", "true"]).ok();
    assert_eq!(env.redact(&ran.text()), "[ctx:REF] exit 0 · [TIME] · no output");
    assert_eq!(env.forebay(["get", "--raw", &ran.reference()]).ok().stdout, b"");
    let shown = env.forebay(["get", &ran.reference()]).ok().text();
    assert_eq!(env.redact(&shown), "[ctx:REF] run exit 0 · empty");
}

#[test]
fn a_large_output_becomes_a_digest_in_a_frame() {
    let env = TestEnv::new();
    let log = varied_log(3_000);
    env.write("log", &log);
    let ran = env.forebay(["run", "--", "cat log"]).ok();
    let text = ran.text();
    let lines: Vec<&str> = text.lines().collect();
    let size = format!("3,000 lines, {}k tokens -> ", (tokens(&log) + 500) / 1_000);
    assert!(lines[0].contains(&size), "{}", lines[0]);
    assert!(lines[lines.len() - 1].starts_with("left out: lines "), "{text}");
    assert!(text.contains(log.lines().next().unwrap()), "the head is shown");
    assert!(text.contains(log.lines().last().unwrap()), "the tail is shown");
    assert!(tokens(&text) <= 400, "{}", tokens(&text));
}

#[test]
fn the_header_counts_the_items_of_a_nul_separated_list() {
    let env = TestEnv::new();
    let names: String = (0..3_000).map(|number| format!("src/module{number}.rs\0")).collect();
    env.write("names", &names);
    let text = env.forebay(["run", "--", "cat names"]).ok().text();
    let header = text.lines().next().unwrap();
    assert!(header.contains("3,000 items, "), "{header}");
    assert!(text.lines().last().unwrap().starts_with("summarized: lines 1"), "{text}");
}

#[test]
fn the_call_in_a_digest_returns_the_omitted_lines() {
    let env = TestEnv::new();
    let log = varied_log(2_000);
    env.write("log", &log);
    let text = env.forebay(["run", "--", "cat log"]).ok().text();
    let call = text.rsplit_once("ctx_get ").unwrap().1;
    let (reference, rest) = call.split_once(" lines=").unwrap();
    let range = rest.split_once(' ').unwrap().0;
    // A gap may be a single line.
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    let expect: Vec<&str> = log.lines().skip(first - 1).take(last - first + 1).collect();
    let got = env.forebay(["get", reference, "--lines", range, "--budget", "60000"]).ok();
    assert_eq!(got.body(), expect.join("\n"));
    assert!(expect.iter().all(|line| !text.contains(line)), "omitted lines are not shown");
}

/// Asserts that an answer stays within its budget, has a reference and reports omitted lines.
#[track_caller]
fn assert_within_budget(env: &TestEnv, content: &[u8], budget: usize) {
    env.write("content", content);
    let ran = env.forebay(["run", "--budget", &budget.to_string(), "--", "cat content"]).ok();
    let text = ran.text();
    assert!(tokens(&text) <= budget, "{} > {budget}: {text}", tokens(&text));
    let is_cut = text.lines().next().unwrap().contains(" -> ");
    assert_eq!(is_cut, text.contains(&format!("ctx_get {}", ran.reference())), "{text}");
    assert_eq!(env.forebay(["get", "--raw", &ran.reference()]).ok().stdout, content);
}

#[test]
fn answers_stay_within_the_requested_budget() {
    let env = TestEnv::new();
    let japanese = "失敗したテストの行\n".repeat(700);
    let (log, line) = (varied_log(1_500), long_line(60_000));
    let contents: [&[u8]; 7] = [
        log.as_bytes(),
        line.as_bytes(),
        japanese.as_bytes(),
        &binary(40_000),
        b"error: it broke\n  at src/lib.rs:3\n",
        &[b'\n'; 5_000],
        b"\r\rprogress 1%\rprogress 2%\r\n\x1b[31mred\x1b[0m\n",
    ];
    for content in contents {
        for budget in [50, 64, 90, 150, 400, 1_100] {
            assert_within_budget(&env, content, budget);
        }
    }
}

#[test]
fn the_smallest_budget_keeps_the_last_line_of_the_frame() {
    let env = TestEnv::new();
    env.write("log", varied_log(12_000));
    let line = "cat log; sleep 100";
    let ran = env.forebay(["run", "--budget", "50", "--timeout-ms", "1500", "--", line]);
    assert!(tokens(&ran.text()) <= 50, "{}", ran.text());
    assert!(ran.text().ends_with("grep=\"...\""), "{}", ran.text());
}

#[test]
fn a_budget_out_of_range_is_refused_before_anything_runs() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--budget", "3", "--", "touch ran"]);
    ran.refused(2, "budget 3 is out of range", "50");
    assert!(!env.project().join("ran").exists());
}

#[test]
fn json_output_has_the_same_content() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--json", "--", "echo out; exit 4"]);
    assert_eq!(ran.code(), Some(4));
    let data = ran.json();
    assert_eq!(data["exit"], 4);
    assert_eq!(data["digest"], "out\n");
    assert_eq!(
        [&data["lines"], &data["bytes"], &data["verbatim"]],
        [&json!(1), &json!(4), &json!(true)]
    );
    let reference = data["ref"].as_str().unwrap();
    assert_eq!(env.forebay(["get", "--raw", reference]).ok().stdout, b"out\n");
}

#[test]
fn several_arguments_run_verbatim_without_a_shell() {
    let env = TestEnv::new();
    let ran = env.forebay([
        "run", "--", "printf", "[%s]", "a  b", "", "it's", "\"q\"", "$HOME", "*", ";true", "|",
    ]);
    assert_eq!(ran.ok().body(), "[a  b][][it's][\"q\"][$HOME][*][;true][|]");
}

#[test]
fn one_argument_is_a_shell_command_line() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--", "X=5; printf '%s|' \"$X\" 'a  b' | tr a-z A-Z"]).ok();
    assert_eq!(ran.body(), "5|A  B|");
}

#[test]
fn stdin_is_closed_unless_requested() {
    let env = TestEnv::new();
    let closed = env.forebay_reading(["run", "--", "cat; echo end"], b"from outside\n").ok();
    assert_eq!(closed.body(), "end");
    let forwarded =
        env.forebay_reading(["run", "--stdin", "--", "cat; echo end"], b"outside\n").ok();
    assert_eq!(forwarded.body(), "outside\nend");
}

#[test]
fn cwd_is_where_the_command_runs() {
    let env = TestEnv::new();
    fs::create_dir(env.project().join("sub")).unwrap();
    let expect = env.project().join("sub").canonicalize().unwrap();
    let ran = env.forebay(["run", "--cwd", "sub", "--", "pwd -P"]).ok();
    assert_eq!(ran.body(), expect.to_string_lossy());
}

#[test]
fn tee_forwards_the_output_unchanged() {
    let env = TestEnv::new();
    let bytes = binary(300_000);
    env.write("bytes", &bytes);
    let ran = env.forebay(["run", "--tee", "--", "cat bytes; echo told >&2; exit 7"]);
    assert_eq!(ran.code(), Some(7));
    assert!(ran.stdout == bytes, "stdout is unchanged");
    let stderr: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(stderr[0], "told");
    assert!(stderr[1].starts_with("[ctx:") && stderr[1].contains("] exit 7 · "), "{stderr:?}");
    assert_eq!(stderr.len(), 2, "{stderr:?}");
    let stored = env.forebay(["get", "--raw", &crate::env::reference_in(stderr[1])]).ok().stdout;
    assert_eq!(stored.len(), bytes.len() + "told\n".len());
}

#[test]
fn stdout_and_stderr_are_stored_separately() {
    let env = TestEnv::new();
    let line = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    let reference = env.forebay(["run", "--", line]).ok().reference();
    let get = |stream| env.forebay(["get", &reference, "--stream", stream]).ok().body();
    assert_eq!(get("stdout"), "out 1\nout 2\nout 3");
    assert_eq!(get("stderr"), "err 1\nerr 2\nerr 3");
}

#[test]
fn a_command_that_cannot_run_is_refused_with_a_hint() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "no-such-program-here", "x"]).refused(
        2,
        "`no-such-program-here` was not found",
        "PATH",
    );
    env.forebay(["run", "--cwd", "no/such", "--", "ls"]).refused(2, "does not exist", "directory");
    env.forebay(["run", "--", ""]).refused(2, "command is empty", "pass a command");
    env.forebay(["run", "--timeout-ms", "0", "--", "ls"]).refused(2, "timeout_ms is 0", "leave it");
    env.forebay(["-C", "no/such", "run", "--", "ls"]).refused(2, "is not a directory", "-C");
    assert_eq!(env.forebay(["run"]).code(), Some(2), "a missing command is a usage error");
    let history = env.forebay(["history"]).ok().text();
    assert!(history.contains("nothing yet"), "a command that did not run is not stored: {history}");
}

#[test]
fn thirty_megabytes_are_stored_byte_for_byte() {
    let env = TestEnv::new();
    let line = long_line(998) + "\n";
    let content = line.repeat(30_000_000 / line.len());
    env.write("large", &content);
    let ran = env.forebay(["run", "--", "cat large"]).ok();
    assert!(tokens(&ran.text()) <= 400);
    let raw = env.forebay(["get", "--raw", &ran.reference()]).ok().stdout;
    assert!(raw == content.as_bytes(), "{} of {} bytes", raw.len(), content.len());
}

#[test]
fn background_processes_are_killed_and_reported() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--", "sleep 300 & echo $! > pid; echo done"]).ok();
    assert!(ran.text().contains("leftover background processes were killed"));
    assert!(ran.text().ends_with("done"), "{}", ran.text());
    assert!(is_gone(announced_process(&env.project().join("pid"))));
}

#[test]
fn an_interrupt_reaches_the_command_and_keeps_its_output() {
    let env = TestEnv::new();
    // Only shell builtins: a shell that is just starting a program may lose the interrupt.
    let line = "echo before the interrupt; echo $$ > pid; while :; do :; done; echo never";
    let child = env.command(["run", "--", "sh", "-c", line]).spawn().unwrap();
    let command = announced_process(&env.project().join("pid"));
    kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    let ran = finished(child);
    assert_eq!(ran.signal(), Some(2), "{ran:?}");
    assert!(is_gone(command));
    let raw = env.forebay(["get", "--raw", &ran.reference()]).ok().stdout;
    assert_eq!(raw, b"before the interrupt\n");
}

#[test]
fn a_command_that_traps_the_interrupt_keeps_its_exit_code() {
    let env = TestEnv::new();
    let line = "trap 'echo cleaned; exit 5' INT; echo $$ > pid; while :; do :; done";
    let child = env.command(["run", "--", line]).spawn().unwrap();
    announced_process(&env.project().join("pid"));
    kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    let ran = finished(child);
    assert_eq!(ran.code(), Some(5), "{ran:?}");
    assert!(ran.text().contains("cleaned"), "{}", ran.text());
}

#[test]
fn a_closed_stdout_does_not_change_the_exit_code() {
    let env = TestEnv::new();
    let mut command = env.command(["run", "--", "exit 3"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(Stdio::from(writer));
    let ran = finish(command, b"");
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_answer_in_a_pipe_has_no_colors() {
    let env = TestEnv::new();
    let ran = env.forebay(["run", "--", "printf '\\033[31mred\\033[0m\\n'"]).ok();
    assert!(!ran.stdout.contains(&0x1b), "{}", ran.text());
    assert_eq!(ran.body(), "red");
}

#[test]
fn the_intent_selects_matching_lines_for_the_digest() {
    let env = TestEnv::new();
    let mut lines: Vec<String> = varied_log(3_000).lines().map(str::to_owned).collect();
    "the zebra crossed quietly".clone_into(&mut lines[1_500]);
    env.write("log", lines.join("\n"));
    let without = env.forebay(["run", "--", "cat log"]).ok().text();
    assert!(!without.contains("zebra"), "the line is omitted without the intent");
    let with = env.forebay(["run", "--intent", "where is the zebra", "--", "cat log"]).ok().text();
    assert!(with.contains("the zebra crossed quietly"), "{with}");
}
