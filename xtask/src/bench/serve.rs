//! `forebay serve` under load from 64 connections, and with thousands of idle ones.
//!
//! The load generator runs on the same machine and takes its share of every measurement.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde::de::IgnoredAny;
use serde_json::json;

use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use super::{Sizes, memory};
use crate::installation::Installation;
use crate::process;
use crate::server::Server;

pub(super) const CONNECTIONS: usize = 64;
/// The number of searched documents, as in the single-client benchmark.
const DOCUMENTS: usize = 20_000;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let file = env.file("documents.jsonl");
    super::search::write_documents(&file, DOCUMENTS.min(sizes.documents))?;
    let path = file.to_string_lossy();
    process::stdout(&mut env.forebay(&["index", "--jsonl", &path, "--source", "bench"]))?;
    let mut server = start(env)?;
    load(&server, CONNECTIONS, &search)?;
    let searches = load(&server, sizes.requests, &search)?;
    let notes = load(&server, sizes.requests / 2, &note)?;
    let resident = memory::resident(server.pid()).unwrap_or(f64::NAN);
    let idle = with_idle_connections(&server, sizes.idle_connections)?;
    server.kill()?;
    let stored = env.store_stats()?["entries"]["note"].as_u64().unwrap_or(0) as usize;
    Ok(vec![
        searches.row("searches", 2_000.0),
        searches.p99_row("search"),
        notes.row("note writes", 1_000.0),
        notes.p99_row("note write"),
        Row::at_most("serve: resident after the load", 100.0, resident, "MB", ""),
        idle,
        Row::claim(
            "serve: a killed server loses no acknowledged note",
            stored == notes.done,
            format!("{stored} of {}", notes.done),
        ),
    ])
}

pub(super) fn start(env: &Installation) -> Result<Server> {
    Server::start(&mut env.forebay(&["serve", "--listen", "127.0.0.1:0"]))
}

/// The durations of many requests.
pub(super) struct Load {
    pub(super) times: Sample,
    done: usize,
    elapsed: Duration,
}

impl Load {
    /// Returns requests per second.
    pub(super) fn rate(&self) -> f64 {
        self.done as f64 / self.elapsed.as_secs_f64()
    }

    fn row(&self, what: &str, target: f64) -> Row {
        let remark = format!("{} requests", self.done);
        Row::at_least(
            format!("serve: {what} at {CONNECTIONS} connections"),
            target,
            self.rate(),
            "/s",
            remark,
        )
    }

    fn p99_row(&self, what: &str) -> Row {
        let remark = format!("median {:.2}", self.times.median());
        Row::at_most(format!("serve: {what}, p99"), 100.0, self.times.p99(), "ms", remark)
    }
}

/// Sends `count` requests over all connections; each connection sends the next one after a response.
pub(super) fn load(
    server: &Server,
    count: usize,
    make: &(dyn Fn(&mut Words) -> Vec<u8> + Sync),
) -> Result<Load> {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let parts: Vec<Result<Sample>> = thread::scope(|scope| {
        let next = &next;
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|number| scope.spawn(move || client(server, number, count, next, make)))
            .collect();
        let join = |client: thread::ScopedJoinHandle<'_, Result<Sample>>| {
            client.join().unwrap_or_else(|_| Err(anyhow!("a client panicked")))
        };
        clients.into_iter().map(join).collect()
    });
    let elapsed = started.elapsed();
    let mut times = Sample::default();
    for part in parts {
        times.merge(part?);
    }
    Ok(Load { times, done: count, elapsed })
}

fn client(
    server: &Server,
    number: usize,
    count: usize,
    next: &AtomicUsize,
    make: &(dyn Fn(&mut Words) -> Vec<u8> + Sync),
) -> Result<Sample> {
    let mut words = Words::new(number as u64 + 100);
    let mut connection = Connection::open(server)?;
    let mut times = Sample::default();
    while next.fetch_add(1, Ordering::Relaxed) < count {
        let request = make(&mut words);
        let started = Instant::now();
        connection.request(&request)?;
        times.add(started.elapsed());
    }
    Ok(times)
}

pub(super) fn search(words: &mut Words) -> Vec<u8> {
    let length = 2 + words.below(5);
    let query = words.phrase(length).replace(' ', "+");
    format!("GET /v1/search?q={query}&limit=5 HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

fn note(words: &mut Words) -> Vec<u8> {
    let body = json!({ "text": words.text(200) }).to_string();
    format!(
        "POST /v1/tools/ctx_annotate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A minimal HTTP client connection.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(server: &Server) -> Result<Self> {
        let stream = TcpStream::connect(server.address())?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request and waits for the response, which must be successful and valid JSON.
    pub(super) fn request(&mut self, request: &[u8]) -> Result<()> {
        self.stream.get_mut().write_all(request)?;
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let start = head.len();
            ensure!(
                self.stream.read_line(&mut head)? > 0,
                "the server closed the connection: {head}"
            );
            let line = head[start..].trim_end();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        let response = || format!("{head}{}", String::from_utf8_lossy(&body));
        ensure!(head.starts_with("HTTP/1.1 200"), response());
        serde_json::from_slice::<IgnoredAny>(&body).with_context(response)?;
        Ok(())
    }
}

/// Opens idle connections and checks that other connections still get responses.
fn with_idle_connections(server: &Server, wanted: usize) -> Result<Row> {
    let open: Vec<TcpStream> =
        (0..wanted).map_while(|_| TcpStream::connect(server.address()).ok()).collect();
    let busy = load(server, 1_000, &search)?;
    let mut alive = open.iter().filter(|stream| is_open(stream)).count();
    // An idle connection gets a response when it sends a request.
    if let Some(last) = open.into_iter().next_back() {
        let mut late = Connection { stream: BufReader::new(last) };
        alive =
            late.request(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").map_or(0, |()| alive);
    }
    let resident = memory::resident(server.pid()).unwrap_or(f64::NAN);
    let remark = format!(
        "{alive} of {wanted}; concurrent searches p99 {:.0} ms, resident {resident:.0} MB",
        busy.times.p99()
    );
    Ok(Row::claim("serve: idle connections are held", alive == wanted, remark))
}

fn is_open(stream: &TcpStream) -> bool {
    let would_block = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    stream.set_nonblocking(true).is_ok()
        && stream.peek(&mut [0]).is_err_and(would_block)
        && stream.set_nonblocking(false).is_ok()
}
