//! Every recorded payload: how it is decoded, and how each reply to it is encoded.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::hook::{Moment, Reply};
use forebay_platforms::{Decoded, Output, PLATFORMS, Platform, decode, encode};

/// A payload of a host.
pub(crate) struct Sample {
    pub(crate) platform: &'static Platform,
    pub(crate) name: String,
    pub(crate) event: String,
    pub(crate) bytes: Vec<u8>,
}

impl Sample {
    fn read(platform: &'static Platform, path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let event = name.split_once('-').unwrap().1.replace('~', ":");
        Self { platform, name, event, bytes: fs::read(path).unwrap() }
    }

    pub(crate) fn decoded(&self) -> Decoded {
        decode(self.platform, &self.event, &self.bytes).unwrap()
    }
}

pub(crate) fn samples_of(platform: &'static Platform) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(platform.id);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Sample::read(platform, path)).collect()
}

pub(crate) fn replies() -> Vec<Reply> {
    vec![
        Reply::Deny("not here".to_owned()),
        Reply::Ask("sure?".to_owned()),
        Reply::Rewrite("forebay run -- x".to_owned()),
        Reply::Context("by the way".to_owned()),
        Reply::Replace("DIGEST [ctx:k3v9m2a1xq]".to_owned()),
    ]
}

fn rendered(sample: &Sample) -> String {
    let decoded = sample.decoded();
    let mut text = format!("## {}\n{:#?}\n", sample.name, decoded.call);
    for reply in replies() {
        if let Ok(output) = encode(&decoded, &reply) {
            let (code, out) = (output.exit_code, output.stdout + &output.stderr);
            text.push_str(&format!("{} -> exit {code}: {out}\n", reply.description()));
        }
    }
    text
}

#[test]
fn decodes_and_answers_every_payload() {
    for platform in PLATFORMS.iter().filter(|platform| !platform.events.is_empty()) {
        let samples = samples_of(platform);
        assert!(!samples.is_empty(), "{} has hooks and no payload", platform.id);
        let text: String = samples.iter().map(|sample| rendered(sample) + "\n").collect();
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(platform.id, text);
        });
    }
}

#[test]
fn silent_reply_has_no_output_except_where_the_host_wants_one() {
    for platform in PLATFORMS {
        for sample in samples_of(platform) {
            let decoded = sample.decoded();
            let printed = match (platform.id, decoded.call.event.moment()) {
                ("antigravity", Moment::BeforeTool) => r#"{"decision":"ask"}"#,
                ("antigravity", _) => "{}",
                _ => "",
            };
            let output = Output { stdout: printed.to_owned(), ..Output::default() };
            assert_eq!(encode(&decoded, &Reply::Silent), Ok(output), "{}", platform.id);
        }
    }
}

#[test]
fn large_texts_are_moved_not_copied() {
    let text = "x".repeat(1 << 20);
    let payload = serde_json::json!({
        "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "x"}, "tool_response": {"stdout": text, "stderr": ""},
    });
    let at = payload["tool_response"]["stdout"].as_str().unwrap().as_ptr();
    let claude = forebay_platforms::find("claude-code").unwrap();
    let decoded = decode::decode_value(claude, "PostToolUse", payload).unwrap();
    let forebay_domain::hook::HookEvent::AfterTool(_, result) = &decoded.call.event else {
        panic!("{:?}", decoded.call.event)
    };
    assert_eq!(result.texts().next().unwrap().as_ptr(), at);
}
