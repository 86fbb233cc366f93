//! Snapshots of digests of recorded outputs, and invariants for any slice of them.

#![allow(clippy::unwrap_used, reason = "an unreadable sample fails the test")]

#[allow(dead_code, reason = "the facts are used by another test")]
mod samples;

use forebay_digest::{
    Budget, CountDefinition, CustomRecognizers, Definition, Digest, Digester, Hint,
};
use proptest::prelude::*;
use samples::Sample;

const BUDGETS: [u64; 3] = [150, 300, 1_200];

#[test]
fn recorded_outputs_match_their_snapshots() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        for sample in samples::all() {
            let shown = BUDGETS.map(|tokens| {
                let text = digest(&sample.raw, &sample, None, tokens, &[usize::MAX]).text;
                format!("=== {tokens} tokens\n{}\n", text.trim_end())
            });
            insta::assert_snapshot!(sample.name.replace('/', "__"), shown.concat());
        }
    });
}

fn digest(
    raw: &[u8],
    sample: &Sample,
    intent: Option<&str>,
    tokens: u64,
    sizes: &[usize],
) -> Digest {
    digest_with(hint(sample), raw, sample, intent, tokens, sizes)
}

fn hint(sample: &Sample) -> Hint<'_> {
    Hint { command: Some(&sample.card.command), ..Hint::default() }
}

/// A custom recognizer that claims any text.
fn custom_recognizers() -> CustomRecognizers {
    let count = |label: &str, pattern: &str| CountDefinition {
        label: label.to_owned(),
        pattern: pattern.to_owned(),
    };
    let definition = Definition {
        name: "any".to_owned(),
        first_lines: vec![".".to_owned()],
        keep: vec!["(?i)error|fail".to_owned()],
        drop: vec![r"^\s".to_owned()],
        counts: vec![
            count("words", r"(?<by>\w+)"),
            count("sum", r"(?<sum>\d+)"),
            count("all", "."),
        ],
        ..Definition::default()
    };
    CustomRecognizers::new([definition]).unwrap()
}

fn digest_with(
    hint: Hint<'_>,
    raw: &[u8],
    sample: &Sample,
    intent: Option<&str>,
    tokens: u64,
    sizes: &[usize],
) -> Digest {
    let mut digester = Digester::new(hint, intent, Budget::exactly(tokens));
    let mut rest = raw;
    for size in sizes.iter().cycle().take_while(|_| true) {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*size).clamp(1, rest.len()));
        digester.push(piece);
        rest = after;
    }
    if sample.card.exit != 0 {
        digester.command_failed();
    }
    digester.finish()
}

/// A slice of one recorded output, followed by a slice of another.
#[derive(Debug, Clone)]
struct Cut {
    first: (prop::sample::Index, f64, f64),
    second: (prop::sample::Index, f64, f64),
}

fn cuts() -> impl Strategy<Value = Cut> {
    let part = || (any::<prop::sample::Index>(), 0.0..1.0_f64, 0.0..1.0_f64);
    (part(), part()).prop_map(|(first, second)| Cut { first, second })
}

fn part(all: &[Sample], (index, from, to): &(prop::sample::Index, f64, f64)) -> Vec<u8> {
    let raw = &all[index.index(all.len())].raw;
    let at = |share: f64| (share * raw.len() as f64) as usize;
    let (from, to) = (at(from.min(*to)), at(from.max(*to)));
    raw[from..to].to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_slice_of_recorded_outputs_keeps_the_invariants(
        cut in cuts(),
        tokens in 1_u64..1_500,
        sizes in prop::collection::vec(1_usize..9_000, 1..4),
        with_intent in any::<bool>(),
        with_custom in any::<bool>(),
    ) {
        let all = samples::all();
        let sample = &all[cut.first.0.index(all.len())];
        let raw = [part(&all, &cut.first), part(&all, &cut.second)].concat();
        let intent = with_intent.then_some("error in test");
        let custom_recognizers = with_custom.then(custom_recognizers);
        let digest = |sizes: &[usize]| {
            let hint = Hint { recognizers: custom_recognizers.as_ref(), ..hint(sample) };
            digest_with(hint, &raw, sample, intent, tokens, sizes)
        };
        let whole = digest(&[usize::MAX]);
        prop_assert!(whole.text.len() as u64 <= tokens * 4, "over budget");
        prop_assert!(!whole.text.is_empty() || forebay_digest::clean(&raw).is_empty());
        prop_assert!(!whole.text.contains(|c: char| c.is_ascii_control() && !"\t\n".contains(c)));
        // The description of binary data may be longer than the data.
        let is_text = !whole.text.starts_with("binary data, ");
        let max_bytes = if is_text { forebay_digest::clean(&raw).len() } else { usize::MAX };
        prop_assert!(whole.text.len() <= max_bytes, "larger than the text");
        let mut last = 0;
        for gap in &whole.omitted {
            prop_assert!(last < gap.first && gap.first <= gap.last && gap.last <= whole.lines);
            last = gap.last;
        }
        prop_assert_eq!(digest(&sizes), whole);
    }
}
