//! Invariants of digests, on examples and on arbitrary bytes.

use forebay_domain::tokens;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn reduced(raw: &str, intent: Option<&str>, tokens: u64) -> String {
    digest(raw.as_bytes(), Hint::default(), intent, Budget::exactly(tokens)).text
}

/// Lines that differ in more than digits, so that they do not fold.
fn many(word: &str, count: u64) -> String {
    (0..count).map(|number| format!("{word} {}\n", letters(number))).collect()
}

fn letters(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

#[test]
fn shows_a_small_text_verbatim() {
    let raw = "one\ntwo  \n\n\n\nthree three three";
    let shown = digest(raw.as_bytes(), Hint::default(), None, Budget::exactly(100));
    let expect = Digest {
        text: raw.to_owned(),
        verbatim: true,
        lines: 6,
        items: None,
        bytes: 30,
        omitted: vec![],
        recognizers: vec![],
    };
    assert_eq!(shown, expect);
}

#[test]
fn names_the_recognizers_that_understood_a_text() {
    let names =
        |raw: &str| digest(raw.as_bytes(), Hint::default(), None, Budget::exactly(30)).recognizers;
    let objects: String =
        (0..200).map(|id| format!("{{\"id\": {id}, \"state\": \"open\"}}\n")).collect();
    assert_eq!(names(&objects), ["json lines"]);
    assert_eq!(names(&many("step", 500)), [""; 0]);
    assert_eq!(names("{\"id\": 1}\n"), [""; 0], "verbatim");
}

#[test]
fn terminal_noise_does_not_count_against_the_budget() {
    let raw = "\u{1b}[1;31mred\u{1b}[0m\r\n".repeat(5);
    let shown = digest(raw.as_bytes(), Hint::default(), None, Budget::exactly(5));
    assert_eq!((shown.text.as_str(), shown.verbatim), ("red\nred\nred\nred\nred\n", true));
}

#[test]
fn keeps_head_and_tail_without_failures() {
    assert_snapshot!(reduced(&many("step", 500), None, 30), @r"
    step a
    step b
    step c
    step d
    step e
    step f
    … lines 7-493
    step ejd
    step eje
    step ejf
    step ejg
    step ejh
    step eji
    step ejj
    ");
}

#[test]
fn quotes_a_failure_with_its_context() {
    let raw = many("Compiling", 300)
        + "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 | let x: u8 = \"\";\n"
        + &many("Checking", 300)
        + "error: could not compile `demo`\n";
    assert_snapshot!(reduced(&raw, None, 60), @r#"
    rustc: 1 error in 1 file
    Compiling a
    Compiling b
    Compiling c
    Compiling d
    … lines 5-300
    error[E0308]: mismatched types
     --> src/main.rs:4:5
      |
    4 | let x: u8 = "";
    …305-602
    Checking cji
    Checking cjj
    error: could not compile `demo`
    "#);
}

#[test]
fn omitted_ranges_exclude_the_only_shown_line() {
    let after = many("a line that is longer than the room beside a gap", 100);
    let raw = many("step", 204) + "ERROR: line two hundred and five\n" + &after;
    let shown = digest(raw.as_bytes(), Hint::default(), None, Budget::exactly(10));
    assert_eq!(shown.text, "ERROR: line two hundred and five");
    let around = [OmittedRange { first: 1, last: 204 }, OmittedRange { first: 206, last: 305 }];
    assert_eq!(shown.omitted, around);
}

#[test]
fn unexplained_failure_shows_possible_causes_and_both_ends() {
    let raw = many("step", 200) + "cannot reach the host\n" + &many("more", 200);
    let hint = Hint { failed: true, ..Hint::default() };
    assert_snapshot!(digest(raw.as_bytes(), hint, None, Budget::exactly(30)).text, @r"
    step a
    step b
    step c
    step d
    step e
    … lines 6-200
    cannot reach the host
    …202-397
    more bjg
    more bjh
    more bji
    more bjj
    ");
}

#[test]
fn an_explained_digest_names_recognizers_and_reasons() {
    let raw = many("Compiling", 300)
        + "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 | let x: u8 = \"\";\n"
        + &many("Checking", 30)
        + "error: could not compile `demo`\n";
    let mut digester = Digester::new(Hint::default(), None, Budget::exactly(60)).explaining();
    digester.push(raw.as_bytes());
    assert_snapshot!(digester.finish().text, @r#"
    rustc: 1 error in 1 file  ← recognizer rustc, clippy
    Compiling a  ← near the end, among rare lines, about 319 lines before the end
    Compiling b  ← near the end, among rare lines, about 319 lines before the end
    Compiling c  ← near the end, among rare lines, about 319 lines before the end
    … lines 4-300
    error[E0308]: mismatched types  ← states a failure, rare, its length
     --> src/main.rs:4:5  ← names a place in a file, rare, near the end
      |  ← rare, near the end, 2 lines after a failure
    4 | let x: u8 = "";  ← rare, its indentation, near a place in a file
    …305-331
    Checking ch  ← 3 lines before the end, among rare lines, near the end
    Checking ci  ← 2 lines before the end, near the end, among rare lines
    Checking cj  ← 1 line before the end, near the end, among rare lines
    error: could not compile `demo`  ← the last line, states a failure, rare
    "#);
}

#[test]
fn the_reason_of_a_failure_comes_first_wherever_it_is() {
    let paths = |count: u32| -> String { (0..count).map(|n| format!("src/a{n}.rs\n")).collect() };
    let reason = "cat: c.txt: No such file or directory\n";
    for raw in [
        many("word", 200) + reason + &many("more", 200),
        many("word", 200) + reason,
        reason.to_owned() + &many("word", 200),
        paths(200) + reason,
    ] {
        let hint = Hint { command: Some("cat a.txt c.txt"), failed: true, ..Hint::default() };
        let text = digest(raw.as_bytes(), hint, None, Budget::exactly(60)).text;
        let first = text.lines().next().unwrap_or_default();
        assert!(first.ends_with(reason.trim()), "{text}");
        assert_eq!(text.matches("c.txt").count(), 1, "{text}");
    }
}

#[test]
fn quotes_lines_that_match_the_intent() {
    let raw = many("step", 200) + "the migration took 3 s\n" + &many("more", 200);
    assert_snapshot!(reduced(&raw, Some("how long did the migrations take?"), 40), @r"
    step a
    step b
    step c
    step d
    step e
    step f
    … lines 7-200
    the migration took 3 s
    …202-394
    more bjd
    more bje
    more bjf
    more bjg
    more bjh
    more bji
    more bjj
    ");
}

#[test]
fn does_not_fold_a_number_from_the_intent() {
    let raw: String = (1_000..3_000).map(|id| format!("request {id} done\n")).collect();
    assert_snapshot!(reduced(&raw, Some("2718"), 40), @r"
    request 1000 done … request 2717 done … ×1,718 similar
    request 2718 done
    request 2719 done … request 2999 done … ×281 similar
    ");
}

#[test]
fn repeated_lines_fold_with_a_count() {
    let progress: String = (0..90).map(|done| format!("downloading {done}%\n")).collect();
    let raw = "start\n".to_owned() + &progress + &"waiting\n".repeat(40) + "end\n";
    assert_snapshot!(reduced(&raw, None, 30), @r"
    start
    downloading 0% … downloading 89% … ×90 similar
    waiting ×40
    end
    ");
    let shown = digest(raw.as_bytes(), Hint::default(), None, Budget::exactly(30));
    assert_eq!(shown.omitted, [OmittedRange { first: 3, last: 91 }]);
}

#[test]
fn truncates_a_huge_line_and_reports_the_omitted_bytes() {
    let raw = "x".repeat(3_000_000);
    assert!(reduced(&raw, None, 100).ends_with("x… +2,999,800 bytes"));
}

#[test]
fn describes_binary_data() {
    let raw = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n";
    let shown = digest(raw, Hint::default(), None, Budget::exactly(100));
    assert_eq!(shown.text, "binary data, 17 bytes (png), sha256 c17ed1b3");
    assert_eq!(shown.omitted, [OmittedRange { first: 1, last: 3 }]);
}

#[test]
fn tiny_budget_shows_the_start_of_the_best_line() {
    let raw = many("step", 50) + "error: no space left on device\n" + &many("more", 50);
    assert_eq!(reduced(&raw, None, 5), "error: no space l…");
    assert_eq!(reduced(&raw, None, 1), "e…");
    assert_eq!(reduced(&raw, None, 0), "");
    assert_eq!(reduced(&"\n".repeat(50), None, 5), "×50 blank lines");
}

#[test]
fn clean_removes_terminal_noise() {
    let raw = b"\x1b[1mBuild\x1b[0m\r\n10%\r100%\r\ncaf\xe9\ttab\x07\n";
    assert_eq!(clean(raw), "Build\n100%\ncaf\u{fffd}\ttab\n");
}

#[test]
fn text_without_terminal_noise_is_displayed_without_a_copy() {
    assert!(matches!(displayed("one\ttwo\nthree é".as_bytes()), Cow::Borrowed(_)));
    assert_eq!(displayed(b"\x1b[1mbold\x1b[m\r\n"), "bold\n");
}

/// Bytes like terminal output: text with escapes, carriage returns, repeats, salient words,
/// garbage.
pub(crate) fn terminal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"\n",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\x1b[31m",
        b"\x1b]0;t\x07",
        b"\x1b",
        b"\x08",
        b"\xff",
        b"\xc3",
        b" ",
        b"error: ",
        b"at src/a.rs:12",
        b"line 7",
        b"line 8",
        b"1 failed",
        "äöü…".as_bytes(),
        b"same\nsame\nsame\n",
        b"a longer stretch of plain text that fills lines ",
        b"[INFO] ",
    ];
    let piece = prop_oneof![
        9 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..9),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn budgets() -> impl Strategy<Value = Budget> {
    (0_u64..120, 0_u64..120).prop_map(|(verbatim, digest)| Budget { verbatim, digest })
}

fn in_pieces(raw: &[u8], sizes: &[usize], intent: Option<&str>, budget: Budget) -> Digest {
    let mut digester = Digester::new(Hint::default(), intent, budget);
    let mut rest = raw;
    for size in sizes.iter().cycle().take(raw.len()) {
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        digester.push(piece);
        rest = after;
    }
    digester.push(rest);
    digester.finish()
}

proptest! {
    #[test]
    fn chunking_of_the_input_does_not_change_the_digest(
        raw in terminal_bytes(),
        sizes in prop::collection::vec(0_usize..40, 1..9),
        budget in budgets(),
    ) {
        let whole = digest(&raw, Hint::default(), Some("line text"), budget);
        prop_assert_eq!(in_pieces(&raw, &sizes, Some("line text"), budget), whole);
    }

    #[test]
    fn displayed_text_is_the_clean_text(raw in terminal_bytes()) {
        prop_assert_eq!(displayed(&raw), clean(&raw));
    }

    #[test]
    fn digest_is_clean_and_within_budget(raw in terminal_bytes(), budget in budgets(), failed: bool) {
        let shown = digest(&raw, Hint { failed, ..Hint::default() }, None, budget);
        let limit = if shown.verbatim { budget.verbatim.max(budget.digest) } else { budget.digest };
        prop_assert!(tokens::estimate(&shown.text) <= limit);
        prop_assert!(!shown.text.contains(|c: char| c.is_ascii_control() && !"\t\n".contains(c)));
        prop_assert!(!shown.text.is_empty() || clean(&raw).is_empty() || budget.digest == 0);
        prop_assert_eq!(shown.bytes, raw.len() as u64);
    }

    #[test]
    fn omitted_ranges_are_ordered_and_within_the_text(raw in terminal_bytes(), budget in budgets()) {
        let shown = digest(&raw, Hint::default(), None, budget);
        let mut last = 0;
        for gap in &shown.omitted {
            prop_assert!(last < gap.first && gap.first <= gap.last && gap.last <= shown.lines);
            last = gap.last;
        }
        prop_assert!(!shown.verbatim || shown.omitted.is_empty());
    }

    #[test]
    fn text_within_budget_is_verbatim(raw in terminal_bytes()) {
        prop_assume!(binary::Binary::recognize(&raw[..raw.len().min(binary::PROBE_BYTES)]).is_none());
        let cleaned = clean(&raw);
        let shown = digest(&raw, Hint::default(), None, Budget::exactly(tokens::estimate(&cleaned)));
        prop_assert!(shown.verbatim);
        prop_assert_eq!(shown.text, cleaned);
    }

    #[test]
    fn arbitrary_bytes_never_panic(raw: Vec<u8>, intent: String, budget in budgets()) {
        let shown = digest(&raw, Hint::default(), Some(&intent), budget);
        prop_assert_eq!(digest(&raw, Hint::default(), Some(&intent), budget), shown);
        clean(&raw);
    }

    #[test]
    fn text_without_noise_stays_identical(text in "[a-zä\t \n]{0,80}") {
        prop_assert_eq!(clean(text.as_bytes()), text);
    }
}
