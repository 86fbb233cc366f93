//! `forebay search` and `forebay index`: what was stored is found by any of its words.

use serde_json::{Value, json};

use crate::env::{TestEnv, check_out};
use crate::texts::{tokens, varied_log};

/// The titles of the hits for a query, best first.
#[track_caller]
fn titles(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let line = [&["search", "--json"], arguments].concat();
    let data = crate::env::finish(env.command(line), b"").ok().json();
    let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
    hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn any_word_of_the_question_is_enough() {
    let env = TestEnv::new();
    env.noted("Postgres holds the ledger");
    env.noted("Bananas are yellow");
    assert_eq!(
        titles(&env, &["which database has the postgres rows"]),
        ["Postgres holds the ledger"]
    );
}

#[test]
fn forms_of_a_word_are_found() {
    let env = TestEnv::new();
    env.noted("Migrations were failing on restart");
    assert_eq!(titles(&env, &["migration fails"]).len(), 1);
}

#[test]
fn more_matching_words_come_first() {
    let env = TestEnv::new();
    env.noted("The cache is warm");
    env.noted("The cache eviction policy is random");
    env.noted("Policy documents are in the drawer of the desk at the window");
    assert_eq!(titles(&env, &["cache eviction policy"])[0], "The cache eviction policy is random");
}

#[test]
fn a_hit_tells_where_it_stands_and_why_it_was_found() {
    let env = TestEnv::new();
    let mut lines: Vec<String> = varied_log(400).lines().map(str::to_owned).collect();
    "the walrus sank".clone_into(&mut lines[250]);
    let reference = env.stored(lines.join("\n"));
    let text = env.forebay(["search", "walrus"]).ok().text();
    assert!(text.starts_with("\"walrus\" · 1 hit\n"), "{text}");
    assert!(text.contains(&format!("[ctx:{reference}] run · cat stored.txt · lines ")), "{text}");
    assert!(text.contains("has: walrus") && text.contains("the walrus sank"), "{text}");
}

#[test]
fn nothing_found_is_said_with_a_way_on() {
    let env = TestEnv::new();
    env.noted("something else");
    let found = env.forebay(["search", "xylophone"]).ok().text();
    assert_eq!(
        found,
        "\"xylophone\" · nothing found in scope project; try other words, or scope all"
    );
}

#[test]
fn a_search_in_an_empty_store_finds_nothing() {
    let env = TestEnv::new();
    assert!(env.forebay(["search", "x"]).ok().text().contains("nothing found"));
}

#[test]
fn operators_of_the_index_are_plain_text() {
    let env = TestEnv::new();
    env.noted("NEAR the AND gate, NOT far: title* \"quoted\" ^start col:umn (paren)");
    let queries = [
        "AND",
        "NEAR(gate, 2)",
        "NOT",
        "\"quoted",
        "title*",
        "^start",
        "col:umn",
        "(paren",
        "a OR b AND",
        "gate -far",
        "'; DROP TABLE entry; --",
        "gate\u{0}".trim_end_matches('\0'),
        "{gate}",
        "+gate",
    ];
    for query in queries {
        assert_eq!(env.forebay(["search", "--", query]).code(), Some(0), "{query}");
    }
    assert_eq!(titles(&env, &["--", "\"quoted"]).len(), 1);
    assert_eq!(titles(&env, &["--", "gate AND"]).len(), 1);
}

#[test]
fn a_query_of_ten_thousand_words_is_answered() {
    let env = TestEnv::new();
    env.noted("word1 stands first");
    let query: String = (1..=10_000).map(|number| format!("word{number} ")).collect();
    assert_eq!(titles(&env, &[&query]), ["word1 stands first"]);
}

#[test]
fn other_scripts_and_emoji_are_no_trouble() {
    let env = TestEnv::new();
    env.noted("配置 文件 は 日本語 です 🦀");
    env.noted("Übergrößenträger žluťoučký");
    for query in ["🦀", "🦀🦀🦀 配置", "日本語", "žluťoučký", "!!!", "\u{200b}", "Ünder"]
    {
        assert_eq!(env.forebay(["search", "--", query]).code(), Some(0), "{query}");
    }
    assert_eq!(titles(&env, &["日本語"]).len(), 1);
    assert_eq!(titles(&env, &["Übergrößenträger"]).len(), 1);
}

#[test]
fn an_empty_query_is_refused() {
    let env = TestEnv::new();
    env.forebay(["search", " "]).refused(2, "the query is empty", "words");
    assert_eq!(env.forebay(["search"]).code(), Some(2));
}

#[test]
fn the_limit_is_kept() {
    let env = TestEnv::new();
    for number in 0..8 {
        env.noted(&format!("walrus number {number}"));
    }
    assert_eq!(titles(&env, &["walrus"]).len(), 5, "the default of the settings");
    assert_eq!(titles(&env, &["walrus", "--limit", "2"]).len(), 2);
    assert_eq!(titles(&env, &["walrus", "--limit", "50"]).len(), 8);
}

#[test]
fn no_answer_is_larger_than_its_budget() {
    let env = TestEnv::new();
    env.stored(varied_log(2_000));
    for number in 0..20 {
        env.noted(&format!("{number}: ember and granite {}", "and so on ".repeat(60)));
    }
    for budget in [50, 80, 200, 700, 3_000] {
        let line = ["search", "ember granite", "--limit", "20", "--budget", &budget.to_string()];
        let text = env.forebay(line).ok().text();
        assert!(tokens(&text) <= budget, "{} > {budget}", tokens(&text));
        assert!(text.contains("[ctx:") || text.contains("larger budget"), "{budget}: {text}");
    }
}

#[test]
fn scopes_reach_as_far_as_they_say() {
    let env = TestEnv::new();
    let note = |session: &str, text: &str| env.forebay(["--session", session, "note", text]).ok();
    note("one", "walrus of session one on main");
    check_out(&env.project(), "feature");
    note("two", "walrus of session two on feature");
    env.forebay(["note", "--all", "walrus of every project"]).ok();
    let other = env.add_project("other");
    env.forebay_in(&other, ["note", "walrus of another project"]).ok();

    let found = |scope: &str| {
        let mut titles = titles(&env, &["walrus", "--scope", scope, "--session", "one"]);
        for title in &mut titles {
            *title = title.replace("walrus of ", "");
        }
        titles.sort();
        titles
    };
    assert_eq!(found("session"), ["session one on main"]);
    assert_eq!(found("branch"), ["session two on feature"]);
    let project = ["every project", "session one on main", "session two on feature"];
    assert_eq!(found("project"), project);
    let all = ["another project", "every project", "session one on main", "session two on feature"];
    assert_eq!(found("all"), all);
}

#[test]
fn the_branch_scope_without_a_branch_says_so() {
    let env = TestEnv::new();
    std::fs::write(env.project().join(".git/HEAD"), "0123456789abcdef\n").unwrap();
    env.forebay(["search", "x", "--scope", "branch"]).refused(2, "no branch", "scope project");
}

#[test]
fn kinds_and_sources_narrow_a_search() {
    let env = TestEnv::new();
    env.noted("walrus note");
    env.forebay(["run", "--", "echo walrus"]).ok();
    index(&env, "docs/guide", &[("d1", "walrus guide", "all about it")]);
    assert_eq!(titles(&env, &["walrus", "--kind", "note"]), ["walrus note"]);
    assert_eq!(titles(&env, &["walrus", "--kind", "run"]), ["echo walrus"]);
    assert_eq!(titles(&env, &["walrus", "--source", "docs/*"]), ["walrus guide"]);
    assert_eq!(titles(&env, &["walrus", "--source", "src/*"]), [""; 0]);
}

/// Indexes documents `(id, title, text)` under a source's name.
#[track_caller]
fn index(env: &TestEnv, source: &str, documents: &[(&str, &str, &str)]) {
    let lines: String = documents
        .iter()
        .map(|(id, title, text)| format!("{}\n", json!({ "id": id, "title": title, "text": text })))
        .collect();
    env.write("docs.jsonl", lines);
    env.forebay(["index", "--jsonl", "docs.jsonl", "--source", source]).ok();
}

/// The ids found for each query, in the order of the queries.
#[track_caller]
fn ids(env: &TestEnv, limit: &str, queries: &[&str]) -> Vec<(Value, Vec<Value>)> {
    let lines: String = queries
        .iter()
        .enumerate()
        .map(|(qid, query)| format!("{}\n", json!({ "qid": qid, "query": query })))
        .collect();
    env.write("queries.jsonl", lines);
    let out = env.forebay(["search", "--json", "--limit", limit, "--queries", "queries.jsonl"]);
    let text = out.ok().text();
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let results = line["results"].as_array().unwrap();
            let scores: Vec<f64> =
                results.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "best first: {scores:?}");
            (line["qid"].clone(), results.iter().map(|hit| hit["id"].clone()).collect())
        })
        .collect()
}

const DOCUMENTS: [(&str, &str, &str); 3] = [
    ("a1", "parsing", "parse the http response into json"),
    ("b2", "sorting", "sort a list of numbers quickly"),
    ("c3", "both", "parse a list of numbers from text and sort them"),
];

#[test]
fn many_queries_are_answered_with_ids_in_order() {
    let env = TestEnv::new();
    index(&env, "code", &DOCUMENTS);
    let found = ids(&env, "10", &["http json", "sorting a list", "nothing-like-it"]);
    assert_eq!(found[0], (json!(0), vec![json!("a1")]));
    assert_eq!(found[1].0, json!(1));
    assert_eq!(found[1].1, [json!("b2"), json!("c3")]);
    assert_eq!(found[2], (json!(2), vec![]));
    assert_eq!(ids(&env, "1", &["parse list"])[0].1.len(), 1, "the limit is kept");
}

#[test]
fn indexing_a_source_again_replaces_it() {
    let env = TestEnv::new();
    index(&env, "code", &DOCUMENTS);
    index(&env, "other", &[("x9", "kept", "another source with numbers")]);
    index(&env, "code", &[("n1", "new", "numbers in a new document")]);
    let mut found = ids(&env, "10", &["numbers"])[0].1.clone();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, [json!("n1"), json!("x9")]);
}

#[test]
fn a_malformed_line_is_named_and_changes_nothing() {
    let env = TestEnv::new();
    index(&env, "code", &DOCUMENTS);
    env.write("bad.jsonl", "{\"id\":\"n\",\"text\":\"numbers\"}\n\n\n{\"id\":\"m\"}\n");
    let refused = env.forebay(["index", "--jsonl", "bad.jsonl", "--source", "code"]);
    refused.refused(2, "line 4", "JSON object");
    assert!(refused.stderr.contains("nothing was indexed"), "{}", refused.stderr);
    let found = ids(&env, "10", &["numbers", "http"]);
    assert_eq!((found[0].1.len(), found[1].1.len()), (2, 1));
}

#[test]
fn a_missing_file_is_told() {
    let env = TestEnv::new();
    env.forebay(["index", "--jsonl", "no.jsonl", "--source", "s"]).refused(2, "no.jsonl", "file");
}

#[test]
fn queries_that_cannot_be_read_are_told_as_data() {
    let env = TestEnv::new();
    env.write("q.jsonl", "{\"qid\":1}\n");
    for (file, told) in [("no.jsonl", "no.jsonl"), ("q.jsonl", "line 1")] {
        let refused = env.forebay(["search", "--json", "--queries", file]);
        assert_eq!((refused.code(), refused.stdout.len()), (Some(2), 0), "{refused:?}");
        let fault: Value = serde_json::from_str(&refused.stderr).unwrap();
        assert!(fault["error"].as_str().unwrap().contains(told), "{fault}");
        assert!(fault["hint"].is_string(), "{fault}");
    }
}

#[test]
fn documents_come_from_stdin_too() {
    let env = TestEnv::new();
    let line = b"{\"id\":5,\"text\":\"walrus\",\"ts\":\"2026-01-02T03:04:05Z\",\"extra\":[1]}\n";
    let indexed = env.forebay_reading(["index", "--jsonl", "-", "--source", "s"], line).ok();
    assert_eq!(env.redact(&indexed.text()), "[ctx:REF] 1 document indexed from s");
    assert_eq!(ids(&env, "10", &["walrus"])[0].1, [json!("5")]);
}

#[test]
fn a_document_of_many_passages_does_not_crowd_out_the_others() {
    let env = TestEnv::new();
    let long = "needle in the hay\n\n".repeat(2_000);
    let other = format!("{} needle", "other words of a quite ordinary text ".repeat(20));
    index(&env, "s", &[("long", "needle", &long), ("other", "", &other)]);
    assert_eq!(ids(&env, "2", &["needle"])[0].1, [json!("long"), json!("other")]);
}

#[test]
fn a_word_far_into_a_large_output_is_found() {
    let env = TestEnv::new();
    let filler = varied_log(150_000);
    assert!(filler.len() > 5_000_000);
    env.stored(filler + "the walrus sank at last\n");
    let text = env.forebay(["search", "walrus"]).ok().text();
    assert!(text.contains("the walrus sank at last"), "{text}");
}
