//! Store addresses: `postgres://user:password@host:port/database?workspace=team`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use forebay_store::StoreError;

use ::postgres::Config;
use ::postgres::config::{Host, SslMode};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const DEFAULT_WORKSPACE: &str = "default";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Server address and the workspace to use on it.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) workspace: String,
    /// Path of a PEM file with root certificates trusted in addition to the system's.
    pub(super) root_certificate: Option<PathBuf>,
    /// The full address, which identifies the pool; may contain a password.
    pub(super) key: String,
}

impl Address {
    /// Returns whether `text` is a PostgreSQL address.
    pub fn is_postgres_url(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    /// Parses an address; `workspace` is the default if the address names none.
    pub fn parse(text: &str, workspace: &str) -> Result<Self, StoreError> {
        let (base, parameters) = text.split_once('?').unwrap_or((text, ""));
        let mut address = Self {
            config: Config::new(),
            workspace: workspace.to_owned(),
            root_certificate: None,
            key: text.to_owned(),
        };
        let mut left = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match (name, percent_decode(value)) {
                ("workspace", name) => address.workspace = name,
                ("sslrootcert", path) => address.root_certificate = Some(PathBuf::from(path)),
                // Certificates are always verified.
                ("sslmode", mode) if mode.starts_with("verify-") => {
                    left.push("sslmode=require".to_owned());
                }
                _ => left.push(parameter.to_owned()),
            }
        }
        if address.workspace.is_empty() {
            DEFAULT_WORKSPACE.clone_into(&mut address.workspace);
        }
        let text = [base, &left.join("&")].join("?");
        let text = text.trim_end_matches('?');
        address.config = text.parse().map_err(|error| parse_error(&error))?;
        address.complete()?;
        address.key = format!("{text} {}", address.workspace);
        Ok(address)
    }

    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    pub(super) fn wants_tls(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable && !self.is_socket()
    }

    /// How long the TCP connection may take.
    pub(super) fn connect_timeout(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT)
    }

    fn is_socket(&self) -> bool {
        self.config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)))
    }

    fn complete(&mut self) -> Result<(), StoreError> {
        if self.config.get_hosts().is_empty() && self.config.get_hostaddrs().is_empty() {
            let why = "the host is missing".to_owned();
            return Err(StoreError::InvalidAddress { why });
        }
        if self.config.get_connect_timeout().is_none() {
            self.config.connect_timeout(CONNECT_TIMEOUT);
        }
        Ok(())
    }
}

/// The address without user and password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        let ports = self.config.get_ports();
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}")?,
                Host::Unix(path) => write!(f, "{comma}{}", path.display())?,
            }
            if let Some(port) = ports.get(index).or(ports.first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} (workspace {})", self.workspace)
    }
}

fn parse_error(error: &postgres::Error) -> StoreError {
    let mut why = error.to_string();
    if let Some(cause) = std::error::Error::source(error) {
        why = cause.to_string();
    }
    StoreError::InvalidAddress { why }
}

/// Percent-decodes a text; invalid escapes are left as they are.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = code
            .and_then(|code| std::str::from_utf8(code).ok())
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        if let Some(byte) = byte {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_omits_the_password() {
        let address =
            Address::parse("postgres://ann:s3cret@db.example:5433/team?workspace=a%20b", "")
                .unwrap();
        assert_eq!(address.to_string(), "postgres://db.example:5433/team");
        assert_eq!(format!("{address:?}"), "postgres://db.example:5433/team (workspace a b)");
        assert_eq!(Address::parse("postgres://db/team", "ours").unwrap().workspace(), "ours");
        assert_eq!(Address::parse("postgres://db/team", "").unwrap().workspace(), "default");
    }

    #[test]
    fn parse_errors_omit_the_password() {
        for text in
            ["postgres:///team", "postgres://a:s3cret@db:port/x", "postgres://db/x?nonsense=1"]
        {
            let error = Address::parse(text, "").unwrap_err();
            assert!(!error.to_string().contains("s3cret"), "{error}");
            assert!(error.hint().is_some());
        }
    }

    proptest::proptest! {
        #[test]
        fn parses_or_rejects_any_text(text in "postgres://.{0,60}") {
            let _ = Address::parse(&text, "");
        }
    }
}
