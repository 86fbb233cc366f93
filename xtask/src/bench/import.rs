//! Import of past conversations through a server.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};

use super::Sizes;
use super::memory;
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;
use crate::mcp_client::Client;
use crate::{console, process};

/// Targets.
const MIN_MEGABYTES_PER_SECOND: f64 = 50.0;
const MAX_RESIDENT_MEGABYTES: f64 = 200.0;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let file = env.file("past.jsonl");
    let megabytes = write_conversation(&file, sizes.transcript_megabytes * 1_000_000)? as f64 / 1e6;
    let mut client = Client::start(env)?;
    let started = Instant::now();
    let answer = client.call("ctx_import", &json!({ "paths": [file] }))?;
    let speed = megabytes / started.elapsed().as_secs_f64();
    let peak = memory::peak(client.pid()).unwrap_or(f64::NAN);
    client.end()?;
    let indexing = Instant::now();
    process::stdout(&mut env.forebay(&["import", &file.to_string_lossy()]))?;
    let searchable = indexing.elapsed();
    Ok(vec![
        Row::claim(
            format!("import {megabytes:.0} MB of transcripts at {MIN_MEGABYTES_PER_SECOND} MB/s"),
            speed >= MIN_MEGABYTES_PER_SECOND,
            format!("{speed:.0} MB/s; {}", answer.lines().next().unwrap_or_default()),
        ),
        Row::at_most("import, memory of the server", MAX_RESIDENT_MEGABYTES, peak, "MB", ""),
        Row::figure("then make it searchable", console::duration(searchable)),
    ])
}

/// Writes a conversation in Claude Code's format, which repeats results for display; returns its size.
fn write_conversation(path: &Path, bytes: usize) -> Result<usize> {
    let mut words = Words::new(23);
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut number) = (0, 0);
    while written < bytes {
        number += 1;
        let (prompt, answer) = (words.text(300), words.text(700));
        let (short, long) = (words.text(300), words.text(6_000));
        let call = |id: String| json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "make all" } });
        let result = |id: String, text: &str| json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]);
        for (turn, line) in [
            ("user", json!(prompt)),
            ("assistant", json!([{ "type": "text", "text": answer }, call(format!("a{number}"))])),
            ("user", result(format!("a{number}"), &long)),
            ("assistant", json!([call(format!("b{number}"))])),
            ("user", result(format!("b{number}"), &short)),
        ]
        .into_iter()
        .enumerate()
        .map(|(at, (role, content))| (at, transcript_line(number, at, role, content)))
        {
            let text = line.to_string();
            written += text.len() + 1;
            writeln!(file, "{text}")?;
            if turn == 2 {
                let shown =
                    json!({ "type": "progress", "sessionId": "past", "data": { "stdout": long } });
                written += shown.to_string().len() + 1;
                writeln!(file, "{shown}")?;
            }
        }
    }
    file.flush()?;
    Ok(written)
}

fn transcript_line(number: usize, at: usize, role: &str, content: Value) -> Value {
    json!({
        "parentUuid": format!("p{number}-{at}"), "isSidechain": false, "userType": "external",
        "cwd": "/home/user/project", "sessionId": "past", "version": "2.1", "gitBranch": "main", "type": role,
        "uuid": format!("u{number}-{at}"), "timestamp": "2026-03-01T10:00:00.000Z",
        "message": { "role": role, "content": content, "usage": { "input_tokens": 1000, "output_tokens": 10 } },
    })
}
