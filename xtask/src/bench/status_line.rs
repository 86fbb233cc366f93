//! Time of the status line in a long session: agents draw it after each message.

use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Sizes;
use super::hooks::{SESSION, call_hook};
use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;

const RESULT_BYTES: usize = 12_000;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut words = Words::new(13);
    for number in 0..sizes.session_requests {
        call_hook(env, &("", "PostToolUse", result(number, &words.text(RESULT_BYTES))))?;
        call_hook(env, &("", "ModelRequest", request(number)))?;
    }
    let line = draw(env)?;
    ensure!(line.contains("tokens saved") && line.contains(" net"), "the line is {line:?}");
    let mut times = Sample::default();
    for _ in 0..sizes.hooks {
        let started = Instant::now();
        draw(env)?;
        times.add(started.elapsed());
    }
    let name = format!("status line, {} requests and digests", sizes.session_requests);
    let remark = format!("p95 {:.2}, {} rounds", times.p95(), sizes.hooks);
    Ok(vec![Row::at_most(name, 5.0, times.median(), "ms", remark)])
}

fn result(number: usize, output: &str) -> Value {
    json!({
        "tool_name": "Bash", "tool_use_id": format!("toolu_{number}"),
        "tool_input": { "command": format!("make {number}") },
        "tool_response": { "stdout": output, "stderr": "", "interrupted": false },
    })
}

fn request(number: usize) -> Value {
    let usage = json!({
        "input_tokens": 3, "output_tokens": 50, "cache_read_input_tokens": 9_000 + 500 * number,
        "cache_creation_input_tokens": 500, "model": "claude-sonnet-4-5",
    });
    json!({ "request_id": number.to_string(), "usage": usage })
}

/// Returns the line, as an agent asks for it.
fn draw(env: &Installation) -> Result<String> {
    let input = json!({
        "session_id": SESSION, "workspace": { "project_dir": env.project() },
        "context_window": { "used_percentage": 42 },
    });
    let mut command = env.forebay(&["statusline", "claude-code"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("cannot start the status line")?;
    let mut stdin = child.stdin.take().context("the status line has a stdin")?;
    stdin.write_all(input.to_string().as_bytes())?;
    drop(stdin);
    Ok(String::from_utf8(child.wait_with_output()?.stdout)?)
}
