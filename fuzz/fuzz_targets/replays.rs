//! Replaying any transcript, with any price of its model, never panics; a replay is deterministic, and a report
//! contains no markup of the transcript.
#![no_main]

use std::fs;

use forebay_app::Call;
use forebay_app::ingest::import::TranscriptSelection;
use forebay_app::replay::{Assumptions, Replay, data, replay, report, text};
use forebay_app::settings::prices::OwnPrice;
use forebay_fuzz::app_with;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // A price in the first line, the transcript in the others.
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or_default();
    let (price, transcript) = input.split_at(end);
    let price = String::from_utf8_lossy(price).into_owned();
    let folder = tempfile::tempdir().unwrap();
    let app = app_with(folder.path(), |settings| {
        settings.prices.own.extend(OwnPrice::try_from(price));
        // Short inputs have short results.
        settings.hooks.threshold = 20;
    });
    fs::write(app.root().join("session.jsonl"), transcript.trim_ascii_start()).unwrap();
    let selection = TranscriptSelection { paths: vec!["session.jsonl".into()], all: true };
    let assumptions = Assumptions { tool_list_tokens: 1_800 };
    let replayed = || replay(&app, &selection, assumptions, &Call::default(), &mut |_, _| ()).ok();
    let Some(one) = replayed() else { return };
    assert_eq!(replayed().unwrap(), one);
    let html = rendered(&one);
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
});

/// The report, and every other form that must not panic.
fn rendered(replay: &Replay) -> String {
    let _ = (text::render(replay), data::data(replay), report::svg(replay));
    let _ = report::markdown::render(replay);
    report::html::render(replay)
}
