//! The file that lists the servers of a gateway.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_app::AppError;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::cli::wrap::headers;
use crate::doors::wrap::{Endpoint, Restarts, Upstream};

/// How often a server that dies is started again within five minutes, unless the list says otherwise.
const RESTARTS: usize = 3;
/// Servers in one process.
const MAX_SERVERS: usize = 100;

/// A server, ready to be started.
pub(super) struct ListedServer {
    pub(super) name: String,
    pub(super) prefix: String,
    pub(super) upstream: Upstream,
}

#[derive(Deserialize)]
struct List {
    #[serde(alias = "mcpServers")]
    servers: BTreeMap<String, Entry>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Entry {
    /// What agents write beside a command or an address.
    #[serde(rename = "type")]
    _kind: Option<IgnoredAny>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    prefix: Option<String>,
    restart: Option<usize>,
}

/// Reads the list; relative folders in it are below `cwd`.
pub(super) fn read(file: &Path, cwd: &Path) -> Result<Vec<ListedServer>, AppError> {
    let shown = file.display();
    let text = fs::read_to_string(cwd.join(file)).map_err(|error| {
        AppError::not_found(
            format!("cannot read {shown}: {error}"),
            "pass the path of a server list",
        )
    })?;
    let list = parse(&text).map_err(|why| {
        let hint =
            "use TOML with [servers.NAME] and command and args or url, or JSON with {\"mcpServers\": {...}}";
        AppError::bad_input(format!("{shown}: {why}"), hint)
    })?;
    if list.servers.is_empty() || list.servers.len() > MAX_SERVERS {
        let message = format!("{shown} lists {} servers", list.servers.len());
        return Err(AppError::bad_input(message, format!("list 1 to {MAX_SERVERS} servers")));
    }
    list.servers.into_iter().map(|(name, entry)| entry.into_server(name, cwd)).collect()
}

fn parse(text: &str) -> Result<List, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    toml::from_str(text).map_err(|error| error.to_string())
}

impl Entry {
    fn into_server(self, name: String, cwd: &Path) -> Result<ListedServer, AppError> {
        let prefix = self.prefix.clone().unwrap_or_else(|| default_prefix(&name));
        let in_server =
            |error: AppError| AppError { message: format!("{name}: {}", error.message), ..error };
        let upstream = self.upstream(cwd).map_err(in_server)?;
        Ok(ListedServer { name, prefix, upstream })
    }

    fn upstream(self, cwd: &Path) -> Result<Upstream, AppError> {
        let expand = |(name, text): (String, String)| Ok((name, headers::expanded(&text)?));
        match (self.command, self.url) {
            (Some(command), None) => Ok(Upstream::Program(Restarts {
                argv: std::iter::once(command).chain(self.args).collect(),
                env: self.env.into_iter().map(expand).collect::<Result<_, AppError>>()?,
                cwd: self.cwd.map_or_else(|| cwd.to_owned(), |folder| cwd.join(folder)),
                max: self.restart.unwrap_or(RESTARTS),
            })),
            (None, Some(url)) => {
                let url = headers::expanded(&url)?;
                Endpoint::check_url(&url)
                    .map_err(|why| AppError::bad_input(why, "write it as https://host/path"))?;
                let headers = self.headers.iter();
                let headers = headers.map(|(name, value)| headers::written(name, value));
                Ok(Upstream::Remote(Endpoint { url, headers: headers.collect::<Result<_, _>>()? }))
            }
            _ => Err(AppError::bad_input(
                "a server has either a command or a url",
                "set one of the two in its entry",
            )),
        }
    }
}

/// `NAME_`, of the characters that names of tools may have.
fn default_prefix(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    format!("{}_", name.chars().map(allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(&str, &str)]) {
        let list = parse(text).unwrap();
        let servers: Vec<ListedServer> = list
            .servers
            .into_iter()
            .map(|(name, entry)| entry.into_server(name, Path::new("/p")).unwrap())
            .collect();
        let found: Vec<(&str, String)> = servers
            .iter()
            .map(|one| {
                let what = match &one.upstream {
                    Upstream::Program(restarts) => {
                        format!("{:?} in {}", restarts.argv, restarts.cwd.display())
                    }
                    Upstream::Remote(endpoint) => endpoint.url.clone(),
                };
                (one.prefix.as_str(), what)
            })
            .collect();
        let expect: Vec<(&str, String)> =
            expect.iter().map(|(prefix, what)| (*prefix, (*what).to_owned())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn reads_both_formats() {
        let toml = "[servers.\"a b\"]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\ncwd = \"sub\"\n\n[servers.far]\nurl = \"https://a.example/mcp\"\nprefix = \"\"\n";
        let json = r#"{"mcpServers": {"a b": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "cwd": "sub"},
            "far": {"url": "https://a.example/mcp", "prefix": ""}}, "theme": "dark"}"#;
        for text in [toml, json] {
            check(
                text,
                &[("a_b_", r#"["npx", "-y", "x"] in /p/sub"#), ("", "https://a.example/mcp")],
            );
        }
    }

    #[test]
    fn faults_name_the_place() {
        assert!(parse("[servers.a]\nprogram = \"x\"\n").is_err_and(|why| why.contains("program")));
        let list = parse("[servers.a]\nargs = []\n").unwrap();
        let (name, entry) = list.servers.into_iter().next().unwrap();
        let error = entry.into_server(name, Path::new("/")).err().unwrap();
        assert!(
            error.to_string().starts_with("a: a server has either a command or a url"),
            "{error}"
        );
    }
}
