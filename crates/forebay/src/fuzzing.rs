//! Entry points of the fuzz targets in `fuzz/`; nothing else uses them.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use forebay_app::wrap::WrappedServer;
use forebay_app::{App, AppError};
use serde_json::Value;

use crate::config::Config;
use crate::doors::http::{self, ServerConfig};
use crate::doors::json_scan::JsonScan;
use crate::doors::mcp::{Verdict, classify};
use crate::doors::wrap;

/// Classifies a line as the MCP server does, scanned in two pieces; returns the error it is answered with, if any.
pub fn classify_line(line: &[u8], split: usize) -> Option<Value> {
    let mut scan = JsonScan::default();
    let (first, second) = line.split_at(split % (line.len() + 1));
    scan.feed(first);
    scan.feed(second);
    match classify(line, &scan) {
        Verdict::Pass(_) | Verdict::Ignore => None,
        Verdict::Refuse(refusal) => Some(refusal.into_json()),
    }
}

/// Serves an app on a free port of this machine; the server lives as long as the process.
pub fn serve_http(app: App) -> Result<SocketAddr, AppError> {
    let (sender, address) = mpsc::channel();
    let failed = sender.clone();
    let config = ServerConfig {
        app,
        make_workspace: Box::new(|name| {
            Err(AppError::bad_input(format!("no workspace {name}"), "use the default one"))
        }),
        gateway: None,
        print_address: Box::new(move |listening| drop(sender.send(Ok(listening.address)))),
    };
    thread::spawn(move || {
        if let Err(error) = http::serve(config) {
            drop(failed.send(Err(error)));
        }
    });
    let ended = || AppError::unavailable("the server ended", None);
    address.recv().map_err(|_| ended())?
}

/// Sets a value in the text of a settings file, as `forebay config set` does; None if that is refused.
pub fn set_config(text: &str, key: &str, value: &str) -> Option<String> {
    Config::with_value(Path::new("settings.toml"), text, key, value).ok()
}

/// What a wrapped server is sent of the lines of its client; the client's answers are dropped.
pub fn lines_for_wrapped_server(server: WrappedServer, lines: &[u8]) -> io::Result<Vec<u8>> {
    wrap::lines_for_server(server, lines)
}

/// An object as `forebay wrap` writes it after reading it; `None` if it is refused.
pub fn rewritten_object(text: &str) -> Option<String> {
    wrap::rewritten_object(text)
}
