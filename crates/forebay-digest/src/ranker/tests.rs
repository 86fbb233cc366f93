//! Features and scores, compared with a reference implementation.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde::Deserialize;

use super::features::Feature;
use super::observer::MAX_CANDIDATES;
use super::*;
use crate::hash::HashMap;
use crate::tests::terminal_bytes;

/// What the reference implementation computed for a log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    origin: String,
    line: Vec<LineVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineVector {
    /// Index of the line, from 0.
    index: u64,
    features: Vec<i16>,
    score: i32,
}

/// Returns the features of the held lines, by their index.
fn held_lines(raw: &[u8]) -> HashMap<u64, FeatureVector> {
    let mut ranker = LineRanker::default();
    ranker.push(raw);
    ranker.read_held_bytes();
    ranker.splitter.finish(&mut |line| ranker.observer.push(line));
    let held = ranker.observer.take_held_lines(TextKind::Log);
    let whole = ranker.observer.whole_text();
    held.iter().map(|held| (held.line.index(), held.features(&whole))).collect()
}

#[test]
fn features_and_scores_equal_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ranker");
    let mut checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let vectors: Vectors = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let lines = held_lines(&fs::read(path.with_extension("log")).unwrap());
        for LineVector { index, features, score } in vectors.line {
            let found = &lines[&index];
            let names = Feature::ALL.iter().map(|feature| feature.name());
            let named: Vec<_> = names.clone().zip(found.iter().copied()).collect();
            assert_eq!(named, names.zip(features).collect::<Vec<_>>(), "{path:?} line {index}");
            assert_eq!(
                TextKind::Log.committed_model().score(found),
                score,
                "{path:?} line {index}"
            );
            checked += 1;
        }
        assert!(!vectors.origin.is_empty());
    }
    assert!(checked >= 10);
}

#[test]
fn candidates_of_a_large_text_are_bounded_and_include_the_rare_failure() {
    let mut ranker = LineRanker::default();
    for number in 0..60_000 {
        ranker.push(format!("error: request {number} failed\n").as_bytes());
        if number == 30_000 {
            ranker.push(b"fatal: the disk is full\n");
        }
    }
    let lines = ranker.finish(TextKind::Output);
    assert!(lines.len() <= MAX_CANDIDATES);
    assert!(lines.iter().any(|line| line.number == 30_002));
    assert!(lines.is_sorted_by_key(|line| line.number));
}

#[test]
fn of_an_overwritten_line_only_the_last_visible_state_is_ranked() {
    let mut ranker = LineRanker::default();
    ranker.push(b"10%\r20%\r\x1b[K\nerror: full\r\ndone\r\n");
    let lines = ranker.finish(TextKind::Output);
    let texts: Vec<_> = lines.iter().map(|line| (line.number, line.raw.as_slice())).collect();
    assert_eq!(texts, [(1, &b"20%"[..]), (2, b"error: full"), (3, b"done")]);
}

proptest! {
    #[test]
    fn chunking_of_the_input_does_not_change_the_ranking(
        raw in terminal_bytes(),
        sizes in prop::collection::vec(1_usize..40, 1..9),
    ) {
        let rank = |sizes: &[usize]| {
            let mut ranker = LineRanker::default();
            let mut rest = &raw[..];
            for size in sizes.iter().cycle().take_while(|_| true) {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                ranker.push(chunk);
                rest = after;
            }
            let lines = ranker.finish(TextKind::Output);
            lines.into_iter().map(|line| (line.number, line.raw, line.features)).collect::<Vec<_>>()
        };
        prop_assert_eq!(rank(&sizes), rank(&[usize::MAX]));
    }
}

#[test]
fn the_committed_models_are_whole() {
    assert_eq!(TextKind::Log.committed_model().tree_count(), 120);
    assert_eq!(TextKind::Output.committed_model().tree_count(), 150);
}
