//! Time from starting the MCP server to its tool list, and its memory.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::sample::Sample;
use super::table::Row;
use super::{Sizes, memory};
use crate::installation::Installation;
use crate::mcp_client::Client;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut times = Sample::default();
    let mut max_memory = f64::NAN;
    list_tools(env, &mut Sample::default())?;
    for _ in 0..sizes.starts {
        max_memory = max_memory.max(list_tools(env, &mut times)?);
    }
    let remark = format!("p95 {:.2}, {} rounds", times.p95(), sizes.starts);
    Ok(vec![
        Row::at_most("MCP: spawn to tools/list", 10.0, times.median(), "ms", remark),
        Row::at_most(
            "MCP: resident memory by then",
            15.0,
            max_memory,
            "MB",
            "largest of all rounds",
        ),
    ])
}

/// Runs one round; returns the server's peak memory in megabytes.
fn list_tools(env: &Installation, times: &mut Sample) -> Result<f64> {
    let started = Instant::now();
    let mut client = Client::start(env)?;
    client.request("tools/list", &json!({}))?;
    times.add(started.elapsed());
    let memory = memory::peak(client.pid()).unwrap_or(f64::NAN);
    client.end()?;
    Ok(memory)
}
