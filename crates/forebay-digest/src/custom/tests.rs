//! Valid and invalid definitions, and the digests that custom recognizers produce.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::{Budget, Digest, Hint, digest};

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn count(label: &str, pattern: &str) -> CountDefinition {
    CountDefinition { label: label.to_owned(), pattern: pattern.to_owned() }
}

fn deploy() -> Definition {
    Definition {
        name: "deploy".to_owned(),
        commands: texts(&["shipit"]),
        keep: texts(&["^(FAILED|ROLLED BACK) "]),
        drop: texts(&[r"^\s*waiting"]),
        counts: vec![
            count("hosts", r"^host (?<by>\w+):"),
            count("KB sent", r"sent (?<sum>[\d.,]+) KB"),
            count("waits", "waiting"),
        ],
        ..Definition::default()
    }
}

/// Output of a tool that no built-in recognizer knows.
fn deploy_log(hosts: u64) -> String {
    let line = |host: u64| {
        let state = if host % 7 == 3 { "stuck" } else { "done" };
        format!("  waiting for host-{host} to answer\nhost {state}: host-{host}, sent 1,000.5 KB\n")
    };
    (0..hosts).map(line).collect::<String>() + "FAILED host-3 has no room\nrest of the story\n"
}

fn digested(
    recognizers: &CustomRecognizers,
    raw: &str,
    command: Option<&str>,
    tokens: u64,
) -> Digest {
    let hint = Hint { command, recognizers: Some(recognizers), ..Hint::default() };
    digest(raw.as_bytes(), hint, None, Budget::exactly(tokens))
}

#[test]
fn keeps_drops_and_counts_lines() {
    let recognizers = CustomRecognizers::new([deploy()]).unwrap();
    let shown = digested(&recognizers, &deploy_log(400), Some("cd x && sudo shipit --all"), 60);
    assert_snapshot!(shown.text, @r"
    deploy: 400 hosts (done: 343, stuck: 57)
    400,200 KB sent in 400 lines (1000.5 each)
    400 waits
    … line 1
    host done: host-0, sent 1,000.5 KB
    …3-799
    host done: host-399, sent 1,000.5 KB
    FAILED host-3 has no room
    rest of the story
    ");
}

#[test]
fn ignores_output_of_other_commands() {
    let recognizers = CustomRecognizers::new([deploy()]).unwrap();
    let own = digested(&recognizers, &deploy_log(400), Some("cat log"), 60);
    assert_eq!(own, digested(&CustomRecognizers::default(), &deploy_log(400), Some("cat log"), 60));
    assert!(!own.text.contains("deploy"));
}

#[test]
fn first_lines_claim_output_of_any_command() {
    let by_start = Definition {
        name: "by-start".to_owned(),
        commands: Vec::new(),
        first_lines: texts(&["^never$", r"^\s+waiting for host-\d+"]),
        ..deploy()
    };
    let recognizers = CustomRecognizers::new([by_start]).unwrap();
    let shown = digested(&recognizers, &deploy_log(400), None, 60).text;
    assert!(shown.starts_with("by-start: 400 hosts (done: 343, stuck: 57)"), "{shown}");
    let other =
        digested(&recognizers, &format!("{}{}", "x y\n".repeat(99), deploy_log(400)), None, 60);
    assert!(!other.text.contains("by-start"), "only the start counts: {}", other.text);
}

#[test]
fn prefers_the_recognizer_with_more_conditions() {
    let particular = Definition {
        name: "shipit-log".to_owned(),
        first_lines: texts(&["waiting for"]),
        ..deploy()
    };
    for order in [[deploy(), particular.clone()], [particular, deploy()]] {
        let recognizers = CustomRecognizers::new(order).unwrap();
        let shown = digested(&recognizers, &deploy_log(400), Some("shipit"), 60).text;
        assert!(shown.starts_with("shipit-log: "), "{shown}");
    }
}

#[test]
fn embedded_formats_are_still_recognized() {
    let raw = deploy_log(300)
        + "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 | let x: u8 = \"\";\n";
    let recognizers = CustomRecognizers::new([deploy()]).unwrap();
    let shown = digested(&recognizers, &raw, Some("shipit"), 120).text;
    for part in ["rustc: 1 error", "300 hosts", "FAILED host-3 has no room", "--> src/main.rs:4:5"]
    {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}

#[track_caller]
fn check_refused(change: impl Fn(&mut Definition), key: &str, message: &str) {
    let mut definition = deploy();
    change(&mut definition);
    let bad = CustomRecognizers::new([definition]).unwrap_err();
    assert_eq!(bad.key, key, "{bad}");
    assert!(bad.message.contains(message), "{bad}");
}

#[test]
fn reports_key_and_reason_of_a_bad_definition() {
    check_refused(|bad| bad.keep.push("(open".to_owned()), "deploy.keep[1]", "unclosed group");
    check_refused(|bad| bad.drop[0] = String::new(), "deploy.drop[0]", "matches every line");
    check_refused(
        |bad| bad.drop[0] = r"(a{1000}){1000}".to_owned(),
        "deploy.drop[0]",
        "size limit",
    );
    check_refused(|bad| bad.drop[0] = r"(x)\1".to_owned(), "deploy.drop[0]", "backreferences");
    check_refused(|bad| bad.keep[0] = "x".repeat(2_000), "deploy.keep[0]", "at most 1000");
    check_refused(|bad| bad.keep = vec!["x".to_owned(); 99], "deploy", "at most 64");
    check_refused(|bad| bad.commands.clear(), "deploy", "must select the output");
    check_refused(|bad| bad.name = "a.b".to_owned(), "a.b", "a name consists of");
    check_refused(|bad| bad.counts[1].label.clear(), "deploy", "has no `label`");
    let named = |pattern: &'static str| {
        move |bad: &mut Definition| bad.counts[0].pattern = pattern.to_owned()
    };
    check_refused(named("(?<total>x)"), "deploy.counts[0].pattern", "unknown group `total`");
    check_refused(
        named("(?<by>x)(?<sum>1)"),
        "deploy.counts[0].pattern",
        "at most one named group",
    );
    let says_nothing = |bad: &mut Definition| {
        *bad = Definition {
            name: bad.name.clone(),
            commands: bad.commands.clone(),
            ..Definition::default()
        };
    };
    check_refused(says_nothing, "deploy", "are empty");
}

#[test]
fn sample_check_reports_missing_text_and_unmatched_patterns() {
    let recognizers = CustomRecognizers::new([deploy()]).unwrap();
    let good = recognizers.check("deploy", deploy_log(20).as_bytes(), &texts(&["20 hosts"]), 100);
    assert_eq!((good.errors, good.unmatched), (vec![], vec![]));
    let bad = recognizers.check("deploy", b"host done: a\n", &texts(&["2 hosts", "1 hosts"]), 100);
    assert_eq!(bad.errors, ["the digest does not contain \"2 hosts\""]);
    assert_eq!(bad.unmatched, ["keep[0]", "drop[0]", "counts[1]", "counts[2]"]);
}

#[test]
fn sample_check_reports_a_sample_claimed_by_another_recognizer() {
    let greedy =
        Definition { name: "greedy".to_owned(), first_lines: texts(&["host"]), ..deploy() };
    let never = Definition { name: "unfit".to_owned(), first_lines: texts(&["^no$"]), ..deploy() };
    let recognizers = CustomRecognizers::new([deploy(), greedy, never]).unwrap();
    let check = |name| recognizers.check(name, deploy_log(20).as_bytes(), &[], 100).errors;
    assert_eq!(check("deploy"), ["its sample is claimed by `greedy`"]);
    assert_eq!(check("greedy"), Vec::<String>::new());
    assert_eq!(check("unfit"), ["its sample is claimed by `greedy`"]);
    let never_alone = Definition { commands: vec![], ..never_matching() };
    let recognizers = CustomRecognizers::new([never_alone]).unwrap();
    let errors = recognizers.check("unfit", b"x\n", &[], 100).errors;
    assert_eq!(errors, ["no line at the start of its sample matches `first_lines`"]);
}

fn never_matching() -> Definition {
    Definition { name: "unfit".to_owned(), first_lines: texts(&["^no$"]), ..deploy() }
}

#[test]
fn counts_sum_matches_without_a_number_separately() {
    let sums = Definition { counts: vec![count("KB", r"sent (?<sum>\S+)")], ..deploy() };
    let recognizers = CustomRecognizers::new([sums]).unwrap();
    let shown = recognizers.check("deploy", b"sent 1,000\nsent 2.5\nsent much\n", &[], 100).digest;
    assert!(
        shown.starts_with("deploy: 1002.5 KB in 2 lines (2.5..1000), 1 lines without a number"),
        "{shown}"
    );
}

/// Typical patterns, some of which match nearly everything.
fn definitions() -> impl Strategy<Value = Definition> {
    let pattern = || {
        prop::sample::select(vec![
            ".",
            "error",
            r"^\s*$",
            r"\d+",
            "(?i)FAIL",
            "[^a]",
            "line (?:7|8)",
            "ä",
            "$",
            r"\bsame\b",
        ])
        .prop_map(str::to_owned)
    };
    let counted = prop::sample::select(vec![
        r"(?<by>\w+)",
        r"(?<sum>\d+)",
        ".",
        r"(?<by>.*)",
        r"(?<sum>\S*)",
    ]);
    let list = || prop::collection::vec(pattern(), 0..4);
    (list(), list(), prop::collection::vec(counted, 0..4)).prop_map(|(keep, drop, counted)| {
        Definition {
            name: "any".to_owned(),
            first_lines: texts(&[".", "^$"]),
            keep: if counted.is_empty() { [keep, texts(&["."])].concat() } else { keep },
            drop,
            counts: counted.into_iter().map(|pattern| count("of these", pattern)).collect(),
            commands: Vec::new(),
        }
    })
}

proptest! {
    #[test]
    fn any_custom_recognizer_keeps_the_invariants(
        definition in definitions(),
        raw in crate::tests::terminal_bytes(),
        tokens in 1_u64..90,
        at in 0_usize..400,
    ) {
        let recognizers = CustomRecognizers::new([definition]).unwrap();
        let hint = Hint { recognizers: Some(&recognizers), ..Hint::default() };
        let whole = digest(&raw, hint, Some("line"), Budget::exactly(tokens));
        prop_assert!(whole.text.len() as u64 <= tokens * 4, "over budget");
        prop_assert!(!whole.text.is_empty() || crate::clean(&raw).is_empty());
        prop_assert!(!whole.text.contains(|c: char| c.is_ascii_control() && !"\t\n".contains(c)));
        let (first, rest) = raw.split_at(at.min(raw.len()));
        let mut digester = crate::Digester::new(hint, Some("line"), Budget::exactly(tokens));
        digester.push(first);
        digester.push(rest);
        prop_assert_eq!(digester.finish(), whole);
        recognizers.check("any", &raw, &[], tokens);
    }

    #[test]
    fn accepts_or_rejects_any_pattern_without_panic(pattern: String) {
        let definition = Definition { keep: vec![pattern], ..deploy() };
        if let Ok(recognizers) = CustomRecognizers::new([definition]) {
            digested(&recognizers, &deploy_log(30), Some("shipit"), 40);
        }
    }
}
