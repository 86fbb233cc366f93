//! As much of HTTP as agents need: one request a connection, answered whole.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::{Exchange, chat, gemini, messages, responses};

pub(super) fn serve(listener: &TcpListener, heard: &Arc<Mutex<Vec<Exchange>>>) {
    for stream in listener.incoming().flatten() {
        let heard = Arc::clone(heard);
        std::thread::spawn(move || answer(stream, &heard));
    }
}

/// A connection that breaks is the agent's business.
fn answer(stream: TcpStream, heard: &Mutex<Vec<Exchange>>) {
    let _ = try_answer(stream, heard);
}

fn try_answer(stream: TcpStream, heard: &Mutex<Vec<Exchange>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some(request) = Request::read(&mut reader)? else { return Ok(()) };
    let reply = reply(&request, heard);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len()
    )?;
    stream.write_all(reply.body.as_bytes())?;
    stream.flush()
}

struct Request {
    method: String,
    path: String,
    body: Value,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut words = first.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = value.to_ascii_lowercase().contains("chunked"),
                _ => {}
            }
        }
        let bytes = if is_chunked { read_chunks(reader)? } else { read_exactly(reader, length)? };
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Some(Self { method, path, body }))
    }
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        bytes.extend(read_exactly(reader, length)?);
        reader.read_line(&mut String::new())?;
        if length == 0 {
            return Ok(bytes);
        }
    }
}

pub(super) struct Reply {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Reply {
    pub(super) fn json(body: &Value) -> Self {
        Self { status: "200 OK", kind: "application/json", body: body.to_string() }
    }

    pub(super) fn events(body: String) -> Self {
        Self { status: "200 OK", kind: "text/event-stream", body }
    }
}

fn reply(request: &Request, heard: &Mutex<Vec<Exchange>>) -> Reply {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method != "POST" {
        return Reply::json(&json!({ "object": "list", "data": [], "models": [] }));
    }
    if path.ends_with("count_tokens") || path.ends_with(":countTokens") {
        return Reply::json(&json!({ "input_tokens": 1000, "totalTokens": 1000 }));
    }
    let (asked, speak): (_, fn(&super::Said, &Value, bool) -> Reply) = match path {
        path if path.ends_with("/messages") => (messages::read(&request.body), messages::speak),
        path if path.ends_with("/responses") => (responses::read(&request.body), responses::speak),
        path if path.ends_with("/chat/completions") => (chat::read(&request.body), chat::speak),
        path if path.to_lowercase().contains("generatecontent") => {
            (gemini::read(&request.body), gemini::speak)
        }
        _ => {
            return Reply {
                status: "404 Not Found",
                kind: "application/json",
                body: "{}".to_owned(),
            };
        }
    };
    let said = super::next(&asked);
    let is_streamed = request.body["stream"] == true || path.contains("stream");
    let reply = speak(&said, &request.body, is_streamed);
    let exchange = Exchange { path: path.to_owned(), asked, said: format!("{said:?}") };
    heard.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    reply
}

/// A number that no other reply of this process has: agents stumble over names used twice.
pub(super) fn fresh() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Server-sent events, each with its name.
pub(super) fn named_events(events: &[(&str, Value)]) -> String {
    events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect()
}
