//! What `forebay wrap` adds to a small call of the server behind it.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use crate::installation::Installation;
use crate::mcp_client::Client;

/// Calls in a row, so that caches are as warm on both sides.
const CALLS_PER_ROUND: usize = 10;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let server = env.forebay(&[]).get_program().to_string_lossy().into_owned();
    let mut direct = Client::start(env)?;
    let mut wrapped =
        Client::start_command(env.forebay(&["wrap", "--name", "x", "--", &server, "mcp"]))?;
    let (mut bare, mut through) = (Sample::default(), Sample::default());
    // The first calls open the store.
    call(&mut direct)?;
    call(&mut wrapped)?;
    for _ in 0..sizes.runs {
        for _ in 0..CALLS_PER_ROUND {
            bare.add(call(&mut direct)?);
        }
        for _ in 0..CALLS_PER_ROUND {
            through.add(call(&mut wrapped)?);
        }
    }
    direct.end()?;
    wrapped.end()?;
    let remark = format!(
        "{:.3} against {:.3}; p95 {:.3} against {:.3}",
        through.median(),
        bare.median(),
        through.p95(),
        bare.p95()
    );
    let added = through.median() - bare.median();
    Ok(vec![Row::at_most("a small call through forebay wrap", 1.0, added, "ms", remark)])
}

fn call(client: &mut Client) -> Result<Duration> {
    let started = Instant::now();
    client.call("context_status", &json!({}))?;
    Ok(started.elapsed())
}
