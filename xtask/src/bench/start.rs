//! From starting the MCP server to its list of tools, and the memory that takes.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::client::Client;
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use super::{Sizes, memory};

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut times = Sample::default();
    let mut most_memory = f64::NAN;
    list_tools(stage, &mut Sample::default())?;
    for _ in 0..sizes.starts {
        most_memory = most_memory.max(list_tools(stage, &mut times)?);
    }
    let remark = format!("p95 {:.2}, {} rounds", times.p95(), sizes.starts);
    Ok(vec![
        Row::at_most("MCP: spawn to tools/list", 10.0, times.median(), "ms", remark),
        Row::at_most(
            "MCP: resident memory by then",
            15.0,
            most_memory,
            "MB",
            "largest of all rounds",
        ),
    ])
}

/// One round; gives the server's memory in megabytes.
fn list_tools(stage: &Stage, times: &mut Sample) -> Result<f64> {
    let started = Instant::now();
    let mut client = Client::start(stage)?;
    client.request("tools/list", &json!({}))?;
    times.add(started.elapsed());
    let memory = memory::peak(client.process()).unwrap_or(f64::NAN);
    client.end()?;
    Ok(memory)
}
