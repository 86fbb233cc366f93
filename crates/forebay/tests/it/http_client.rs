//! A test server, and a minimal HTTP client over a raw socket with bounded waits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::env::{HANG_TIMEOUT, Output, TestEnv, finished};

pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) address: SocketAddr,
    /// The line printed once the server listens.
    pub(crate) startup_line: String,
}

impl TestEnv {
    /// Starts a server on a free local port.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        self.serve_on("127.0.0.1:0", arguments)
    }

    pub(crate) fn serve_on(&self, listen: &str, arguments: &[&str]) -> Server {
        let mut command = self.command(["serve", "--listen", listen]);
        command.args(arguments);
        Server::start(command)
    }

    /// Creates a token and returns it.
    pub(crate) fn token(&self, name: &str, arguments: &[&str]) -> String {
        let mut command = self.command(["token", "create", name]);
        command.args(arguments);
        crate::env::finish(command, b"").ok().text()
    }
}

impl Server {
    /// Starts a server that prints its address.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let startup_line = lines.recv_timeout(HANG_TIMEOUT).expect("the server prints its address");
        let (_, rest) = startup_line.split_once("://").unwrap();
        let address: SocketAddr = rest.split(' ').next().unwrap().parse().unwrap();
        Self { child: Some(child), address, startup_line }
    }

    pub(crate) fn process(&self) -> Pid {
        Pid::from_child(self.child.as_ref().unwrap())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        // A server on 0.0.0.0 is reached through the loopback address.
        let address = SocketAddr::from(([127, 0, 0, 1], self.address.port()));
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(HANG_TIMEOUT)).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(&Request::get(path))
    }

    /// Calls a tool.
    pub(crate) fn tool(&self, name: &str, input: Value) -> Response {
        self.send(&Request::tool(name, input))
    }

    pub(crate) fn send(&self, request: &Request) -> Response {
        let mut stream = self.connect();
        stream.write_all(&request.bytes()).unwrap();
        Response::read(stream)
    }

    /// Sends SIGTERM, as a service manager does.
    pub(crate) fn terminate(&self) {
        kill_process(self.process(), Signal::TERM).unwrap();
    }

    /// Waits until the server exits.
    pub(crate) fn wait(mut self) -> Output {
        finished(self.child.take().unwrap())
    }

    /// Kills the server, simulating a crash.
    pub(crate) fn kill(mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // The process may have exited already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An HTTP request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        let headers = vec![("host".to_owned(), "localhost".to_owned())];
        Self { method, path: path.to_owned(), headers, body: Vec::new() }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn tool(name: &str, input: Value) -> Self {
        Self::new("POST", &format!("/v1/tools/{name}")).json(&input)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json").body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets a header, replacing one of the same name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(existing, _)| existing != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{head}content-length: {}\r\n\r\n", self.body.len()).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Reads until the server closes the connection.
    #[track_caller]
    pub(crate) fn read(mut stream: impl Read) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Self::parse(&bytes)
    }

    #[track_caller]
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut response = Self { status, head, body: bytes[end + 4..].to_vec() };
        if response.header("transfer-encoding").is_some() {
            response.body = decode_chunked(&response.body);
        }
        response
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts status 200 and returns the JSON body.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}\n{}", self.head, self.text());
        self.json()
    }

    /// Returns the text of a tool result.
    #[track_caller]
    pub(crate) fn answer(&self) -> String {
        crate::mcp_client::text_of(&self.ok())
    }

    /// Asserts an error response with this message and hint.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, error: &str, hint: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        let body = self.json();
        let assert_contains = |field: &str, part: &str| {
            let text = body[field].as_str().unwrap_or_default();
            assert!(text.contains(part), "{field}: {text}");
        };
        assert_contains("error", error);
        assert_contains("hint", hint);
    }
}

fn decode_chunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
    whole
}
