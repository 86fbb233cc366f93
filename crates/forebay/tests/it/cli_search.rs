//! `forebay search` and `forebay index`: keyword search over stored entries and indexed documents.

use serde_json::{Value, json};

use crate::env::{TestEnv, check_out};
use crate::texts::{tokens, varied_log};

/// Returns the titles of the hits, best first.
#[track_caller]
fn titles(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let line = [&["search", "--json"], arguments].concat();
    let data = crate::env::finish(env.command(line), b"").ok().json();
    let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
    hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_matching_word_is_enough() {
    let env = TestEnv::new();
    env.noted("Postgres holds the ledger");
    env.noted("Bananas are yellow");
    assert_eq!(
        titles(&env, &["which database has the postgres rows"]),
        ["Postgres holds the ledger"]
    );
}

#[test]
fn finds_inflected_forms() {
    let env = TestEnv::new();
    env.noted("Migrations were failing on restart");
    assert_eq!(titles(&env, &["migration fails"]).len(), 1);
}

#[test]
fn ranks_hits_with_more_matching_words_first() {
    let env = TestEnv::new();
    env.noted("The cache is warm");
    env.noted("The cache eviction policy is random");
    env.noted("Policy documents are in the drawer of the desk at the window");
    assert_eq!(titles(&env, &["cache eviction policy"])[0], "The cache eviction policy is random");
}

#[test]
fn a_hit_shows_its_location_and_matching_lines() {
    let env = TestEnv::new();
    let mut lines: Vec<String> = varied_log(400).lines().map(str::to_owned).collect();
    "the walrus sank".clone_into(&mut lines[250]);
    let reference = env.stored(lines.join("\n"));
    let text = env.forebay(["search", "walrus"]).ok().text();
    assert!(text.starts_with("\"walrus\" · 1 hit\n"), "{text}");
    assert!(text.contains(&format!("[ctx:{reference}] run · cat stored.txt · lines ")), "{text}");
    assert!(text.contains("the walrus sank"), "{text}");
}

#[test]
fn an_empty_result_suggests_what_to_try() {
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
fn index_operators_are_plain_text() {
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
fn accepts_other_scripts_and_emoji() {
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
fn returns_at_most_limit_hits() {
    let env = TestEnv::new();
    for number in 0..8 {
        env.noted(&format!("walrus number {number}"));
    }
    assert_eq!(titles(&env, &["walrus"]).len(), 5, "the default setting");
    assert_eq!(titles(&env, &["walrus", "--limit", "2"]).len(), 2);
    assert_eq!(titles(&env, &["walrus", "--limit", "50"]).len(), 8);
}

#[test]
fn answers_stay_within_the_budget() {
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
fn each_scope_covers_exactly_its_entries() {
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
fn rejects_branch_scope_without_a_branch() {
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

/// Indexes documents `(id, title, text)` as a source.
#[track_caller]
fn index(env: &TestEnv, source: &str, documents: &[(&str, &str, &str)]) {
    let lines: String = documents
        .iter()
        .map(|(id, title, text)| format!("{}\n", json!({ "id": id, "title": title, "text": text })))
        .collect();
    env.write("docs.jsonl", lines);
    env.forebay(["index", "--jsonl", "docs.jsonl", "--source", source]).ok();
}

/// Returns the ids found for each query, in query order.
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
fn a_query_file_is_answered_with_ids_in_order() {
    let env = TestEnv::new();
    index(&env, "code", &DOCUMENTS);
    let found = ids(&env, "10", &["http json", "sorting a list", "nothing-like-it"]);
    assert_eq!(found[0], (json!(0), vec![json!("a1")]));
    assert_eq!(found[1].0, json!(1));
    assert_eq!(found[1].1, [json!("b2"), json!("c3")]);
    assert_eq!(found[2], (json!(2), vec![]));
    assert_eq!(ids(&env, "1", &["parse list"])[0].1.len(), 1, "at most one hit");
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
fn a_malformed_line_is_reported_and_changes_nothing() {
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
fn reports_a_missing_file() {
    let env = TestEnv::new();
    env.forebay(["index", "--jsonl", "no.jsonl", "--source", "s"]).refused(2, "no.jsonl", "file");
}

#[test]
fn reports_unreadable_queries_as_json() {
    let env = TestEnv::new();
    env.write("q.jsonl", "{\"qid\":1}\n");
    for (file, message) in [("no.jsonl", "no.jsonl"), ("q.jsonl", "line 1")] {
        let refused = env.forebay(["search", "--json", "--queries", file]);
        assert_eq!((refused.code(), refused.stdout.len()), (Some(2), 0), "{refused:?}");
        let failure: Value = serde_json::from_str(&refused.stderr).unwrap();
        assert!(failure["error"].as_str().unwrap().contains(message), "{failure}");
        assert!(failure["hint"].is_string(), "{failure}");
    }
}

#[test]
fn reads_documents_from_stdin() {
    let env = TestEnv::new();
    let line = b"{\"id\":5,\"text\":\"walrus\",\"ts\":\"2026-01-02T03:04:05Z\",\"extra\":[1]}\n";
    let indexed = env.forebay_reading(["index", "--jsonl", "-", "--source", "s"], line).ok();
    assert_eq!(env.redact(&indexed.text()), "[ctx:REF] 1 document indexed from s");
    assert_eq!(ids(&env, "10", &["walrus"])[0].1, [json!("5")]);
}

#[test]
fn a_document_with_many_chunks_does_not_crowd_out_others() {
    let env = TestEnv::new();
    let long = "needle in the hay\n\n".repeat(2_000);
    let other = format!("{} needle", "other words of a quite ordinary text ".repeat(20));
    index(&env, "s", &[("long", "needle", &long), ("other", "", &other)]);
    assert_eq!(ids(&env, "2", &["needle"])[0].1, [json!("long"), json!("other")]);
}

#[test]
fn finds_a_word_at_the_end_of_a_large_output() {
    let env = TestEnv::new();
    let filler = varied_log(150_000);
    assert!(filler.len() > 5_000_000);
    env.stored(filler + "the walrus sank at last\n");
    let text = env.forebay(["search", "walrus"]).ok().text();
    assert!(text.contains("the walrus sank at last"), "{text}");
}

#[test]
fn a_dump_of_numbers_is_no_hit_of_an_unrelated_query() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "seq 1 20000"]).ok();
    env.write("heron.md", "# Heron\n\nThe heron waits at the weir.\n");
    env.forebay(["index", "heron.md"]).ok();
    for query in ["unused", "deadline", "why is it slow"] {
        let found = env.forebay(["search", query]).ok().text();
        assert!(found.contains("nothing found"), "{found}");
    }
    assert!(env.forebay(["search", "19997"]).ok().text().contains("seq 1 20000"));
}

#[test]
fn the_name_of_a_file_weighs_more_than_words_in_passing() {
    let env = TestEnv::new();
    env.write(
        "adding_custom_tools.md",
        "# Extending\n\nA plugin registers itself by a class with a name and a schema.\n",
    );
    for (name, text) in [
        ("menus.md", "# Menus\n\nEach tool has an entry; own entries are added to the tool bar.\n"),
        ("faq.md", "# Questions\n\nWhich tool is the oldest? The own tool that was added first.\n"),
    ] {
        env.write(name, text);
    }
    env.forebay(["index", "."]).ok();
    let found = env.forebay(["search", "--json", "add my own tool"]).ok().json();
    let first = found["queries"][0]["hits"][0]["source"].as_str().unwrap();
    assert!(first.ends_with("adding_custom_tools.md"), "{found}");
}

#[test]
fn own_answers_are_no_hits() {
    let env = TestEnv::new();
    let reference = env.noted("the bittern booms at dawn");
    // Whether or not the program is found, the output names the word.
    env.forebay(["run", "--", "cd . && forebay search bittern"]);
    let found = env.forebay(["search", "--json", "bittern"]).ok().json();
    let hits = found["queries"][0]["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1, "{found}");
    assert_eq!(hits[0]["ref"], reference, "{found}");
}
