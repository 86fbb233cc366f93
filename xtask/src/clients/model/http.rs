//! A minimal HTTP server: one request per connection.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Exchange, ModelRequest, ModelTurn, chat, gemini, messages, responses};

/// Starts another part of a streamed answer.
const BLOCK_START: &str = "event: content_block_start";
const BLOCK_PAUSE: Duration = Duration::from_millis(200);

/// Parses a request body of one API.
type Parse = fn(&Value) -> ModelRequest;
/// Encodes the model's reply for one API, as a stream or not.
type Encode = fn(&ModelTurn, &Value, bool) -> HttpResponse;

pub(super) fn serve(listener: &TcpListener, exchanges: &Arc<Mutex<Vec<Exchange>>>) {
    for stream in listener.incoming().flatten() {
        let exchanges = Arc::clone(exchanges);
        std::thread::spawn(move || answer(stream, &exchanges));
    }
}

/// Ignores broken connections; the agent reports them.
fn answer(stream: TcpStream, exchanges: &Mutex<Vec<Exchange>>) {
    let _ = try_answer(stream, exchanges);
}

fn try_answer(stream: TcpStream, exchanges: &Mutex<Vec<Exchange>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some(request) = Request::read(&mut reader)? else { return Ok(()) };
    let reply = reply(&request, exchanges);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.status,
        reply.content_type,
        reply.body.len()
    )?;
    write_in_pieces(&mut stream, &reply.body)
}

/// Writes a body as a model generates it: the calls of an answer one after another, so that an agent may run the first
/// before it has the last.
#[expect(clippy::disallowed_methods, reason = "the agent must see the pause")]
fn write_in_pieces(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let mut written = 0;
    for (at, _) in body.match_indices(BLOCK_START).skip(1) {
        stream.write_all(&body.as_bytes()[written..at])?;
        stream.flush()?;
        std::thread::sleep(BLOCK_PAUSE);
        written = at;
    }
    stream.write_all(&body.as_bytes()[written..])?;
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

pub(super) struct HttpResponse {
    status: &'static str,
    content_type: &'static str,
    body: String,
}

impl HttpResponse {
    pub(super) fn json(body: &Value) -> Self {
        Self { status: "200 OK", content_type: "application/json", body: body.to_string() }
    }

    pub(super) fn events(body: String) -> Self {
        Self { status: "200 OK", content_type: "text/event-stream", body }
    }

    fn not_found() -> Self {
        Self { status: "404 Not Found", content_type: "application/json", body: "{}".to_owned() }
    }
}

fn reply(request: &Request, exchanges: &Mutex<Vec<Exchange>>) -> HttpResponse {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method != "POST" {
        return HttpResponse::json(&json!({ "object": "list", "data": [], "models": [] }));
    }
    if path.ends_with("count_tokens") || path.ends_with(":countTokens") {
        return HttpResponse::json(&json!({ "input_tokens": 1000, "totalTokens": 1000 }));
    }
    let (parse, encode): (Parse, Encode) = match path {
        path if path.ends_with("/messages") => (messages::parse, messages::encode),
        path if path.ends_with("/responses") => (responses::parse, responses::encode),
        path if path.ends_with("/chat/completions") => (chat::parse, chat::encode),
        path if path.to_lowercase().contains("generatecontent") => (gemini::parse, gemini::encode),
        _ => return HttpResponse::not_found(),
    };
    let model_request = parse(&request.body);
    let turn = super::next_turn(&model_request);
    let is_stream = request.body["stream"] == true || path.contains("stream");
    let response = encode(&turn, &request.body, is_stream);
    let (path, reply) = (path.to_owned(), format!("{turn:?}"));
    let exchange = Exchange { path, request: model_request, reply, replied: Instant::now() };
    exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    response
}

/// Returns a number that is unique in this process: agents reject repeated ids.
pub(super) fn next_id() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Formats named server-sent events.
pub(super) fn named_events(events: &[(&str, Value)]) -> String {
    events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect()
}
