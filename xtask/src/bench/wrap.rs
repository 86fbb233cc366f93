//! What `forebay wrap` adds to a small call of the server behind it, on stdio and at a URL.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::serve::Connection;
use super::table::Row;
use crate::installation::Installation;
use crate::mcp_client::Client;
use crate::server::Server;

/// Calls in a row, so that caches are as warm on both sides.
const CALLS_PER_ROUND: usize = 10;
const TOOL: &str = "context_status";

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    Ok(vec![on_stdio(env, sizes)?, at_url(env, sizes)?])
}

fn on_stdio(env: &Installation, sizes: &Sizes) -> Result<Row> {
    let server = env.forebay(&[]).get_program().to_string_lossy().into_owned();
    let mut direct = Client::start(env)?;
    let mut wrapped =
        Client::start_command(env.forebay(&["wrap", "--name", "x", "--", &server, "mcp"]))?;
    let row = compare(
        "a small call through forebay wrap",
        sizes,
        || call(&mut direct),
        || call(&mut wrapped),
    )?;
    direct.end()?;
    wrapped.end()?;
    Ok(row)
}

/// Against the same requests on a connection that stays open.
fn at_url(env: &Installation, sizes: &Sizes) -> Result<Row> {
    let serve = ["serve", "--listen", "127.0.0.1:0", "--stateless", "--set", "serve.rate=0"];
    let server = Server::start(&mut env.forebay(&serve))?;
    let url = format!("{}/mcp", server.url());
    let mut direct = Connection::open(&server)?;
    let mut wrapped = Client::start_command(env.forebay(&["wrap", "--name", "x", "--url", &url]))?;
    let params = json!({ "name": TOOL, "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let row = compare(
        "a small call through forebay wrap --url",
        sizes,
        || {
            let started = Instant::now();
            direct.request(request.as_bytes())?;
            Ok(started.elapsed())
        },
        || call(&mut wrapped),
    )?;
    wrapped.end()?;
    Ok(row)
}

/// What the second kind of calls takes longer, in turns.
fn compare(
    what: &str,
    sizes: &Sizes,
    mut direct: impl FnMut() -> Result<Duration>,
    mut wrapped: impl FnMut() -> Result<Duration>,
) -> Result<Row> {
    let (mut bare, mut through) = (Sample::default(), Sample::default());
    // The first calls open the store.
    direct()?;
    wrapped()?;
    for _ in 0..sizes.runs {
        for _ in 0..CALLS_PER_ROUND {
            bare.add(direct()?);
        }
        for _ in 0..CALLS_PER_ROUND {
            through.add(wrapped()?);
        }
    }
    let remark = format!(
        "{:.3} against {:.3}; p95 {:.3} against {:.3}",
        through.median(),
        bare.median(),
        through.p95(),
        bare.p95()
    );
    let added = through.median() - bare.median();
    Ok(Row::at_most(what, 1.0, added, "ms", remark))
}

fn call(client: &mut Client) -> Result<Duration> {
    let started = Instant::now();
    client.call(TOOL, &json!({}))?;
    Ok(started.elapsed())
}
