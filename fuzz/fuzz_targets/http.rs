//! Any bytes sent to the server get an HTTP response or a closed connection, never an internal error.
//!
//! The server requires a token with the right to read and has neither commands nor files; `TOKEN` in an input stands
//! for the token.
#![no_main]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use forebay_app::team::tokens::{self, NewToken};
use forebay_domain::rights::Rights;
use libfuzzer_sys::fuzz_target;
use signal_hook::consts::SIGPIPE;
use tempfile::TempDir;

const MAX_WAIT: Duration = Duration::from_secs(5);

struct Server {
    _folder: TempDir,
    address: SocketAddr,
    token: String,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    // A program without Rust's own `main` would end at a write to a closed connection.
    signal_hook::flag::register(SIGPIPE, Arc::new(AtomicBool::new(false))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let app = forebay_fuzz::app_with(folder.path(), |settings| {
        settings.serve.listen = "127.0.0.1:0".to_owned();
        settings.serve.hosts = vec!["localhost".to_owned()];
        settings.serve.rate = u64::MAX / 2;
    });
    let rights = Rights::parse("read").unwrap();
    let new = NewToken { name: "fuzz".to_owned(), rights, workspace: None, days: None };
    let (_, token) = tokens::create(&app, new).unwrap();
    let address = forebay::fuzzing::serve_http(app).unwrap();
    Server { _folder: folder, address, token }
});

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input).replace("TOKEN", &SERVER.token);
    let mut stream = TcpStream::connect(SERVER.address).unwrap();
    stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(text.as_bytes());
    let _ = stream.shutdown(Shutdown::Write);
    let mut head = [0; 64];
    let Ok(read) = stream.read(&mut head) else { return };
    let head = String::from_utf8_lossy(&head[..read]);
    assert!(read == 0 || head.starts_with("HTTP/1."), "{head}");
    assert!(!head.contains(" 500 "), "{head}");
});
