//! Measures how many facts of recorded outputs remain in a digest of 300 tokens.
//!
//! The facts were written before anything was tuned for them; see `samples/README.md`.
//! `cargo test -p forebay-digest --test facts -- --nocapture` lists the missing ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "an unreadable sample fails the test")]
#![allow(clippy::print_stdout, reason = "the missing facts are listed")]

mod samples;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use forebay_digest::clean;
use samples::{Card, Fact, Kind, Sample, contains_value};

const TOKENS: u64 = 300;
/// The facts of a sample must leave space for the text between them.
const MAX_FACT_BYTES: usize = 800;
const MIN_FACTS: usize = 8;
const MIN_SAMPLES: usize = 60;
const MIN_TOOLS: usize = 40;
/// Minimum shares of facts that digests keep; they are only ever raised.
const MIN_QUOTED_SHARE: f64 = 0.9;
const MIN_DERIVED_SHARE: f64 = 0.85;

#[test]
fn digests_keep_the_facts() {
    let [quoted, derived] = measure(&samples::all());
    assert!(quoted.ratio() >= MIN_QUOTED_SHARE, "quoted facts: {quoted:?}");
    assert!(derived.ratio() >= MIN_DERIVED_SHARE, "derived facts: {derived:?}");
}

#[test]
#[ignore = "measures samples that are not in the repository: FOREBAY_SAMPLES names their folder"]
fn digests_keep_the_facts_of_other_samples() {
    let folder = std::env::var_os("FOREBAY_SAMPLES").expect("FOREBAY_SAMPLES names a folder");
    let [quoted, derived] = measure(&samples::all_in(folder.as_ref()));
    assert!(quoted.all + derived.all > 0, "no facts in {}", folder.display());
}

/// Prints the missing facts; returns the shares of quoted and derived facts that digests keep.
fn measure(samples: &[Sample]) -> [Share; 2] {
    let mut report = String::new();
    let (mut quoted, mut derived) = (Share::default(), Share::default());
    for sample in samples {
        let digest = sample.digest(TOKENS);
        quoted.add(kept(sample, &digest, Kind::Quoted));
        derived.add(kept(sample, &digest, Kind::Derived));
        describe(&mut report, sample, &digest);
    }
    println!("{report}\nquoted {quoted:?}, derived {derived:?}");
    [quoted, derived]
}

#[test]
fn has_enough_samples_of_enough_tools() {
    let all = samples::all();
    let tools: BTreeSet<_> = all.iter().map(Sample::tool).collect();
    assert!(all.len() >= MIN_SAMPLES, "{} samples", all.len());
    assert!(tools.len() >= MIN_TOOLS, "{} tools", tools.len());
    assert_eq!(samples::unpaired_files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn every_sample_is_well_formed() {
    let problems: Vec<_> = samples::all().iter().flat_map(problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn does_not_find_a_number_inside_a_longer_one() {
    for text in ["12 failed", "1,2 failed", "0.2 failed"] {
        assert!(!contains_value(text, "2 failed"), "{text}");
    }
    for text in ["rows: 12", "rows: 1,000", "rows: 1.5"] {
        assert!(!contains_value(text, "rows: 1"), "{text}");
    }
    for text in ["rows: 1", "rows: 1.", "rows: 1, columns", "12 rows: 1"] {
        assert!(contains_value(text, "rows: 1"), "{text}");
    }
    assert!(contains_value("commit 67710b3319", "67710b3"));
}

#[derive(Debug, Default)]
struct Share {
    kept: u32,
    all: u32,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.all += other.all;
    }

    fn ratio(&self) -> f64 {
        f64::from(self.kept) / f64::from(self.all.max(1))
    }
}

fn kept(sample: &Sample, digest: &str, kind: Kind) -> Share {
    let of_kind = sample.card.facts.iter().filter(|fact| fact.kind == kind);
    of_kind.fold(Share::default(), |share, fact| Share {
        kept: share.kept + u32::from(fact.is_in(digest)),
        all: share.all + 1,
    })
}

fn describe(report: &mut String, sample: &Sample, digest: &str) {
    let quoted = kept(sample, digest, Kind::Quoted);
    let derived = kept(sample, digest, Kind::Derived);
    let _ = writeln!(
        report,
        "{:<32} quoted {:>2}/{:<2} derived {:>2}/{:<2}",
        sample.name, quoted.kept, quoted.all, derived.kept, derived.all
    );
    for missing in sample.card.facts.iter().filter(|fact| !fact.is_in(digest)) {
        let _ = writeln!(report, "    - {}", missing.any[0]);
    }
}

fn problems(sample: &Sample) -> Vec<String> {
    let raw = clean(&sample.raw);
    let card = &sample.card;
    let frame = frame(sample, &raw);
    let mut found = card_problems(card);
    found.extend(card.facts.iter().filter_map(|fact| fact_problem(fact, &raw, &frame)));
    found.into_iter().map(|fact_problem| format!("{}: {fact_problem}", sample.name)).collect()
}

fn card_problems(card: &Card) -> Vec<String> {
    let bytes: usize = card.facts.iter().map(|fact| fact.shortest() + 1).sum();
    let rules = [
        (card.facts.len() < MIN_FACTS, "too few facts"),
        (bytes > MAX_FACT_BYTES, "facts that do not fit a digest"),
        (card.origin.is_empty(), "no origin"),
        (card.command.is_empty(), "no command"),
    ];
    rules.into_iter().filter(|(broken, _)| *broken).map(|(_, what)| what.to_owned()).collect()
}

/// Text that frames every digest; a fact that it contains would prove nothing.
fn frame(sample: &Sample, raw: &str) -> String {
    let Card { command, exit, .. } = &sample.card;
    let (lines, bytes) = (raw.lines().count(), sample.raw.len());
    format!("{command} exit {exit} {lines} lines {bytes} bytes")
}

fn fact_problem(fact: &Fact, raw: &str, frame: &str) -> Option<String> {
    let what = match fact.kind {
        _ if fact.any.iter().any(|spelling| spelling.trim().len() < 2) => "too short",
        _ if fact.is_in(frame) => "occurs in the frame",
        Kind::Quoted if !fact.is_in(raw) => "does not occur in the output",
        Kind::Derived if fact.is_in(raw) => "occurs in the output",
        Kind::Quoted | Kind::Derived => return None,
    };
    Some(format!("{:?} {what}", fact.any))
}
