//! Network failures: foreign origins, malformed requests, floods and server shutdown.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;

use serde_json::json;

use crate::env::{HANG_TIMEOUT, TestEnv, announced_process, is_gone, reference_in, wait_until};
use crate::http_client::{Request, Response};

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let env = TestEnv::new();
    let server = env.serve(&["--origin", "https://app.example.org"]);
    let own = format!("localhost:{}", server.address.port());
    let ask = |name: &str, value: &str| {
        server.send(&Request::get("/v1/tools").header("host", &own).header(name, value))
    };
    ask("host", "evil.example").refused(403, "`Host`", "--host");
    ask("host", "localhost.evil.example:80").refused(403, "`Host`", "--host");
    for foreign in ["https://evil.example", "http://localhost:1", "null"] {
        ask("origin", foreign).refused(403, "origin", "--origin");
    }
    let same = ask("origin", &format!("http://{own}"));
    assert_eq!((same.status, same.header("access-control-allow-origin")), (200, None));
    let listed = ask("origin", "https://app.example.org");
    assert_eq!(listed.header("access-control-allow-origin"), Some("https://app.example.org"));
    let preflight =
        |origin: &str| server.send(&Request::new("OPTIONS", "/v1/tools").header("origin", origin));
    assert_eq!(preflight("https://app.example.org").status, 204);
    assert_eq!(preflight("https://evil.example").status, 403);
    env.forebay(["serve", "--origin", "*"]).refused(2, "is not an origin", "https://");
}

#[test]
fn malformed_requests_get_a_matching_status() {
    let env = TestEnv::new();
    let server = env.serve(&["--set", "serve.body_kb=64"]);
    let tool = |body: &str| Request::tool("ctx_search", json!({})).body(body);
    for (request, status, error) in [
        (tool("{\"queries\": [\"x\""), 400, "not JSON"),
        (tool("[1]"), 400, "not a JSON object"),
        (tool("\u{0}\u{1}"), 400, "not JSON"),
        (tool(&"[".repeat(50_000)), 400, "nested deeper"),
        (tool("{\"queries\": 7}"), 400, "queries"),
        (tool("{}").header("content-type", "text/xml"), 415, "text/xml"),
        (tool(&"x".repeat(70_000)), 413, "larger than 64 KB"),
        (Request::new("POST", "/v1/tools/ctx_nothing").json(&json!({})), 404, "ctx_nothing"),
        (Request::new("POST", "/v1/tools/%00%ff").json(&json!({})), 400, ""),
        (Request::new("PUT", "/v1/tools/ctx_search"), 405, "method"),
        (Request::get("/v1/entries/%27%3B%20DROP%20TABLE%20entry"), 400, "DROP"),
    ] {
        let answer = server.send(&request);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.text().contains(error), "{answer:?}");
    }
    for query in
        ["'%20OR%201%3D1--", "%22%3B%20DROP%20TABLE%20chunk%3B", "%00", "%F0%9F%90%A6", "*", "%25"]
    {
        let answer = server.get(&format!("/v1/search?q={query}"));
        assert!([200, 400].contains(&answer.status), "{query}: {answer:?}");
    }
    server.get("/health").ok();
}

#[test]
fn oversized_body_is_refused_before_it_is_read() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let mut stream = server.connect();
    let head = "POST /v1/tools/ctx_index HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 1073741824\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    Response::read(stream).refused(413, "larger than 4096 KB", "serve.body_kb");
    // A chunked body announces no size; the server stops reading it at the limit.
    let mut stream = server.connect();
    let head = head.replace("content-length: 1073741824", "transfer-encoding: chunked");
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
    let sent = (0..16_384).take_while(|_| stream.write_all(piece.as_bytes()).is_ok()).count();
    assert!(sent < 16_384, "the server read the whole body");
    server.get("/health").ok();
}

#[test]
fn request_heads_are_bounded() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let many = (0..200).fold(Request::get("/health"), |request, number| {
        request.header(&format!("x-{number}"), "y")
    });
    assert_eq!(server.send(&many).status, 431);
    let large = Request::get("/health").header("x", &"y".repeat(100_000));
    let mut stream = server.connect();
    // The server may close the connection before everything is written.
    let _ = stream.write_all(&large.bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    for garbage in ["\r\n\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}", "GET / HTTP/9.9\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(garbage.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{garbage:?}: {answer}");
    }
    server.get("/health").ok();
}

#[test]
fn incomplete_request_head_times_out() {
    let env = TestEnv::new();
    let server = env.serve(&["--set", "serve.head_seconds=1"]);
    let mut slow = server.connect();
    slow.write_all(b"GET /health HTTP/1.1\r\nhost: loc").unwrap();
    // Other requests are served meanwhile.
    server.get("/health").ok();
    Response::read(slow).refused(408, "too long", "without pauses");
}

#[test]
fn thousand_idle_connections_do_not_block_requests() {
    let env = TestEnv::new();
    let server = env.serve(&["--set", "serve.connections=1500"]);
    let idle: Vec<TcpStream> = (0..1_000).map(|_| server.connect()).collect();
    server.get("/health").ok();
    let metrics = server.get("/metrics").text();
    let open = metrics.lines().find_map(|line| line.strip_prefix("forebay_connections ")).unwrap();
    assert!(open.parse::<u64>().unwrap() >= 1_000, "{open}");
    // An idle connection is still served.
    let mut late = idle.into_iter().next().unwrap();
    late.write_all(&Request::get("/health").bytes()).unwrap();
    Response::read(late).ok();
}

#[test]
fn connections_over_the_limit_are_refused_until_others_close() {
    let env = TestEnv::new();
    let server = env.serve(&["--set", "serve.connections=4"]);
    let idle: Vec<TcpStream> = (0..4).map(|_| server.connect()).collect();
    let is_refused = || {
        let mut answer = String::new();
        let _ = server.connect().read_to_string(&mut answer);
        answer.starts_with("HTTP/1.1 503") && answer.contains("too many connections")
    };
    assert!(wait_until(HANG_TIMEOUT, is_refused), "every connection is accepted");
    drop(idle);
    let is_accepted = || {
        let mut stream = server.connect();
        let sent = stream.write_all(&Request::get("/health").bytes());
        let mut answer = String::new();
        let _ = sent.and_then(|()| stream.read_to_string(&mut answer));
        answer.starts_with("HTTP/1.1 200")
    };
    assert!(wait_until(HANG_TIMEOUT, is_accepted), "no connection is accepted any more");
}

#[test]
fn closed_connection_ends_its_command() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let command = "echo $$ >pid; exec sleep 1000";
    let mut stream = server.connect();
    let request =
        Request::tool("ctx_execute", json!({ "command": command, "timeout_ms": 900_000 }));
    stream.write_all(&request.bytes()).unwrap();
    let process = announced_process(&env.project().join("pid"));
    drop(stream);
    assert!(is_gone(process), "the command still runs");
}

#[test]
fn termination_lets_running_requests_finish() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let mut stream = server.connect();
    let command = "echo started >started; while [ ! -e go ]; do sleep 0.01; done; echo finished";
    let request = Request::tool("ctx_execute", json!({ "command": command }));
    stream.write_all(&request.bytes()).unwrap();
    assert!(wait_until(HANG_TIMEOUT, || env.project().join("started").exists()));
    let mut idle = server.connect();
    server.terminate();
    let mut nothing = Vec::new();
    assert_eq!(idle.read_to_end(&mut nothing).unwrap_or(0), 0, "idle connections are closed");
    assert!(
        wait_until(HANG_TIMEOUT, || TcpStream::connect(server.address).is_err()),
        "the server still accepts connections"
    );
    env.write("go", "");
    let answer = Response::read(stream).answer();
    assert!(answer.contains("finished"), "{answer}");
    let reference = reference_in(&answer);
    assert!(server.wait().status.success());
    assert!(env.forebay(["get", &reference]).ok().text().contains("finished"));
}

#[test]
fn killed_server_loses_no_acknowledged_write() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let noted: Vec<String> = (0..40)
        .map(|n| {
            server.tool("ctx_annotate", json!({ "text": format!("fact number {n}") })).answer()
        })
        .collect();
    server.kill();
    let server = env.serve(&[]);
    for answer in noted {
        server.get(&format!("/v1/entries/{}", reference_in(&answer))).ok();
    }
}

#[test]
fn certificate_enables_https() {
    let env = TestEnv::new();
    let (cert, key) = (env.root().join("cert.pem"), env.root().join("key.pem"));
    let subject = "/CN=localhost";
    let mut openssl = env.program("openssl");
    openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject]);
    openssl
        .args(["-addext", "subjectAltName=DNS:localhost"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&cert);
    crate::env::finish(openssl, b"").ok();
    let (cert, key) = (cert.to_string_lossy(), key.to_string_lossy());
    let server = env.serve(&["--tls-cert", &cert, "--tls-key", &key]);
    assert!(server.startup_line.contains("https://"), "{}", server.startup_line);
    let port = server.address.port();
    let mut curl: Command = env.program("curl");
    curl.args([
        "--silent",
        "--show-error",
        "--cacert",
        &cert,
        &format!("https://localhost:{port}/health"),
    ]);
    assert_eq!(crate::env::finish(curl, b"").ok().json()["status"], "ok");
    // Plain HTTP gets no answer and does no harm.
    let mut plain = server.connect();
    plain.write_all(&Request::get("/health").bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    env.forebay(["serve", "--tls-cert", &key, "--tls-key", &key]).refused(2, "key.pem", "PEM");
    env.forebay(["serve", "--tls-cert", "/nowhere.pem", "--tls-key", &key])
        .refused(2, "nowhere", "PEM");
}

#[test]
fn unavailable_or_invalid_address_is_an_error() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let taken = server.address.to_string();
    env.forebay(["serve", "--listen", &taken]).refused(2, &taken, "--listen");
    env.forebay(["serve", "--listen", "nonsense"]).refused(2, "nonsense", "--listen");
}
