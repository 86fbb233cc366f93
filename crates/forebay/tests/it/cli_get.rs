//! `forebay get`: returns every part of an entry exactly, page by page.

use std::fmt::Write as _;

use crate::env::TestEnv;
use crate::texts::{long_line, tokens, varied_log};

#[test]
fn a_short_entry_is_shown_whole() {
    let env = TestEnv::new();
    let reference = env.stored("a\nb\nc\n");
    let shown = env.forebay(["get", &reference]).ok();
    assert_eq!(env.redact(&shown.text()), "[ctx:REF] run exit 0 · 3 lines\na\nb\nc");
}

#[test]
fn a_line_range_returns_exactly_those_lines() {
    let env = TestEnv::new();
    let reference = env.stored((1..=10).map(|n| format!("l{n}\n")).collect::<String>());
    let check = |range: &str, expect: &str| {
        let shown = env.forebay(["get", &reference, "--lines", range]).ok().body();
        assert_eq!(shown.replace('\n', " "), expect, "{range}");
    };
    check("3-5", "l3 l4 l5");
    check("4", "l4");
    check("9-", "l9 l10");
    check("-2", "l9 l10");
    check("8-99", "l8 l9 l10");
    check("2..3", "l2 l3");
}

#[test]
fn rejects_invalid_and_out_of_range_lines() {
    let env = TestEnv::new();
    let reference = env.stored("a\nb\n");
    let get = |range: &str| env.forebay(["get", &reference, "--lines", range]);
    get("x").refused(2, "not a line range", "line");
    get("5-3").refused(2, "not a line range", "line");
    get("7-9").refused(1, "out of range", "1-2");
}

/// Parses the `more:` line into command-line arguments for the next page.
fn next_page(text: &str, first: &[&str]) -> Option<Vec<String>> {
    let last = text.lines().last()?;
    if let Some(cursor) = last.strip_prefix("more: the same call with cursor=") {
        let again = first.iter().copied().chain(["--cursor", cursor]);
        return Some(again.map(str::to_owned).collect());
    }
    let more = last.strip_prefix("more: ctx_get ")?;
    let mut rest = more.split_once(' ')?.1;
    let mut arguments = Vec::new();
    while let Some((name, value)) = rest.split_once('=') {
        let quoted = value.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let plain = value.split_once(' ').unwrap_or((value, ""));
        let (value, after) = quoted.unwrap_or(plain);
        let name = if name == "json" { "pointer" } else { name };
        arguments.extend([format!("--{name}"), value.to_owned()]);
        rest = after.trim_start();
    }
    Some(arguments)
}

/// Follows the printed cursors and returns the text of each page.
#[track_caller]
fn pages(env: &TestEnv, reference: &str, first: &[&str], budget: usize) -> Vec<String> {
    let budget_word = budget.to_string();
    let mut arguments: Vec<String> = first.iter().map(ToString::to_string).collect();
    let mut pages = Vec::new();
    loop {
        let mut line = vec!["get".to_owned(), reference.to_owned(), "--budget".to_owned()];
        line.push(budget_word.clone());
        line.extend(arguments);
        let text = crate::env::finish(env.command(&line), b"").ok().text();
        assert!(tokens(&text) <= budget, "{} > {budget}: {text}", tokens(&text));
        let next = next_page(&text, first);
        let mut shown: Vec<&str> = text.lines().skip(1).collect();
        if next.is_some() {
            shown.pop();
        }
        pages.push(shown.join("\n"));
        assert!(pages.len() < 2_000, "the pages never end");
        match next {
            Some(next) => arguments = next,
            None => return pages,
        }
    }
}

#[test]
fn text_pages_have_no_gaps_or_overlaps() {
    let env = TestEnv::new();
    let log = varied_log(400);
    let reference = env.stored(&log);
    for budget in [60, 300, 1_000] {
        let pages = pages(&env, &reference, &[], budget);
        assert!(pages.len() > 2);
        assert_eq!(pages.join("\n"), log.trim_end(), "budget {budget}");
    }
}

#[test]
fn pages_of_a_range_end_with_the_range() {
    let env = TestEnv::new();
    let log = varied_log(400);
    let reference = env.stored(&log);
    let expect: Vec<&str> = log.lines().skip(99).take(101).collect();
    let pages = pages(&env, &reference, &["--lines", "100-200"], 200);
    assert_eq!(pages.join("\n"), expect.join("\n"));
}

#[test]
fn the_pages_of_a_long_line_add_up_to_it() {
    let env = TestEnv::new();
    let line = long_line(150_000);
    let reference = env.stored(&line);
    assert_eq!(pages(&env, &reference, &[], 2_000).concat(), line);
}

#[test]
fn the_pages_of_a_long_line_of_one_stream_add_up_to_it() {
    let env = TestEnv::new();
    let line = long_line(150_000);
    env.write("line", &line);
    let reference = env.forebay(["run", "--", "echo told >&2; cat line"]).ok().reference();
    let pages = pages(&env, &reference, &["--stream", "stdout"], 2_000);
    assert_eq!(pages.concat().len(), line.len());
    assert_eq!(pages.concat(), line);
}

#[test]
fn a_page_never_splits_a_character() {
    let env = TestEnv::new();
    let line = "äß日本🦀".repeat(1_500);
    let reference = env.stored(&line);
    for budget in [61, 62, 63, 500] {
        assert_eq!(pages(&env, &reference, &[], budget).concat(), line, "budget {budget}");
    }
}

#[test]
fn grep_counts_all_matches_and_numbers_the_lines() {
    let env = TestEnv::new();
    let reference = env.stored("ok\nFAIL a\nok\nFAIL b\n");
    let shown = env.forebay(["get", &reference, "--grep", "^FAIL"]).ok();
    assert_eq!(
        env.redact(&shown.text()),
        "[ctx:REF] run exit 0 · 2 matching lines\n2: FAIL a\n4: FAIL b"
    );
    let none = env.forebay(["get", &reference, "--grep", "absent"]).ok().text();
    assert!(none.ends_with("0 matching lines"), "{none}");
}

#[test]
fn grep_pages_list_every_matching_line_exactly_once() {
    let env = TestEnv::new();
    let log = varied_log(600);
    let reference = env.stored(&log);
    let expect: Vec<String> = log
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("ember"))
        .map(|(at, line)| format!("{}: {line}", at + 1))
        .collect();
    let pages = pages(&env, &reference, &["--grep", "ember"], 250);
    assert!(pages.len() > 3, "there are several pages");
    assert_eq!(pages.join("\n"), expect.join("\n"));
}

#[test]
fn grep_pages_of_a_range_stay_within_the_range() {
    let env = TestEnv::new();
    let log = varied_log(600);
    let reference = env.stored(&log);
    let expect: Vec<String> =
        log.lines().enumerate().take(200).map(|(at, line)| format!("{}: {line}", at + 1)).collect();
    let pages = pages(&env, &reference, &["--grep", "[0-9]", "--lines", "1-200"], 500);
    assert_eq!(pages.join("\n"), expect.join("\n"));
}

#[test]
fn grep_pages_of_one_stream_stay_within_the_stream() {
    let env = TestEnv::new();
    let line = "for i in $(seq 1 60); do echo \"match out $i xxxxxxxxxxxxxxx\"; done; \
                for i in $(seq 1 60); do echo \"match err $i\" >&2; done";
    let reference = env.forebay(["run", "--", line]).ok().reference();
    let pages = pages(&env, &reference, &["--grep", "match", "--stream", "stdout"], 200);
    assert!(pages.len() > 2);
    assert!(!pages.join("\n").contains("err"), "{pages:?}");
    assert_eq!(pages.join("\n").lines().count(), 60);
}

#[test]
fn a_long_pattern_is_paged_with_the_same_pattern() {
    let env = TestEnv::new();
    let reference = env.stored(varied_log(300));
    let pattern = format!("({}|[0-9])", "no-such-word|".repeat(8));
    let pages = pages(&env, &reference, &["--grep", &pattern], 300);
    assert_eq!(pages.join("\n").lines().count(), 300);
}

#[test]
fn an_invalid_regex_is_matched_as_plain_text() {
    let env = TestEnv::new();
    let reference = env.stored("call(a\nother\n");
    let shown = env.forebay(["get", &reference, "--grep", "call(a"]).ok().text();
    assert!(shown.contains("1 matching line, matched as plain text\n1: call(a"), "{shown}");
}

#[test]
fn grep_pages_stay_within_the_budget() {
    let env = TestEnv::new();
    let reference = env.stored(format!("{}\n", long_line(900)).repeat(50));
    let pattern = "0000[0-9]+|a rather long second way that stands nowhere in it";
    for budget in [50, 60, 80, 150] {
        let shown =
            env.forebay(["get", &reference, "--grep", pattern, "--budget", &budget.to_string()]);
        let text = shown.ok().text();
        assert!(tokens(&text) <= budget, "{} > {budget}: {text}", tokens(&text));
    }
}

#[test]
fn negative_line_ranges_count_within_the_stream() {
    let env = TestEnv::new();
    let line = "seq 1 20; for i in 1 2 3; do echo err $i >&2; done";
    let reference = env.forebay(["run", "--", line]).ok().reference();
    let get =
        |stream| env.forebay(["get", &reference, "--stream", stream, "--lines", "-2"]).ok().body();
    assert_eq!(get("stderr"), "err 2\nerr 3");
    assert_eq!(get("stdout"), "19\n20");
}

const DOCUMENT: &str =
    r#"{"name":"forebay","items":[{"id":7,"tags":["a","b"]},{"id":8}],"a/b":true}"#;

#[test]
fn a_json_pointer_returns_its_value() {
    let env = TestEnv::new();
    let reference = env.stored(DOCUMENT);
    let check = |pointer: &str, about: &str, expect: &str| {
        let shown = env.forebay(["get", &reference, "--pointer", pointer]).ok();
        assert!(shown.text().lines().next().unwrap().ends_with(about), "{}", shown.text());
        assert_eq!(shown.body(), expect, "{pointer}");
    };
    check("/name", "string", "forebay");
    check("/items/0/id", "number", "7");
    check("/items/0/tags", "array, 2 items", "[\n  \"a\",\n  \"b\"\n]");
    check("/a~1b", "boolean", "true");
}

#[test]
fn an_unmatched_json_pointer_lists_what_exists() {
    let env = TestEnv::new();
    let reference = env.stored(DOCUMENT);
    let get = |pointer: &str| env.forebay(["get", &reference, "--pointer", pointer]);
    get("/nam").refused(1, "no `nam`", "name, items, a/b");
    get("/items/9").refused(1, "no `9`", "2 items");
    let text = env.stored("plain text\n");
    env.forebay(["get", &text, "--pointer", "/x"]).refused(2, "not JSON", "lines or grep");
}

#[test]
fn the_pages_of_a_large_json_value_add_up_to_it() {
    let env = TestEnv::new();
    let mut text = String::new();
    (0..4_000).for_each(|n| write!(text, "w{n} ").unwrap());
    let reference = env.stored(serde_json::json!({ "deep": { "text": text } }).to_string());
    let pages = pages(&env, &reference, &["--pointer", "/deep/text"], 400);
    assert!(pages.len() > 5);
    assert_eq!(pages.concat(), text);
}

#[test]
fn grep_and_pointer_together_are_refused() {
    let env = TestEnv::new();
    let reference = env.stored(DOCUMENT);
    env.forebay(["get", &reference, "--grep", "a", "--pointer", "/name"]).refused(
        2,
        "cannot combine grep and json",
        "one of",
    );
}

#[test]
fn accepts_every_spelling_of_a_reference() {
    let env = TestEnv::new();
    let reference = env.stored("found\n");
    let spellings = [
        reference.clone(),
        format!("[ctx:{reference}]"),
        format!("[CTX:{}]", reference.to_uppercase()),
        reference.to_uppercase(),
        format!("ctx:{reference}"),
        format!("as seen in `[ctx:{reference}] exit 1 · 41 s`, see there"),
    ];
    for spelling in spellings {
        assert_eq!(env.forebay(["get", &spelling]).ok().body(), "found", "{spelling}");
        assert_eq!(env.forebay(["get", "--raw", &spelling]).ok().stdout, b"found\n", "{spelling}");
    }
}

#[test]
fn rejects_unknown_and_malformed_references() {
    let env = TestEnv::new();
    env.stored("something\n");
    for raw in [vec![], vec!["--raw"]] {
        let get = |reference: &str| {
            let line = [vec!["get", reference], raw.clone()].concat();
            crate::env::finish(env.command(line), b"")
        };
        get("zzzzzzzzzz").refused(1, "[ctx:zzzzzzzzzz] is not in this project's store", "search");
        get("short").refused(2, "`short` is not a reference", "history");
    }
}

#[test]
fn rejects_invalid_cursors() {
    let env = TestEnv::new();
    let reference = env.stored("a\n");
    for cursor in ["x", "0", "3+", "-4"] {
        let shown = env.forebay(["get", &reference, &format!("--cursor={cursor}")]);
        shown.refused(2, "is not a cursor", "last line");
    }
}

#[test]
fn a_stream_of_a_note_is_refused() {
    let env = TestEnv::new();
    let note = env.noted("a note");
    env.forebay(["get", &note, "--stream", "stdout"]).refused(2, "only a run", "omit");
}

#[test]
fn hints_at_a_terminal_name_commands_and_leave_the_text_alone() {
    let env = TestEnv::new();
    let text = (1..=900).map(|n| format!("{n}. more: ctx_get lines={n}\n")).collect::<String>();
    let reference = env.stored(&text);
    let mut terminal = env.program("script");
    let line = format!("{} get {reference} --lines 1-416", env!("CARGO_BIN_EXE_forebay"));
    terminal.args(["-qec", &line, "/dev/null"]);
    let Ok(output) = terminal.output() else {
        return forebay_test_support::skip("there is no `script` to open a terminal with");
    };
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let hint = format!("forebay get {reference} --lines 1-416 --cursor ");
    assert!(shown.contains(&hint), "{shown}");
    assert!(shown.contains("7. more: ctx_get lines=7"), "{shown}");
    let piped = env.forebay(["get", &reference, "--lines", "1-416"]).ok().text();
    assert!(piped.contains(&format!("ctx_get {reference} lines=1-416 cursor=")), "{piped}");
}

#[test]
fn several_ranges_are_shown_with_a_mark_between_them() {
    let env = TestEnv::new();
    let text = (1..=50).map(|n| format!("row {n}\n")).collect::<String>();
    let reference = env.stored(&text);
    let shown = env.forebay(["get", &reference, "--lines", "1-2,10-11,-1"]).ok().text();
    assert!(shown.contains("lines 1-2, 10-11, 50 of 50"), "{shown}");
    assert!(
        shown.ends_with("row 1\nrow 2\n… lines 3-9\nrow 10\nrow 11\n… lines 12-49\nrow 50"),
        "{shown}"
    );
    env.forebay(["get", &reference, "--lines", "1-2,x"]).refused(2, "is not a line range", "");
}

#[test]
fn pages_of_several_ranges_show_each_line_once() {
    let env = TestEnv::new();
    let text = (1..=400).map(|n| format!("row {n} of the text\n")).collect::<String>();
    let reference = env.stored(&text);
    let (mut rows, mut cursor) = (Vec::new(), String::from("1"));
    for _ in 0..50 {
        let line =
            ["get", &reference, "--lines=5-60,200-260", "--budget", "90", "--cursor", &cursor];
        let page = env.forebay(line).ok().text();
        rows.extend(page.lines().filter(|row| row.starts_with("row ")).map(str::to_owned));
        match page.rsplit_once("cursor=") {
            Some((_, next)) => cursor = next.trim().to_owned(),
            None => break,
        }
    }
    let expect: Vec<String> =
        (5..=60).chain(200..=260).map(|n| format!("row {n} of the text")).collect();
    assert_eq!(rows, expect);
}

#[test]
fn a_cursor_beyond_the_end_is_refused() {
    let env = TestEnv::new();
    let reference = env.stored("one\ntwo\n");
    env.forebay(["get", &reference, "--cursor", "999"]).refused(1, "out of range", "lines 1-2");
}

#[test]
fn grep_shows_context_lines() {
    let env = TestEnv::new();
    let text = (1..=30).map(|n| format!("row {n}\n")).collect::<String>();
    let reference = env.stored(&text);
    let shown =
        env.forebay(["get", &reference, "--grep", "row (5|7|20)$", "--context", "2"]).ok().body();
    let expect = "3- row 3\n4- row 4\n5: row 5\n6- row 6\n7: row 7\n8- row 8\n9- row 9\n--\n\
        18- row 18\n19- row 19\n20: row 20\n21- row 21\n22- row 22";
    assert_eq!(shown, expect);
}

/// Colours, a title and a line that overwrites itself.
const COLOURED: &str = "\x1b[31merror\x1b[0m: \x1b[1mdisk\x1b[0m full on \x1b[4mvolume7\x1b[0m\n\
                        loading 10%\rloaded 100%\n\x1b]0;title\x07done\n";

#[test]
fn grep_matches_the_displayed_text_and_raw_the_bytes() {
    let env = TestEnv::new();
    let reference = env.stored(COLOURED);
    let grep = |pattern: &str| env.forebay(["get", &reference, "--grep", pattern]).ok().body();
    assert_eq!(grep("error: disk full"), "1: error: disk full on volume7");
    assert_eq!(grep("^loaded"), "2: loaded 100%");
    assert_eq!(grep("^done$"), "3: done");
    for hidden in ["31m", "10%\r", "loading", "title", r"\x1b"] {
        assert_eq!(grep(hidden), "", "{hidden}");
    }
    let raw = env.forebay(["get", &reference, "--raw", "--grep", r"\x1b\[31m"]).ok().stdout;
    assert_eq!(raw, COLOURED.lines().next().map(|line| format!("{line}\n")).unwrap().as_bytes());
    assert!(env.forebay(["get", &reference, "--raw", "--grep", "absent"]).ok().stdout.is_empty());
}

#[test]
fn phrases_match_the_displayed_text() {
    let env = TestEnv::new();
    let reference = env.stored(COLOURED);
    for phrase in ["\"disk full on volume7\"", "\"error: disk\"", "\"loaded 100\""] {
        let found = env.forebay(["search", phrase]).ok().text();
        assert!(found.contains(&reference) && !found.contains("no exact phrase"), "{found}");
    }
    let found = env.forebay(["search", "\"loading 10\""]).ok().text();
    assert!(!found.contains("1 hit") || found.contains("no exact phrase"), "{found}");
    let data = env.forebay(["search", "--json", "volume7"]).ok().json();
    let text = data["queries"][0]["hits"][0]["text"].as_str().unwrap();
    assert!(text.contains("disk full on volume7") && !text.contains('\x1b'), "{text:?}");
    assert_eq!(data["queries"][0]["hits"][0]["lines"], serde_json::json!([1, 3]));
}
