//! Digests of recorded outputs that keep every fact, the reason of a failure first.
//!
//! `recorded/<tool>/<name>` has the layout of `samples`, whose digests are measured by their share of facts.

#![allow(clippy::unwrap_used, reason = "an unreadable sample fails the test")]

#[allow(dead_code, reason = "used by other tests")]
mod samples;

use samples::Sample;

const TOKENS: u64 = 300;

#[test]
fn digests_keep_every_fact() {
    let missing: Vec<String> = samples::complete().iter().flat_map(missing_facts).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn digests_match_their_snapshots() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        for sample in samples::complete() {
            let name = format!("recorded__{}", sample.name.replace('/', "__"));
            insta::assert_snapshot!(name, sample.digest(TOKENS));
        }
    });
}

fn missing_facts(sample: &Sample) -> Vec<String> {
    let digest = sample.digest(TOKENS);
    let missing = sample.card.facts.iter().filter(|fact| !fact.is_in(&digest));
    missing.map(|fact| format!("{}: {:?} in\n{digest}", sample.name, fact.any)).collect()
}
