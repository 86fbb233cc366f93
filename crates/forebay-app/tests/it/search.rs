//! Searching stored text.

use serde_json::{Value, json};

use crate::env::{DAY, TestEnv, assert_has, assert_within, string_at};

fn save(env: &TestEnv, text: &str) -> String {
    string_at(&env.data("ctx_annotate", json!({ "text": text })), "/ref")
}

fn hits(env: &TestEnv, query: &str) -> Vec<Value> {
    let found = env.data("ctx_search", json!({ "queries": [query], "limit": 10, "budget": 2_000 }));
    found["queries"][0]["hits"].as_array().unwrap().clone()
}

#[test]
fn a_dump_that_repeats_the_word_does_not_hide_a_small_text() {
    let env = TestEnv::new();
    let note = save(&env, "The walrus is restarted with make restart after each deploy.");
    let line =
        |number: u64| format!("12:00:{:02} walrus walrus retry {}\n", number % 60, number * 7919);
    for name in ["dump", "older dump"] {
        let dump: String = (1..=20_000).map(line).collect();
        env.text("ctx_index", json!({ "text": dump, "source": name }));
    }
    for query in ["walrus", "restart the walrus", "how is the walrus deployed"] {
        let found = hits(&env, query);
        let place = found.iter().position(|hit| hit["ref"] == json!(note));
        assert!(place.is_some_and(|place| place < 3), "{query}: {place:?}");
    }
}

#[test]
fn corrects_a_typo_and_reports_it() {
    let env = TestEnv::new();
    let reference = save(&env, "The migration of the ledger is irreversible");
    let text = env.text("ctx_search", json!({ "query": "migratoin" }));
    assert_has(&text, &["\"migratoin\" read as migration", &reference]);
}

#[test]
fn an_exact_phrase_that_does_not_occur_falls_back_to_its_words() {
    let env = TestEnv::new();
    save(&env, "backoff is exponential here");
    let text = env.text("ctx_search", json!({ "query": "\"exponential backoff\"" }));
    assert_has(&text, &["1 hit · no exact phrase match"]);
}

#[test]
fn several_queries_share_one_budget() {
    let env = TestEnv::new();
    for number in 0..8 {
        save(&env, &format!("walrus {number} {}", "swims and sleeps ".repeat(40)));
    }
    let input = json!({ "queries": ["walrus", "sleeps", "absent"], "budget": 400 });
    let text = env.text("ctx_search", input);
    assert_within(&text, 400);
    assert_has(&text, &["\"walrus\" ·", "\"sleeps\" ·", "\"absent\" ·"]);
}

#[test]
fn answers_get_smaller_in_a_conversation_with_many_searches() {
    let env = TestEnv::new();
    for number in 0..8 {
        save(&env, &format!("walrus number {number}"));
    }
    let search = || env.text("ctx_search", json!({ "query": "walrus" }));
    for _ in 0..4 {
        assert!(!search().contains("shortened after many searches"));
    }
    assert_has(&search(), &["shortened after many searches"]);
    env.advance(DAY);
    assert!(!search().contains("shortened after many searches"));
}

#[test]
fn shows_the_age_of_a_hit() {
    let env = TestEnv::new();
    save(&env, "the walrus waits");
    env.advance(3 * DAY);
    assert_has(&env.text("ctx_search", json!({ "query": "walrus" })), &["3 d ago"]);
}

#[test]
fn session_scope_excludes_other_conversations() {
    let env = TestEnv::new();
    save(&env, "the walrus of this conversation");
    let other = env.app.on_behalf_of("test", Some("other"));
    let input = json!({ "query": "walrus", "scope": "session" });
    let found = other.call("ctx_search", input, &forebay_app::Call::default()).unwrap();
    assert_has(&found.text, &["nothing found in scope session"]);
    assert_eq!(hits(&env, "walrus").len(), 1);
}

#[test]
fn indexing_under_the_same_name_replaces_the_text() {
    let env = TestEnv::new();
    let index = |text: &str| env.text("ctx_index", json!({ "text": text, "source": "manual" }));
    index("the first edition mentions a walrus");
    index("the second edition mentions a heron");
    assert!(hits(&env, "walrus").is_empty());
    assert_eq!(hits(&env, "heron")[0]["source"], "manual");
}

#[test]
fn a_changed_file_is_indexed_again_before_a_search() {
    let env = TestEnv::new();
    env.write("guide.md", "# Guide\n\nThe walrus swims.\n");
    env.text("ctx_index", json!({ "path": "guide.md" }));
    assert_eq!(hits(&env, "walrus").len(), 1);
    env.write("guide.md", "# Guide\n\nThe heron waits for its time.\n");
    env.advance(DAY);
    assert!(hits(&env, "walrus").is_empty());
    assert_eq!(hits(&env, "heron").len(), 1);
}

#[test]
fn near_duplicates_are_folded() {
    let env = TestEnv::new();
    let text = "the walrus swims along the northern coast every winter until the ice melts away";
    for source in ["one", "two"] {
        env.text("ctx_index", json!({ "text": text, "source": source }));
    }
    let hits = hits(&env, "walrus coast");
    assert_eq!((hits.len(), &hits[0]["alike"]), (1, &json!(1)));
}
