//! `ctx_context` and `forebay context`: a bounded, ordered summary of a project.

use serde_json::{Value, json};

use crate::env::{TestEnv, check_out};
use crate::hook_host::Host;

/// Creates a project with `count` notes of two lines each.
fn project_with_notes(count: usize) -> TestEnv {
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

/// Creates a project with notes, a pinned note, a prompt and an edit.
fn project_with_notes_and_prompt() -> TestEnv {
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
fn default_context_is_deterministic() {
    let env = project_with_notes_and_prompt();
    let answer = context(&env, []);
    assert_eq!(answer, context(&env, []), "a second call returns the same bytes");
    let date = first_date(&answer);
    insta::assert_snapshot!(env.redact(&answer).replace(&date, "DATE"));
    for same in [["--limit", "abc"], ["--limit", "-3"], ["--notes", "0"], ["--max-bytes", "x"]] {
        assert_eq!(context(&env, same), answer, "{same:?}");
    }
    assert_eq!(context(&env, ["--scope", "galaxy", "--prompts", "many"]), answer);
}

/// Returns the first date in a text.
fn first_date(text: &str) -> String {
    let is_date = |word: &&str| word.len() == 10 && word.matches('-').count() == 2;
    let words = || text.split([' ', ':', '\n']);
    words().find(is_date).unwrap_or("no date").to_owned()
}

#[test]
fn notes_relevant_to_current_work_come_before_newer_ones() {
    let env = project_with_notes_and_prompt();
    let answer = context(&env, []);
    let position = |words: &str| answer.find(words).unwrap_or_else(|| panic!("{words}: {answer}"));
    assert!(position("never push to main") < position("argon2"), "pinned first: {answer}");
    assert!(position("argon2") < position("an ordinary thing"), "{answer}");
    assert!(position("an ordinary thing") < position("Please fix the login"), "{answer}");
}

#[test]
fn compact_context_of_eight_notes_is_below_800_bytes() {
    let env = project_with_notes(200);
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
fn limits_cap_or_omit_each_section() {
    let env = project_with_notes_and_prompt();
    assert_eq!(bullets(&context(&env, ["--limit", "2"])), 2, "pinned notes count");
    assert_eq!(bullets(&context(&env, ["--notes", "1"])), 2, "one in addition to the pinned note");
    let without = context(&env, ["--pinned", "-1", "--prompts", "-1", "--sessions", "-1"]);
    assert!(!without.contains("never push") && !without.contains("Last requests"), "{without}");
    assert_eq!(bullets(&without), 4, "{without}");
    let nothing =
        ["--pinned", "-1", "--notes", "-1", "--prompts", "-1", "--sessions", "-1", "--compact"];
    assert!(context(&env, nothing).starts_with("nothing to show about"));
}

#[test]
fn max_bytes_is_respected_without_splitting_characters() {
    let env = project_with_notes(12);
    let mut mcp = env.mcp();
    for bytes in [1, 2, 40, 61, 100, 199, 200, 201, 300, 555, 1_000] {
        for compact in [false, true] {
            let input = json!({ "max_bytes": bytes, "compact": compact });
            let answer = mcp.text("ctx_context", input);
            assert!(answer.len() <= bytes, "{} of {bytes}: {answer}", answer.len());
        }
    }
}

#[test]
fn invalid_mcp_arguments_fall_back_to_the_defaults() {
    let env = project_with_notes_and_prompt();
    let mut mcp = env.mcp();
    let answer = mcp.text("ctx_context", json!({}));
    let wrong = json!({
        "limit": "many", "compact": "perhaps", "notes": [1], "scope": 7, "max_bytes": -5,
        "sessions": null, "colour": "blue",
    });
    assert_eq!(mcp.text("ctx_context", wrong), answer);
}

#[test]
fn shows_another_project_only_on_request() {
    let env = project_with_notes_and_prompt();
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
    let env = project_with_notes_and_prompt();
    check_out(&env.project(), "main");
    env.forebay(["note", "made on main"]).ok();
    let of_branch = context(&env, ["--scope", "branch"]);
    assert!(of_branch.contains("made on main") && !of_branch.contains("argon2"), "{of_branch}");
    let of_ticket = context(&env, ["--scope", "ABC-12"]);
    assert!(of_ticket.contains("argon2") && !of_ticket.contains("made on main"), "{of_ticket}");
}

#[test]
fn the_guide_lists_a_pinned_note_until_it_is_unpinned() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let pinned = env.forebay(["note", "--pin", "never push to main"]).ok().reference();
    host.prompt("Let's go with tabs.");
    let guide = host.start("compact");
    assert!(guide.contains("never push to main"), "{guide}");
    assert!(host.start("startup").contains("## Pinned (1)"));

    let unpinned = env.forebay(["unpin", &pinned]).ok();
    assert!(unpinned.text().contains(&format!("[ctx:{pinned}] unpinned")), "{}", unpinned.text());
    // The session goes on, so that the next start is another one.
    host.prompt("go on");
    assert!(!host.start("compact").contains("never push"), "{guide}");
    let answer = host.start("startup");
    assert!(answer.contains("## Notes (1)") && !answer.contains("## Pinned"), "{answer}");
    env.forebay(["pin", &pinned]).ok();
    host.prompt("go on");
    assert!(host.start("startup").contains("## Pinned (1)"));
    env.forebay(["pin", "zzzzzzzzzz"]).refused(1, "not in this", "search");
}

#[test]
fn unpinning_a_note_keeps_its_other_attributes() {
    let env = TestEnv::new();
    let first = ["note", "--all", "--pin", "-k", "decision", "-t", "db", "SQLite\nfor it is small"];
    let reference = env.forebay(first).ok().reference();
    env.forebay(["unpin", &reference]).ok();
    assert_eq!(env.forebay(["get", &reference]).ok().body(), "SQLite\nfor it is small");
    let other = env.add_project("other");
    let answer = env.forebay_in(&other, ["context", "--json"]).ok().json();
    assert_eq!(answer["notes"][0]["ref"], reference, "still for every project: {answer}");
    assert_eq!(answer["notes"][0]["kind"], "decision");
    assert_eq!(answer["notes"].as_array().unwrap().len(), 1, "no copy: {answer}");
}

#[test]
fn pinning_is_idempotent_and_leaves_one_note() {
    let env = TestEnv::new();
    let note = env.forebay(["note", "never push to main"]).ok().reference();
    for (command, state) in [
        ("pin", "pinned"),
        ("pin", "already pinned"),
        ("unpin", "unpinned"),
        ("unpin", "not pinned"),
        ("pin", "pinned"),
    ] {
        let answer = env.forebay([command, &note]).ok().text();
        assert_eq!(answer.trim(), format!("[ctx:{note}] {state}"));
    }
    let listed = env.forebay(["history", "--all"]).ok().text();
    assert_eq!(listed.matches("[ctx:").count(), 1, "{listed}");
    let found = env.forebay(["search", "push main"]).ok().text();
    assert!(found.contains("1 hit") && !found.contains("replaces"), "{found}");
    assert!(context(&env, []).contains("## Pinned (1)"));
}

#[test]
fn a_replaced_note_is_not_pinned_but_names_its_successor() {
    let env = TestEnv::new();
    let older = env.forebay(["note", "-t", "db", "we use Postgres"]).ok().reference();
    env.forebay(["note", "-t", "db", "we use MySQL"]).ok();
    let newest = env.forebay(["note", "-t", "db", "we use SQLite"]).ok().reference();
    env.forebay(["pin", &older]).refused(2, "was replaced by", &format!("pin [ctx:{newest}]"));
    let answer = context(&env, []);
    assert!(answer.contains("SQLite") && !answer.contains("Postgres"), "{answer}");
    env.forebay(["pin", &newest]).ok();
    assert!(context(&env, []).contains("## Pinned (1)"));
}

#[test]
fn the_author_is_the_user_or_the_configured_name() {
    let env = TestEnv::new();
    let author = |output: crate::env::Output| -> Value {
        env.forebay(["get", "--json", &output.ok().reference()]).ok().json()["author"].clone()
    };
    let mut by_user = env.command(["note", "by the user"]);
    by_user.env("USER", "ann");
    assert_eq!(author(crate::env::finish(by_user, b"")), "ann");
    assert_eq!(author(env.forebay(["--set", "team.author=bob", "note", "by bob"])), "bob");
    let answer = context(&env, []);
    assert!(answer.contains("by bob** (bob)"), "another author is shown: {answer}");
    let own = ["--set", "team.author=bob"];
    assert!(!context(&env, own).contains("(bob)"), "{answer}");
}

#[test]
fn the_successor_of_a_pinned_note_is_pinned() {
    let env = TestEnv::new();
    let older = env.forebay(["note", "-t", "db", "we use Postgres"]).ok().reference();
    env.forebay(["pin", &older]).ok();
    let answer = env.forebay(["note", "-t", "db", "we use SQLite"]).ok().text();
    assert!(answer.contains("saved and pinned, replaces"), "{answer}");
    let context = context(&env, []);
    assert!(context.contains("## Pinned (1)") && context.contains("SQLite"), "{context}");
}
