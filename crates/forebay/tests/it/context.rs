//! `ctx_context` and `forebay context`: what is known of a project, bounded and in order.

use serde_json::{Value, json};

use crate::env::{TestEnv, check_out};
use crate::hook_host::Host;

/// A project with so many notes of the seed's kind: a line that says something, and a body.
fn with_notes(count: usize) -> TestEnv {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for number in 0..count {
        let text = format!(
            "Überprüfung number {number} of the parser shows that wide characters are counted as bytes, \
             which breaks columns in every table of the report\nand more on a second line"
        );
        mcp.text("ctx_annotate", json!({ "text": text, "kind": "constraint" }));
    }
    env
}

#[track_caller]
fn context<const N: usize>(env: &TestEnv, arguments: [&str; N]) -> String {
    let command = env.command(["context"].into_iter().chain(arguments));
    crate::env::finish(command, b"").ok().text()
}

fn bullets(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("- [")).count()
}

/// A project in which something was noted, pinned and asked.
fn at_work() -> TestEnv {
    let env = TestEnv::new();
    check_out(&env.project(), "feat/ABC-12-login");
    let host = Host::new(&env);
    env.forebay(["note", "-k", "finding", "the report is slow"]).ok();
    env.forebay(["note", "-k", "decision", "--topic", "passwords", "hashed with argon2"]).ok();
    env.forebay(["note", "-k", "preference", "--all", "answers in English"]).ok();
    env.forebay(["note", "--pin", "-k", "constraint", "never push to main"]).ok();
    env.forebay(["note", "an ordinary thing"]).ok();
    host.prompt("Please fix the login: passwords are kept in plain text.");
    host.edited("src/login.rs");
    env
}

#[test]
fn the_default_is_the_same_bytes_every_time() {
    let env = at_work();
    let told = context(&env, []);
    assert_eq!(told, context(&env, []), "the same again");
    let date = first_date(&told);
    insta::assert_snapshot!(env.redact(&told).replace(&date, "DATE"));
    for same in [["--limit", "abc"], ["--limit", "-3"], ["--notes", "0"], ["--max-bytes", "x"]] {
        assert_eq!(context(&env, same), told, "{same:?}");
    }
    assert_eq!(context(&env, ["--scope", "galaxy", "--prompts", "many"]), told);
}

/// The first date in a text.
fn first_date(text: &str) -> String {
    let is_date = |word: &&str| word.len() == 10 && word.matches('-').count() == 2;
    let words = || text.split([' ', ':', '\n']);
    words().find(is_date).unwrap_or("no date").to_owned()
}

#[test]
fn what_belongs_to_the_present_work_comes_before_what_is_newer() {
    let env = at_work();
    let told = context(&env, []);
    let place = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
    assert!(place("never push to main") < place("argon2"), "pinned first: {told}");
    assert!(place("argon2") < place("an ordinary thing"), "{told}");
    assert!(place("an ordinary thing") < place("Please fix the login"), "{told}");
}

#[test]
fn eight_titles_of_two_hundred_notes_take_less_than_800_bytes() {
    let env = with_notes(200);
    let compact = context(&env, ["--limit", "8", "--compact"]);
    assert_eq!(bullets(&compact), 8, "{compact}");
    assert!(compact.len() < 800, "{} bytes: {compact}", compact.len());
    assert!(compact.contains("## Notes (8 of 200)"), "{compact}");
    assert!(!compact.contains("**:"), "bodies are dropped: {compact}");
    let whole = context(&env, []);
    assert!(whole.len() > compact.len() && whole.len() <= 4_000, "{}", whole.len());
    assert!(whole.contains("**:") && whole.contains("more: ctx_search kind=note"), "{whole}");
}

#[test]
fn each_section_is_capped_or_left_out() {
    let env = at_work();
    assert_eq!(bullets(&context(&env, ["--limit", "2"])), 2, "pinned ones count");
    assert_eq!(bullets(&context(&env, ["--notes", "1"])), 2, "one beside the pinned one");
    let without = context(&env, ["--pinned", "-1", "--prompts", "-1", "--sessions", "-1"]);
    assert!(!without.contains("never push") && !without.contains("Last requests"), "{without}");
    assert_eq!(bullets(&without), 4, "{without}");
    let nothing =
        ["--pinned", "-1", "--notes", "-1", "--prompts", "-1", "--sessions", "-1", "--compact"];
    assert!(context(&env, nothing).starts_with("no data about"));
}

#[test]
fn it_is_never_cut_within_a_character_nor_longer_than_asked() {
    let env = with_notes(12);
    let mut mcp = env.mcp();
    for bytes in [1, 2, 40, 61, 100, 199, 200, 201, 300, 555, 1_000] {
        for compact in [false, true] {
            let input = json!({ "max_bytes": bytes, "compact": compact });
            let told = mcp.text("ctx_context", input);
            assert!(told.len() <= bytes, "{} of {bytes}: {told}", told.len());
        }
    }
}

#[test]
fn over_mcp_whatever_is_wrong_is_the_default() {
    let env = at_work();
    let mut mcp = env.mcp();
    let told = mcp.text("ctx_context", json!({}));
    let wrong = json!({
        "limit": "many", "compact": "perhaps", "notes": [1], "scope": 7, "max_bytes": -5,
        "sessions": null, "colour": "blue",
    });
    assert_eq!(mcp.text("ctx_context", wrong), told);
}

#[test]
fn another_project_is_told_only_when_it_is_named() {
    let env = at_work();
    let other = env.add_project("other");
    let ask = |project: &str| env.forebay_in(&other, ["context", "--project", project]).ok().text();
    let own = env.forebay_in(&other, ["context"]).ok().text();
    assert!(own.contains("answers in English") && !own.contains("argon2"), "{own}");
    assert!(ask("app").contains("argon2"));
    assert_eq!(ask("../app"), "no data about a project `../app`");
    assert!(ask("nowhere").contains("no data about a project `nowhere`"));
}

#[test]
fn a_scope_limits_the_notes() {
    let env = at_work();
    check_out(&env.project(), "main");
    env.forebay(["note", "made on main"]).ok();
    let of_branch = context(&env, ["--scope", "branch"]);
    assert!(of_branch.contains("made on main") && !of_branch.contains("argon2"), "{of_branch}");
    let of_ticket = context(&env, ["--scope", "ABC-12"]);
    assert!(of_ticket.contains("argon2") && !of_ticket.contains("made on main"), "{of_ticket}");
}

#[test]
fn a_pinned_note_comes_first_in_the_guide_until_it_is_unpinned() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let pinned = env.forebay(["note", "--pin", "never push to main"]).ok().reference();
    host.prompt("Let's go with tabs.");
    let guide = host.start("compact");
    let place = |words: &str| guide.find(words).unwrap_or_else(|| panic!("{words}: {guide}"));
    assert!(place("never push to main") < place("Let's go with tabs."), "{guide}");
    assert!(host.start("startup").contains("## Pinned (1)"));

    let unpinned = env.forebay(["unpin", &pinned]).ok();
    assert!(unpinned.text().contains(&format!("replaces [ctx:{pinned}]")), "{}", unpinned.text());
    assert!(!host.start("compact").contains("never push"), "{guide}");
    let told = host.start("startup");
    assert!(told.contains("## Notes (1)") && !told.contains("## Pinned"), "{told}");
    env.forebay(["pin", &unpinned.reference()]).ok();
    assert!(host.start("startup").contains("## Pinned (1)"));
    env.forebay(["pin", "zzzzzzzzzz"]).refused(1, "not in this", "search");
}

#[test]
fn a_note_that_is_written_again_keeps_what_it_was() {
    let env = TestEnv::new();
    let first = ["note", "--all", "--pin", "-k", "decision", "-t", "db", "SQLite\nfor it is small"];
    let reference = env.forebay(first).ok().reference();
    let again = env.forebay(["unpin", &reference]).ok().reference();
    assert_eq!(env.forebay(["get", &again]).ok().body(), "SQLite\nfor it is small");
    let other = env.add_project("other");
    let told = env.forebay_in(&other, ["context", "--json"]).ok().json();
    assert_eq!(told["notes"][0]["ref"], again, "still for every project: {told}");
    assert_eq!(told["notes"][0]["kind"], "decision");
    assert_eq!(told["notes"].as_array().unwrap().len(), 1, "in place of the older: {told}");
}

#[test]
fn the_author_is_the_user_or_who_the_settings_name() {
    let env = TestEnv::new();
    let author = |output: crate::env::Output| -> Value {
        env.forebay(["get", "--json", &output.ok().reference()]).ok().json()["author"].clone()
    };
    let mut by_user = env.command(["note", "by the user"]);
    by_user.env("USER", "ann");
    assert_eq!(author(crate::env::finish(by_user, b"")), "ann");
    assert_eq!(author(env.forebay(["--set", "team.author=bob", "note", "by bob"])), "bob");
    let told = context(&env, []);
    assert!(told.contains("by bob** (bob)"), "somebody else wrote it: {told}");
    let own = ["--set", "team.author=bob"];
    assert!(!context(&env, own).contains("(bob)"), "{told}");
}
