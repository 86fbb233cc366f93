//! Puts Forebay in front of an MCP server that a JSON file reaches at a URL, and takes it away again.
//!
//! The entry becomes one that starts Forebay: its address is an argument, and its headers are variables of its environment,
//! with the values that they had, so that no secret stands among the arguments. The arguments name each header with its
//! variable, and how the entry was written where hosts differ; with them a removal restores the bytes.
//!
//! Only an entry that says all that a request needs is changed: it has headers or is on this machine. Others may need a
//! sign-in that only the agent can do.

use std::collections::HashSet;
use std::net::IpAddr;
use std::ops::Range;

use serde_json::{Map, Value};

use super::wrapped_servers::{Item, Wrapper, edited, words_in_front};
use super::{EditError, ServerEntry, json};

const URL: &str = "--url";
const HEADER: &str = "--header-env";
/// How the entry was written: `httpUrl`, or `url:sse` with its type.
const FORM: &str = "--entry";
/// What hosts call the address, and the types of entries that have one.
const ADDRESSES: [&str; 3] = ["url", "httpUrl", "serverUrl"];
const TYPES: [&str; 6] =
    ["http", "sse", "streamableHttp", "streamable-http", "streamable_http", "remote"];
/// What tells that an agent does more for a server than to send headers, or that the entry is of another kind.
const OTHERS: [&str; 8] =
    ["args", "auth", "authProviderType", "command", "env", "environment", "headersHelper", "oauth"];

/// How an entry names its address, and its type if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    address: String,
    kind: Option<String>,
}

impl Form {
    fn from_entry(entry: &Map<String, Value>) -> Option<Self> {
        let mut addresses = ADDRESSES.iter().filter(|key| entry.contains_key(**key));
        let (Some(address), None) = (addresses.next(), addresses.next()) else { return None };
        let kind = match entry.get("type") {
            None => None,
            Some(Value::String(kind)) if TYPES.contains(&kind.as_str()) => Some(kind.clone()),
            Some(_) => return None,
        };
        Some(Self { address: (*address).to_owned(), kind })
    }

    /// The form that the arguments do not name.
    fn usual(entry: ServerEntry) -> Self {
        let kind = if let ServerEntry::OpenCode = entry { "remote" } else { "http" };
        Self { address: "url".to_owned(), kind: Some(kind.to_owned()) }
    }

    fn parse(text: &str) -> Self {
        match text.split_once(':') {
            Some((address, kind)) => {
                Self { address: address.to_owned(), kind: Some(kind.to_owned()) }
            }
            None => Self { address: text.to_owned(), kind: None },
        }
    }

    fn word(&self) -> String {
        let kind = self.kind.as_ref().map(|kind| format!(":{kind}"));
        format!("{}{}", self.address, kind.unwrap_or_default())
    }
}

/// How a host writes an entry that starts a program.
struct Started {
    kind: &'static str,
    environment: &'static str,
    /// Whether the command and its arguments are one list.
    is_one_list: bool,
}

impl Started {
    fn from_entry(entry: ServerEntry) -> Self {
        match entry {
            ServerEntry::OpenCode => {
                Self { kind: "local", environment: "environment", is_one_list: true }
            }
            _ => Self { kind: "stdio", environment: "env", is_one_list: false },
        }
    }
}

/// Whether an entry can be changed.
pub(super) fn can_wrap(text: &str, path: &[&str], entry: ServerEntry) -> Result<bool, EditError> {
    let Some(Value::Object(found)) = json::get(text, path)? else { return Ok(false) };
    let Some(form) = Form::from_entry(&found) else { return Ok(false) };
    let Some(url) = found.get(&form.address).and_then(Value::as_str) else { return Ok(false) };
    let is_plain = !OTHERS.iter().any(|key| found.contains_key(*key));
    // OpenCode tells its entries apart by their type.
    let has_type = form.kind.is_some() || !Started::from_entry(entry).is_one_list;
    let Some(headers) = headers_of(&found) else { return Ok(false) };
    let variables: HashSet<String> =
        headers.keys().map(|header| variable(path.last().unwrap_or(&""), header)).collect();
    let says_all = !headers.is_empty() || is_on_this_machine(url);
    Ok(is_plain
        && has_type
        && says_all
        && variables.len() == headers.len()
        && has_plain_keys(text, path, &form, &headers)?)
}

/// The headers of an entry; `None` if they are no texts.
fn headers_of(entry: &Map<String, Value>) -> Option<Map<String, Value>> {
    match entry.get("headers") {
        None => Some(Map::new()),
        Some(Value::Object(headers)) if headers.values().all(Value::is_string) => {
            Some(headers.clone())
        }
        Some(_) => None,
    }
}

/// Whether the keys that change are written without escapes, so that they can be restored.
fn has_plain_keys(
    text: &str,
    path: &[&str],
    form: &Form,
    headers: &Map<String, Value>,
) -> Result<bool, EditError> {
    let mut keys = vec![below(path, &[&form.address])];
    if form.kind.is_some() {
        keys.push(below(path, &["type"]));
    }
    if json::range(text, &below(path, &["headers"]))?.is_some() {
        keys.push(below(path, &["headers"]));
    }
    keys.extend(headers.keys().map(|header| below(path, &["headers", header])));
    for key in keys {
        if key_range(text, &key)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a URL leads to this machine.
pub(super) fn is_on_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an entry was changed by [`wrap`].
pub(super) fn is_wrapped(text: &str, path: &[&str], entry: ServerEntry) -> Result<bool, EditError> {
    Ok(Wrapped::find(text, path, entry)?.is_some())
}

/// Has Forebay reach the server.
pub(super) fn wrap(
    text: &str,
    path: &[&str],
    entry: ServerEntry,
    wrapper: &Wrapper,
) -> Result<String, EditError> {
    let name = path.last().copied().unwrap_or_default();
    let found = json::get(text, path)?.unwrap_or_default();
    let found = found.as_object().cloned().unwrap_or_default();
    let Some(form) = Form::from_entry(&found) else { return Ok(text.to_owned()) };
    let headers = headers_of(&found).unwrap_or_default();
    let started = Started::from_entry(entry);
    let mut edits = Vec::new();
    let address = below(path, &[&form.address]);
    if let (Some(key), Some(value)) = (key_range(text, &address)?, json::range(text, &address)?) {
        let mut words: Vec<String> = wrapper.words(name).into_iter().map(quoted).collect();
        words.extend([quoted(URL), text[value.clone()].to_owned()]);
        if form != Form::usual(entry) {
            words.extend([quoted(FORM), quoted(form.word())]);
        }
        for header in headers.keys() {
            words.extend([quoted(HEADER), quoted(format!("{header}={}", variable(name, header)))]);
        }
        let (space, program) = (&text[key.end..value.start], quoted(wrapper.program.as_str()));
        let words = words.join(", ");
        let command = if started.is_one_list {
            format!("\"command\"{space}[{program}, {words}]")
        } else {
            format!("\"command\"{space}{program}, \"args\": [{words}]")
        };
        edits.push((key.start..value.end, command));
    }
    edits.extend(
        json::range(text, &below(path, &["type"]))?.map(|kind| (kind, quoted(started.kind))),
    );
    let key = key_range(text, &below(path, &["headers"]))?;
    edits.extend(key.map(|key| (key, quoted(started.environment))));
    for header in headers.keys() {
        let key = key_range(text, &below(path, &["headers", header]))?;
        edits.extend(key.map(|key| (key, quoted(variable(name, header)))));
    }
    Ok(edited(text, edits))
}

/// Restores how a server was reached.
pub(super) fn unwrap(text: &str, path: &[&str], entry: ServerEntry) -> Result<String, EditError> {
    let Some(Wrapped { source, url, form, headers }) = Wrapped::find(text, path, entry)? else {
        return Ok(text.to_owned());
    };
    let started = Started::from_entry(entry);
    let mut edits = Vec::new();
    let command = below(path, &["command"]);
    if let (Some(key), Some(value)) = (key_range(text, &command)?, json::range(text, &command)?) {
        let (space, url) = (&text[key.end..value.start], &text[url]);
        edits.push((key.start..source.end, format!("{}{space}{url}", quoted(form.address))));
    }
    if let (Some(kind), Some(range)) = (form.kind, json::range(text, &below(path, &["type"]))?) {
        edits.push((range, quoted(kind)));
    }
    let key = key_range(text, &below(path, &[started.environment]))?;
    edits.extend(key.map(|key| (key, quoted("headers"))));
    for (header, variable) in headers {
        let key = key_range(text, &below(path, &[started.environment, &variable]))?;
        edits.extend(key.map(|key| (key, quoted(header))));
    }
    Ok(edited(text, edits))
}

/// What the arguments of a changed entry say.
struct Wrapped {
    /// The list of arguments.
    source: Range<usize>,
    url: Range<usize>,
    form: Form,
    /// With their variables.
    headers: Vec<(String, String)>,
}

impl Wrapped {
    fn find(text: &str, path: &[&str], entry: ServerEntry) -> Result<Option<Self>, EditError> {
        let started = Started::from_entry(entry);
        let list = below(path, &[if started.is_one_list { "command" } else { "args" }]);
        if !matches!(json::get(text, &list)?, Some(Value::Array(_))) {
            return Ok(None);
        }
        let Some(list) = json::strings(text, &list)? else { return Ok(None) };
        let own = list.items.get(usize::from(started.is_one_list)..).unwrap_or_default();
        let name = path.last().copied().unwrap_or_default();
        let usual = Form::usual(entry);
        Ok(Self::read(own, name, usual).map(|found| Self { source: list.range, ..found }))
    }

    fn read(items: &[Item], name: &str, usual: Form) -> Option<Self> {
        let words: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        let front = words_in_front(&words, name)?;
        if words.get(front) != Some(&URL) {
            return None;
        }
        let url = items.get(front + 1)?.range.clone();
        let (mut form, mut headers) = (usual, Vec::new());
        for pair in words[front + 2..].chunks(2) {
            match pair {
                [FORM, word] => form = Form::parse(word),
                [HEADER, header] => {
                    let (header, variable) = header.split_once('=')?;
                    headers.push((header.to_owned(), variable.to_owned()));
                }
                _ => {}
            }
        }
        Some(Self { source: 0..0, url, form, headers })
    }
}

/// The variable that has the value of a header.
pub(super) fn variable(server: &str, header: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let word = |text: &str| text.chars().map(allowed).collect::<String>();
    format!("MCP_{}_{}", word(server), word(header))
}

/// The key of a property, if it is written in quotes and without escapes.
fn key_range(text: &str, path: &[&str]) -> Result<Option<Range<usize>>, EditError> {
    let Some(property) = json::property_range(text, path)? else { return Ok(None) };
    let key = quoted(*path.last().unwrap_or(&""));
    let is_plain = text[property.clone()].starts_with(&key);
    Ok(is_plain.then(|| property.start..property.start + key.len()))
}

fn below<'a>(path: &[&'a str], keys: &[&'a str]) -> Vec<&'a str> {
    [path, keys].concat()
}

fn quoted(text: impl Into<String>) -> String {
    Value::String(text.into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["mcpServers", "far"];
    const PLAIN: ServerEntry = ServerEntry::Plain;

    fn wrapper() -> Wrapper {
        Wrapper { program: "/bin/forebay".to_owned(), variables: Vec::new() }
    }

    #[track_caller]
    fn check(entry: ServerEntry, before: &str, after: &str) {
        assert!(can_wrap(before, &PATH, entry).unwrap(), "{before}");
        let wrapped = wrap(before, &PATH, entry, &wrapper()).unwrap();
        assert_eq!(wrapped, after);
        assert!(is_wrapped(&wrapped, &PATH, entry).unwrap());
        assert!(!can_wrap(&wrapped, &PATH, entry).unwrap());
        assert_eq!(unwrap(&wrapped, &PATH, entry).unwrap(), before);
        let variables = vec![("FOREBAY_HOME".to_owned(), "/d".to_owned())];
        let carrying = wrap(before, &PATH, entry, &Wrapper { variables, ..wrapper() }).unwrap();
        assert!(carrying.contains(r#""far", "--env", "FOREBAY_HOME=/d", "--url""#), "{carrying}");
        assert_eq!(unwrap(&carrying, &PATH, entry).unwrap(), before);
    }

    #[test]
    fn entries_with_headers_are_changed_and_restored() {
        check(
            PLAIN,
            r#"{ "mcpServers": { "far": { "type": "http", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer ${TOKEN}", "X-Team" : "blue" } } } }"#,
            r#"{ "mcpServers": { "far": { "type": "stdio", "command": "/bin/forebay", "args": ["wrap", "--name", "far", "--url", "https://a.example/mcp", "--header-env", "Authorization=MCP_FAR_AUTHORIZATION", "--header-env", "X-Team=MCP_FAR_X_TEAM"], "env": { "MCP_FAR_AUTHORIZATION": "Bearer ${TOKEN}", "MCP_FAR_X_TEAM" : "blue" } } } }"#,
        );
        check(
            PLAIN,
            "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"url\" : \"http:\\/\\/127.0.0.1:8/mcp\", // here\n      \"type\":\"http\"\n    }\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"command\" : \"/bin/forebay\", \"args\": [\"wrap\", \"--name\", \"far\", \"--url\", \"http:\\/\\/127.0.0.1:8/mcp\"], // here\n      \"type\":\"stdio\"\n    }\n  }\n}\n",
        );
    }

    #[test]
    fn each_host_writes_the_address_in_its_way() {
        // Gemini CLI and Qwen Code.
        check(
            PLAIN,
            r#"{"mcpServers":{"far":{"httpUrl":"http://[::1]:8/mcp","timeout":5,"headers":{}}}}"#,
            r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://[::1]:8/mcp", "--entry", "httpUrl"],"timeout":5,"env":{}}}}"#,
        );
        // Cursor; in Gemini CLI the older transport.
        check(
            PLAIN,
            r#"{"mcpServers":{"far":{"url":"https://a.example/sse","headers":{"A":"x"}}}}"#,
            r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "https://a.example/sse", "--entry", "url", "--header-env", "A=MCP_FAR_A"],"env":{"MCP_FAR_A":"x"}}}}"#,
        );
        // Claude Code with the older transport, Cline.
        for kind in ["sse", "streamableHttp"] {
            let before = r#"{"mcpServers":{"far":{"type":"KIND","url":"http://localhost/x"}}}"#;
            let after = r#"{"mcpServers":{"far":{"type":"stdio","command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://localhost/x", "--entry", "url:KIND"]}}}"#;
            check(PLAIN, &before.replace("KIND", kind), &after.replace("KIND", kind));
        }
        // Windsurf.
        check(
            PLAIN,
            r#"{"mcpServers":{"far":{"serverUrl":"http://localhost/x"}}}"#,
            r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://localhost/x", "--entry", "serverUrl"]}}}"#,
        );
        check(
            ServerEntry::OpenCode,
            r#"{"mcpServers":{"far":{"type":"remote","url":"https://a.example/mcp","headers":{"A":"{env:K}"},"enabled":true}}}"#,
            r#"{"mcpServers":{"far":{"type":"local","command":["/bin/forebay", "wrap", "--name", "far", "--url", "https://a.example/mcp", "--header-env", "A=MCP_FAR_A"],"environment":{"MCP_FAR_A":"{env:K}"},"enabled":true}}}"#,
        );
    }

    #[test]
    fn entries_that_may_need_more_than_headers_stay() {
        for entry in [
            r#"{"type":"http","url":"https://a.example/mcp"}"#,
            r#"{"type":"ws","url":"https://a.example/mcp","headers":{"A":"x"}}"#,
            r#"{"url":"https://a.example/mcp","httpUrl":"https://a.example/mcp","headers":{"A":"x"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":"x"},"oauth":{}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"X-A":"x","X_A":"y"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"\u0041":"x"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":1}}"#,
            r#"{"command":"x"}"#,
            "7",
        ] {
            let text = format!("{{\"mcpServers\":{{\"far\":{entry}}}}}");
            assert!(!can_wrap(&text, &PATH, PLAIN).unwrap(), "{entry}");
        }
        let text = r#"{"mcpServers":{"far":{"url":"http://localhost/x"}}}"#;
        assert!(!can_wrap(text, &PATH, ServerEntry::OpenCode).unwrap());
    }
}
