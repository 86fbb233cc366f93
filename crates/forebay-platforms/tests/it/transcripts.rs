//! Recorded transcripts are read, and no line breaks a reader.

use std::fs;
use std::path::PathBuf;

use forebay_platforms::transcripts::{FORMATS, Item, of_first_line};
use proptest::prelude::*;

fn recorded(host: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    fs::read_to_string(folder.join(format!("{host}.jsonl"))).unwrap()
}

/// What the lines say, places apart and long texts cut.
fn told(host: &str) -> String {
    let format = FORMATS.iter().find(|format| format.host == host).unwrap();
    let mut items = Vec::new();
    for line in recorded(host).lines() {
        (format.read)(line.as_bytes(), &mut items).unwrap();
    }
    let short = |text: &str| text.chars().take(70).collect::<String>().replace('\n', "/");
    let line = |item: &Item| match item {
        Item::Place { .. } => None,
        Item::Said(said) => Some(format!("{}: {}", said.by.word(), short(&said.text))),
        Item::Called { tool, input, .. } => Some(format!("-> {tool}: {}", short(input))),
        Item::Returned { text, failed, .. } => Some(format!("<- {failed} {}", short(text))),
    };
    items.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn recorded_transcripts_tell_what_was_said_and_done() {
    for format in FORMATS {
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(format!("transcript-{}", format.host), told(format.host));
        });
    }
}

#[test]
fn a_place_is_told() {
    for format in FORMATS {
        let mut items = Vec::new();
        for line in recorded(format.host).lines() {
            (format.read)(line.as_bytes(), &mut items).unwrap();
        }
        let sessions = items.iter().filter_map(|item| match item {
            Item::Place { session, .. } => session.as_ref(),
            _ => None,
        });
        assert!(sessions.count() > 0, "{}", format.host);
        let cwd = items.iter().find_map(|item| match item {
            Item::Place { cwd, .. } => cwd.as_deref(),
            _ => None,
        });
        let expect = format.project_file.is_none().then_some("/home/user/project");
        assert_eq!(cwd, expect, "{}", format.host);
    }
}

#[test]
fn a_file_is_known_by_its_first_line() {
    for host in ["claude-code", "codex", "gemini-cli"] {
        let text = recorded(host);
        let format = of_first_line(text.lines().next().unwrap().as_bytes());
        assert_eq!(format.map(|format| format.host), Some(host));
    }
    assert!(of_first_line(b"{\"a\": 1}").is_none());
    assert!(of_first_line(b"no JSON").is_none());
}

#[test]
fn a_broken_line_is_told() {
    for format in FORMATS {
        for line in [
            "",
            "{",
            "[1]",
            "\u{0}\u{1}",
            "{\"role\":\"user\",\"type\":\"response_item\"",
            "nonsense",
        ] {
            assert!(
                (format.read)(line.as_bytes(), &mut Vec::new()).is_err(),
                "{} {line}",
                format.host
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_break_a_reader(bytes: Vec<u8>) {
        for format in FORMATS {
            let _ = (format.read)(&bytes, &mut Vec::new());
            let _ = of_first_line(&bytes);
        }
    }

    /// A line of the host's in which something is missing or something else.
    #[test]
    fn no_slip_breaks_a_reader(at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), with in "[\\[\\]{}\",:a0 ]{0,4}") {
        for format in FORMATS {
            let text = recorded(format.host);
            let lines: Vec<&str> = text.lines().collect();
            let line = at.get(&lines).as_bytes();
            let place = cut.index(line.len());
            let slipped = [&line[..place], with.as_bytes(), &line[(place + 3).min(line.len())..]].concat();
            let _ = (format.read)(&slipped, &mut Vec::new());
        }
    }
}
