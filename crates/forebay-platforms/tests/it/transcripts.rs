//! Recorded transcripts are parsed, and no line crashes a parser.

use std::fs;
use std::path::PathBuf;

use forebay_domain::usage::BilledTokens;
use forebay_platforms::transcripts::{Item, Request, TranscriptFormat, detect_format, formats};
use proptest::prelude::*;

fn recorded(host: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    fs::read_to_string(folder.join(format!("{host}.jsonl"))).unwrap()
}

fn parsed(host: &str, format: &TranscriptFormat) -> Vec<Item> {
    let mut items = Vec::new();
    for line in recorded(host).lines() {
        (format.parse_line)(line.as_bytes(), &mut items).unwrap();
    }
    items
}

/// The items without their contexts, long texts cut.
fn rendered(items: &[Item]) -> String {
    let short = |text: &str| text.chars().take(70).collect::<String>().replace('\n', "/");
    let line = |item: &Item| match item {
        Item::Context { .. } | Item::Agent(_) => None,
        Item::Message(message) => {
            Some(format!("{}: {}", message.role.as_str(), short(&message.text)))
        }
        Item::ToolCall(call) => Some(format!("-> {}: {}", call.tool, short(&call.input))),
        Item::ToolResult { text, is_error, .. } => Some(format!("<- {is_error} {}", short(text))),
        Item::Model(name) => Some(format!("model {name}")),
        Item::Request(request) => Some(rendered_request(request)),
    };
    items.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn rendered_request(request: &Request) -> String {
    let Request { id, model, tokens, agent, timestamp, follows_answer: _ } = request;
    assert!(timestamp.is_some(), "{id}");
    let BilledTokens { input, cache_read, cache_write, cache_write_1h, output } = tokens;
    let names = [Some(id), model.as_ref(), agent.as_ref()].into_iter().flatten();
    let names = names.cloned().collect::<Vec<_>>().join(" ");
    format!("$ {names}: {input} {cache_read} {cache_write} {cache_write_1h} {output}")
}

#[test]
fn parses_recorded_transcripts() {
    for (platform, format) in formats() {
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            let text = rendered(&parsed(platform.id, format));
            insta::assert_snapshot!(format!("transcript-{}", platform.id), text);
        });
    }
}

#[test]
fn reports_session_and_folder() {
    for (platform, format) in formats() {
        let items = parsed(platform.id, format);
        let sessions = items.iter().filter_map(|item| match item {
            Item::Context { session, .. } => session.as_ref(),
            _ => None,
        });
        assert!(sessions.count() > 0, "{}", platform.id);
        let cwd = items.iter().find_map(|item| match item {
            Item::Context { cwd, .. } => cwd.as_deref(),
            _ => None,
        });
        let expect = format.project_file.is_none().then_some("/home/user/project");
        assert_eq!(cwd, expect, "{}", platform.id);
    }
}

#[test]
fn detects_host_by_first_line() {
    for host in ["claude-code", "codex", "gemini-cli", "qwen-code"] {
        let text = recorded(host);
        let detected = detect_format(text.lines().next().unwrap().as_bytes());
        assert_eq!(detected.map(|(platform, _)| platform.id), Some(host));
    }
    assert!(detect_format(b"{\"a\": 1}").is_none());
    assert!(detect_format(b"no JSON").is_none());
}

#[test]
fn rejects_malformed_lines() {
    for (platform, format) in formats() {
        for line in [
            "",
            "{",
            "[1]",
            "\u{0}\u{1}",
            "{\"role\":\"user\",\"type\":\"response_item\"",
            "nonsense",
        ] {
            assert!(
                (format.parse_line)(line.as_bytes(), &mut Vec::new()).is_err(),
                "{} {line}",
                platform.id
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn accepts_or_rejects_any_bytes(bytes: Vec<u8>) {
        for (_, format) in formats() {
            let _ = (format.parse_line)(&bytes, &mut Vec::new());
            let _ = detect_format(&bytes);
        }
    }

    /// A recorded line in which a few bytes are replaced.
    #[test]
    fn accepts_or_rejects_corrupted_lines(at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), with in "[\\[\\]{}\",:a0 ]{0,4}") {
        for (platform, format) in formats() {
            let text = recorded(platform.id);
            let lines: Vec<&str> = text.lines().collect();
            let line = at.get(&lines).as_bytes();
            let start = cut.index(line.len());
            let corrupted = [&line[..start], with.as_bytes(), &line[(start + 3).min(line.len())..]].concat();
            let _ = (format.parse_line)(&corrupted, &mut Vec::new());
        }
    }
}
