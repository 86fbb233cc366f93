//! Options of the commands that serve over HTTP.

use clap::Args;

use super::terminal;
use crate::doors::http::Listening;

/// For whom a server listens.
#[derive(Debug, Args)]
pub(super) struct Network {
    /// Additional host name of the server
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Origin of a web page whose scripts may call the server
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// Require a token on loopback too
    #[arg(long)]
    require_token: bool,
    /// PEM file of the certificate chain
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<String>,
    /// PEM file of the private key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<String>,
    /// OAuth server that issues tokens, announced to clients without one
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
}

impl Network {
    /// The flags as settings.
    pub(super) fn settings(&self) -> Vec<String> {
        let settings = [
            list("hosts", &self.host),
            list("origins", &self.origin),
            self.require_token.then(|| "serve.require_token=true".to_owned()),
            text("tls_cert", self.tls_cert.as_deref()),
            text("tls_key", self.tls_key.as_deref()),
            text("issuer", self.issuer.as_deref()),
        ];
        settings.into_iter().flatten().collect()
    }
}

/// A text as a setting.
pub(super) fn text(name: &str, value: Option<&str>) -> Option<String> {
    value.map(|value| format!("serve.{name}={value}"))
}

/// A list as a setting, unless it is empty.
pub(super) fn list(name: &str, values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| format!("serve.{name}={}", values.join(",")))
}

/// Prints one line with the URL, for people and programs.
pub(super) fn print_address(listening: &Listening, uses: &str) {
    let scheme = if listening.has_tls { "https" } else { "http" };
    let who = if listening.needs_token { "with a token" } else { "from this machine" };
    let line = format!(
        "listening on {scheme}://{} for callers {who}; they may use {uses}\n",
        listening.address
    );
    // The server keeps running if its output cannot be written.
    let _ = terminal::print_plain(&line);
}
