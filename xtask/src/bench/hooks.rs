//! Hook latency: in a new session, in a long one, and during indexing.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use super::{Sizes, memory};
use crate::installation::Installation;
use crate::process;

/// The session of all calls.
pub(super) const SESSION: &str = "bench";
/// Tasks per call; a hook accepts no more.
const EVENTS_PER_CALL: usize = 60;
/// The length limit of the results that hosts pass to hooks.
const RESULT_BYTES: usize = 30_000;
const INDEXED_BYTES: usize = 20_000_000;

/// A hook call: its name in the table, the event, and the event's own fields.
pub(super) type Call = (&'static str, &'static str, Value);

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let calls = calls();
    let mut rows = Vec::new();
    for call in &calls {
        rows.push(time(env, call, "", sizes.hooks)?);
    }
    fill_session(env, sizes.hook_events)?;
    let note = format!(", {} events", sizes.hook_events);
    let mut max_memory = f64::NAN;
    for call in &calls {
        rows.push(time(env, call, &note, sizes.hooks)?);
        for _ in 0..5 {
            max_memory = max_memory.max(peak(env, call)?);
        }
    }
    rows.push(Row::at_most("hook: resident memory", 15.0, max_memory, "MB", "largest of all"));
    rows.extend(beside_an_indexer(env, &calls, sizes)?);
    Ok(rows)
}

fn calls() -> Vec<Call> {
    let output = Words::new(7).text(RESULT_BYTES);
    let bash = json!({ "command": "make all" });
    let ran = |stdout: &str| {
        json!({ "tool_name": "Bash", "tool_input": bash,
        "tool_response": { "stdout": stdout, "stderr": "", "interrupted": false } })
    };
    vec![
        ("before a tool", "PreToolUse", json!({ "tool_name": "Bash", "tool_input": bash })),
        ("after a tool, small", "PostToolUse", ran("done\n")),
        ("after a tool, 30 KB", "PostToolUse", ran(&output)),
        ("prompt", "UserPromptSubmit", json!({ "prompt": "Let's use SQLite for the store." })),
        ("before compaction", "PreCompact", json!({ "trigger": "auto" })),
        ("start after compaction", "SessionStart", json!({ "source": "compact" })),
        ("session start", "SessionStart", json!({ "source": "startup" })),
        ("end of a turn", "Stop", json!({ "last_assistant_message": "done" })),
    ]
}

fn time(env: &Installation, call: &Call, note: &str, rounds: usize) -> Result<Row> {
    call_hook(env, call)?;
    let mut times = Sample::default();
    for _ in 0..rounds {
        let started = Instant::now();
        call_hook(env, call)?;
        times.add(started.elapsed());
    }
    let remark = format!("p95 {:.2}, {rounds} rounds", times.p95());
    Ok(Row::at_most(format!("hook: {}{note}", call.0), 5.0, times.median(), "ms", remark))
}

/// Fills the session with tasks, which the store keeps longest.
fn fill_session(env: &Installation, events: usize) -> Result<()> {
    for batch in 0..events.div_ceil(EVENTS_PER_CALL) {
        let item = |number: usize| {
            json!({ "id": format!("{batch}-{number}"), "content": format!("task {number} of {batch}"),
                    "status": "pending" })
        };
        let items: Vec<Value> = (0..EVENTS_PER_CALL).map(item).collect();
        let fields = json!({ "tool_name": "TodoWrite", "tool_input": { "todos": items },
                             "tool_response": {} });
        call_hook(env, &("", "PostToolUse", fields))?;
    }
    Ok(())
}

/// Measures the calls while another process indexes 20 MB into the same store.
fn beside_an_indexer(env: &Installation, calls: &[Call], sizes: &Sizes) -> Result<Vec<Row>> {
    let file = env.file("indexed.jsonl");
    write_documents(&file)?;
    let path = file.to_string_lossy().into_owned();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let indexer = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                process::stdout(
                    &mut env.forebay(&["index", "--jsonl", &path, "--source", "bench"]),
                )?;
            }
            Ok(())
        });
        let rows: Result<Vec<Row>> = calls
            .iter()
            .map(|call| time(env, call, ", beside an indexer", sizes.hooks / 2))
            .collect();
        is_done.store(true, Ordering::Relaxed);
        let indexed: Result<()> =
            indexer.join().unwrap_or_else(|_| Err(anyhow!("the indexer panicked")));
        indexed.and(rows)
    })
}

fn write_documents(path: &std::path::Path) -> Result<()> {
    let mut words = Words::new(11);
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut written = 0;
    let mut number = 0;
    while written < INDEXED_BYTES {
        let text = words.text(2_000);
        written += text.len();
        writeln!(file, "{}", json!({ "id": number, "title": "document", "text": text }))?;
        number += 1;
    }
    Ok(file.flush()?)
}

/// Calls a hook and waits until it exits.
pub(super) fn call_hook(env: &Installation, call: &Call) -> Result<()> {
    let output = spawn_hook(env, call)?.wait_with_output()?;
    if !output.status.success() {
        bail!("the hook `{}` failed: {}", call.1, output.status);
    }
    Ok(())
}

/// Returns a hook's peak memory, as far as polling sees it.
fn peak(env: &Installation, call: &Call) -> Result<f64> {
    let mut child = spawn_hook(env, call)?;
    let mut max = f64::NAN;
    while child.try_wait()?.is_none() {
        max = max.max(memory::peak(child.id()).unwrap_or(f64::NAN));
    }
    Ok(max)
}

fn spawn_hook(env: &Installation, (_, event, fields): &Call) -> Result<Child> {
    let mut payload = json!({
        "session_id": SESSION, "cwd": env.project(), "hook_event_name": event,
    });
    let object = payload.as_object_mut().context("a payload is an object")?;
    object.extend(fields.as_object().cloned().unwrap_or_default());
    let mut command = env.forebay(&["hook", "claude-code", event]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", process::command_line(&command)))?;
    let mut stdin = child.stdin.take().context("the hook has a stdin")?;
    stdin.write_all(payload.to_string().as_bytes())?;
    Ok(child)
}
