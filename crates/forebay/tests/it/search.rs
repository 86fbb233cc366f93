//! Search over real documentation: typos, parts of words, phrases, filters and conflicting notes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::TestEnv;

/// Queries with a typo or a part of a word, each with the expected file and part of the section heading.
const QUERIES: [(&str, &str, &str); 41] = [
    ("leap secnods", "jiff-design", "leap seconds"),
    ("overlaping matchs", "aho-corasick-design", "Overlapping matches"),
    ("prefliters", "aho-corasick-design", "Prefilters"),
    ("stream serching", "aho-corasick-design", "Stream searching"),
    ("hexadecmial parser", "nom-recipes", "Hexadecimal"),
    ("floting point nubmers", "nom-recipes", "Floating Point Numbers"),
    ("escpaed strings", "nom-recipes", "Escaped Strings"),
    ("symetric diference", "bitflags-spec", "Symmetric difference"),
    ("zero-bit falg", "bitflags-spec", "Zero-bit flag"),
    ("sanitzer support", "getrandom", "Sanitizer support"),
    ("webasembly suport", "getrandom", "WebAssembly support"),
    ("erly boot", "getrandom", "Early boot"),
    ("request boyd limits", "axum-extract", "Request body limits"),
    ("handling extractor rejectoins", "axum-extract", "Handling extractor rejections"),
    ("backpresure routing services", "axum-middleware", "backpressure"),
    ("rewritting request uri", "axum-middleware", "Rewriting request URI"),
    ("root certifcates", "ureq", "Root certificates"),
    ("proxy enviroment varables", "ureq", "Environment Variables"),
    ("chunked transfr encoding", "ureq", "Transfer-Encoding: chunked"),
    ("binding genration", "rusqlite", "Binding generation"),
    ("constructng json vlaues", "serde_json", "Constructing JSON values"),
    ("prefilt", "aho-corasick-design", "Prefilters"),
    ("requestpart", "axum-extract", "FromRequest"),
    ("ystemzon", "jiff-design", "SystemZoned"),
    ("onedround", "jiff-design", "ZonedRound"),
    ("hifit", "jiff-design", "hifitime"),
    ("urando", "getrandom", "/dev/urandom"),
    ("latform-verif", "ureq", "platform-verifier"),
    ("socks", "ureq", "SOCKS5"),
    ("ebpki", "ureq", "webpki-roots"),
    ("tower combinat", "axum-middleware", "combinators"),
    ("multithrea", "blake3-c", "Multithreading"),
    ("cmak", "blake3-c", "CMake"),
    ("lidator attribut", "schemars-attributes", "Validator/Garde"),
    ("ntyped json", "serde_json", "untyped JSON values"),
    ("omstr", "nom-recipes", "FromStr"),
    ("hexadec", "nom-recipes", "Hexadecimal"),
    ("simultan", "regex", "simultaneously"),
    ("yscall", "getrandom", "syscall"),
    ("trunc", "bitflags-spec", "Truncate"),
    ("from_extract", "axum-middleware", "from_extractor"),
];

#[test]
fn typos_and_word_parts_find_the_right_section() {
    let env = TestEnv::new();
    index_documentation(&env);
    let queries: String = QUERIES
        .iter()
        .enumerate()
        .map(|(qid, (query, _, _))| format!("{}\n", json!({ "qid": qid, "query": query })))
        .collect();
    env.write("queries.jsonl", queries);
    let out = env.forebay(["search", "--json", "--limit", "3", "--queries", "queries.jsonl"]).ok();
    let mut missed = Vec::new();
    for (line, (query, file, heading)) in out.text().lines().zip(QUERIES) {
        let line: Value = serde_json::from_str(line).unwrap();
        let ids: Vec<&str> = line["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["id"].as_str().unwrap())
            .collect();
        if !ids.iter().any(|id| id.starts_with(file) && id.contains(heading)) {
            missed.push(format!("{query}: {ids:?}"));
        }
    }
    assert!(missed.len() * 20 <= QUERIES.len(), "more than 5% missed: {missed:#?}");
}

/// Indexes each section of the documentation as a document, named by its file and heading.
fn index_documentation(env: &TestEnv) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs");
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut heading, mut is_code) = (String::new(), false);
        for line in fs::read_to_string(&path).unwrap().lines() {
            is_code ^= line.starts_with("```");
            if !is_code && line.starts_with('#') {
                line.trim_start_matches(['#', ' ']).clone_into(&mut heading);
            }
            let section = sections.entry(format!("{name}#{heading}")).or_default();
            section.push_str(line);
            section.push('\n');
        }
    }
    let lines: String = sections
        .iter()
        .map(|(id, text)| {
            let heading = id.split_once('#').unwrap().1;
            format!("{}\n", json!({ "id": id, "title": heading, "text": text }))
        })
        .collect();
    env.write("docs.jsonl", lines);
    env.forebay(["index", "--jsonl", "docs.jsonl", "--source", "docs"]).ok();
}

/// Words that occur in one section each, with a sentence around them.
const RARE: [(&str, &str); 5] = [
    ("walrus", "A walrus guards the harbour."),
    ("quokka", "The quokka smiles at tourists."),
    ("axolotl", "An axolotl grows its limbs again."),
    ("pangolin", "Every pangolin rolls into a ball."),
    ("okapi", "Some okapi hide in the forest."),
];

/// Indexes a file per rare word, with sections that share every other word.
fn index_animals(env: &TestEnv) {
    for (number, (_, sentence)) in RARE.iter().enumerate() {
        let section = |title: usize, text: &str| {
            let filler = "Animals of the zoo eat, sleep and walk in the enclosure.\n".repeat(8);
            format!("## Chapter {title}\n\n{filler}{text}\n{filler}\n")
        };
        let sections = (0..6).map(|at| section(at, if at == 3 { sentence } else { "" }));
        let name = format!("guide{number}.md");
        env.write(&name, sections.collect::<String>());
        env.forebay(["index", &name]).ok();
    }
}

#[test]
fn five_queries_in_one_call_each_show_their_sentence() {
    let env = TestEnv::new();
    index_animals(&env);
    let queries: Vec<String> =
        RARE.iter().map(|(word, _)| format!("{word} animals enclosure")).collect();
    let input = json!({ "queries": queries, "budget": 600 }).to_string();
    let text = env.forebay(["call", "ctx_search", &input]).ok().text();
    for (word, sentence) in RARE {
        assert!(text.contains(sentence), "{word}: {text}");
    }
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("[ctx:")).collect();
    assert!(heads.iter().all(|head| head.len() <= 80 && head.contains("] guide")), "{text}");
    assert!(
        text.contains(" of 5 hits") && text.ends_with("more hits with a larger budget"),
        "{text}"
    );
}

#[test]
fn a_corrected_word_prefers_its_form_over_its_stem() {
    let env = TestEnv::new();
    let chunk = |number: usize| {
        format!(
            "{}\n",
            json!({ "id": number.to_string(), "title": "Mapping", "text": format!("The map {number} maps mapping to maps.") })
        )
    };
    let mut lines: String = (0..150).map(chunk).collect();
    lines.push_str(&json!({ "id": "asked", "title": "Other", "text": "Long ago, somebody mapped it, in a longer sentence about the coast and its towns." }).to_string());
    env.write("docs.jsonl", lines);
    env.forebay(["index", "--jsonl", "docs.jsonl", "--source", "docs"]).ok();
    for query in ["mapped", "mappde"] {
        let data = env.forebay(["search", "--json", query]).ok().json();
        assert_eq!(data["queries"][0]["hits"][0]["id"], "asked", "{query}");
    }
}

#[test]
fn the_learned_reranker_can_be_switched_off() {
    let env = TestEnv::new();
    index_animals(&env);
    let scores = || {
        let data =
            env.forebay(["search", "--json", "which animals sleep in the harbour"]).ok().json();
        let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["score"].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let learned = scores();
    env.write(".forebay.toml", "[search]\nreranker = false\n");
    assert_ne!(scores(), learned);
}

#[test]
fn reports_typo_corrections_even_if_other_words_match() {
    let env = TestEnv::new();
    env.noted("The migration of the ledger is irreversible");
    env.noted("The ledger has two columns");
    let text = env.forebay(["search", "ledger migratoin"]).ok().text();
    assert!(
        text.starts_with("\"ledger migratoin\" · 2 hits · \"migratoin\" read as migration\n"),
        "{text}"
    );
    assert!(text.lines().nth(1).unwrap().contains("irreversible"), "{text}");
}

#[test]
fn supports_phrases_excluded_words_and_filters() {
    let env = TestEnv::new();
    env.noted("exponential backoff with jitter");
    env.noted("backoff is exponential here, over http");
    env.forebay(["note", "--kind", "decision", "no backoff"]).ok();
    let found = |query: &str| {
        let data = env.forebay(["search", "--json", "--", query]).ok().json();
        let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
        let mut titles: Vec<String> =
            hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        titles
    };
    let (jitter, http, none) =
        ("exponential backoff with jitter", "backoff is exponential here, over http", "no backoff");
    assert_eq!(found("backoff"), [http, jitter, none]);
    assert_eq!(found("\"Exponential  backoff\""), [jitter]);
    assert_eq!(found("backoff -http"), [jitter, none]);
    assert_eq!(found("backoff kind:decision"), [none]);
    assert_eq!(found("kind:decision"), [none], "a filter without words lists all");
    assert_eq!(found("backoff after:1d").len(), 3);
    assert_eq!(found("backoff before:1d").len(), 0);
    assert_eq!(
        found("\"backoff jitter\"")[1],
        jitter,
        "falls back to words without a phrase match"
    );
    let text = env.forebay(["search", "\"backoff jitter\""]).ok().text();
    assert!(text.contains("hits · no exact phrase match"), "{text}");
    let text = env.forebay(["search", "backoff -http"]).ok().text();
    assert!(text.contains("2 hits · without http"), "{text}");
}

#[test]
fn sorts_hits_by_time_on_request() {
    let env = TestEnv::new();
    let lines = [("a", 2024), ("b", 2022), ("c", 2023)].map(|(id, year)| {
        format!("{}\n", json!({ "id": id, "title": id, "text": format!("walrus of {year}"), "ts": format!("{year}-05-01T00:00:00Z") }))
    });
    env.write("docs.jsonl", lines.concat());
    env.forebay(["index", "--jsonl", "docs.jsonl", "--source", "zoo"]).ok();
    let found = |arguments: &[&str]| {
        let line = [&["search", "--json", "walrus"], arguments].concat();
        let data = crate::env::finish(env.command(line), b"").ok().json();
        let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect::<String>()
    };
    assert_eq!(found(&["--sort", "newest"]), "acb");
    assert_eq!(found(&["--sort", "oldest"]), "bca");
    assert_eq!(found(&["--sort", "oldest", "--after", "2023"]), "ca");
    assert_eq!(found(&["--before", "2023-01-01"]), "b");
    let refused = env.forebay(["search", "walrus", "--after", "lunch"]);
    assert_eq!(refused.code(), Some(2));
    assert!(refused.stderr.contains("neither an age"), "{}", refused.stderr);
}

/// Pairs of notes, the second of which is current, and a query that matches both.
const CONFLICTING: [(&str, &str, &str); 12] = [
    ("We deploy on Fridays", "We never deploy on Fridays", "when do we deploy"),
    ("The ledger lives in Postgres", "The ledger lives in SQLite", "where does the ledger live"),
    ("The request timeout is 30 s", "The request timeout is 60 s", "request timeout"),
    (
        "Retries are enabled for the uploader",
        "Retries are disabled for the uploader",
        "uploader retries",
    ),
    ("Use npm for the web app", "Use pnpm for the web app", "npm for the web app"),
    ("Commits are signed with GPG keys", "Commits are signed with SSH keys", "commits signed gpg"),
    ("The server listens on port 8080", "The server listens on port 9090", "server port 8080"),
    (
        "Feature flags are optional in config",
        "Feature flags are required in config",
        "are feature flags optional",
    ),
    ("Logging is on in production", "Logging is off in production", "logging in production on"),
    (
        "The API requires an auth header",
        "The API does not require an auth header",
        "API requires auth header",
    ),
    ("Cache the session tokens", "Do not cache the session tokens", "cache session tokens"),
    ("Release branch is called main", "Release branch is called trunk", "release branch main"),
];

#[test]
fn ranks_the_current_one_of_conflicting_notes_first() {
    for (older, newer, query) in CONFLICTING {
        let env = TestEnv::new();
        let old = env.noted(older);
        env.noted("Bananas are yellow");
        let noted = env.forebay(["note", "--", newer]).ok();
        let answer = noted.text();
        assert!(
            answer.contains(&format!("may conflict with [ctx:{old}]: {older}")),
            "{newer}: {answer}"
        );
        let text = env.forebay(["search", query]).ok().text();
        let first = text.lines().nth(1).unwrap();
        assert!(first.contains(newer), "{query}: {text}");
        assert!(first.contains(&format!("may conflict with [ctx:{old}]")), "{text}");
        env.forebay(["note", "--supersedes", &old, "--", newer]).ok();
        let text = env.forebay(["search", query]).ok().text();
        assert!(text.contains(&format!("replaces [ctx:{old}]")), "{text}");
        assert!(!text.contains(older), "a replaced note is referenced, not shown: {text}");
    }
}

#[test]
fn near_duplicates_are_folded_and_counted() {
    let env = TestEnv::new();
    let report =
        "the walrus report of today lists seven animals, their weights, ages, names and keepers";
    for number in 0..3 {
        env.stored(format!("{report} {number}\n"));
    }
    let text = env.forebay(["search", "walrus report"]).ok().text();
    assert!(
        text.starts_with("\"walrus report\" · 1 hit\n") && text.contains("2 more like it"),
        "{text}"
    );
}

#[test]
fn an_empty_result_suggests_similar_words() {
    let env = TestEnv::new();
    env.noted("configuration of the parser");
    let text = env.forebay(["search", "conference"]).ok().text();
    assert_eq!(
        text,
        "\"conference\" · nothing found in scope project; try other words, or scope all; similar words: configuration"
    );
}

#[test]
fn finds_emoji_other_scripts_and_id_prefixes() {
    let env = TestEnv::new();
    env.noted("配置ファイルはここです");
    env.noted("release is done 🦀");
    env.noted("fixed in commit 9f3a7c21bd04");
    for (query, expect) in [
        ("ファイル", "配置"),
        ("配置", "配置"),
        ("置", "配置"),
        ("🦀", "done"),
        ("9f3a7c2", "9f3a7c21bd04"),
    ] {
        let text = env.forebay(["search", query]).ok().text();
        assert!(text.contains("1 hit") && text.contains(expect), "{query}: {text}");
    }
}

#[test]
fn frequent_searches_get_shorter_but_complete_answers() {
    let env = TestEnv::new();
    for number in 0..9 {
        env.noted(&format!("walrus number {number} {}", "eats and sleeps ".repeat(number)));
    }
    // A search during a write of another process is not counted.
    env.wait_for_checkpoint();
    let mut client = env.mcp();
    let mut hits = Vec::new();
    for _ in 0..12 {
        let text = client.text("ctx_search", json!({ "queries": ["walrus"] }));
        hits.push(text.matches("[ctx:").count());
        assert_eq!(text.contains("several queries in one call"), hits.len() > 4, "{text}");
    }
    assert_eq!(hits, [5, 5, 5, 5, 2, 2, 2, 2, 2, 2, 2, 2]);
    let whole =
        client.text("ctx_search", json!({ "queries": ["walrus"], "limit": 9, "budget": 3000 }));
    assert_eq!(whole.matches("[ctx:").count(), 9, "an explicit limit is respected: {whole}");
    let other = client.text("ctx_search", json!({ "queries": ["sleeps"] }));
    assert!(other.contains("[ctx:"), "{other}");
}

#[test]
fn answers_malformed_and_huge_queries() {
    let env = TestEnv::new();
    env.noted("the walrus at the gate");
    let mut client = env.mcp();
    let words: String = (0..10_000).map(|number| format!("word{number} ")).collect();
    let long = "walrus".repeat(100_000);
    let strange = [
        "walrus\u{0}gate",
        "\u{0}",
        "\"\u{0}\"",
        "\"",
        "\"\"",
        "\"walrus",
        "-",
        "-- -a --walrus",
        "kind:",
        "source:\"",
        "kind:walrus",
        "after: before:",
        "after:99999999999d",
        "((((",
        "*",
        "NEAR(walrus",
        "🦀\u{200d}🦀",
        "\u{feff}",
        "walrus AND NOT",
        "\u{202e}surlaw",
        &words,
        &long,
    ];
    for query in strange {
        let text = client.text(
            "ctx_search",
            json!({ "queries": [query, "walrus gate"], "limit": 2, "budget": 500 }),
        );
        assert!(text.contains("the walrus at the gate"), "{query:.40}: {text}");
        assert!(crate::texts::tokens(&text) <= 500, "{query:.40}");
    }
    for empty in [json!([]), json!([""]), json!([" ", "\n"])] {
        let error = client.error("ctx_search", json!({ "queries": empty }));
        assert!(error.contains("the query is empty"), "{error}");
    }
}
