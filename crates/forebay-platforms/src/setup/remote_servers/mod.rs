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
    let is_public = !has_secret(url);
    Ok(is_plain
        && is_public
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

/// Whether a URL carries what may be a secret, which would be visible to other users among the arguments of a process.
pub(super) fn has_secret(url: &str) -> bool {
    const WORDS: [&str; 8] = ["auth", "credential", "key", "pass", "pwd", "secret", "sig", "token"];
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let mut names = query
        .split(['&', ';'])
        .map(|pair| pair.split('=').next().unwrap_or_default().to_ascii_lowercase());
    // A name with an escape may be any.
    authority.contains('@')
        || names.any(|name| name.contains('%') || WORDS.iter().any(|word| name.contains(word)))
}

/// The address of an entry that is reached at one.
pub(super) fn read_address(text: &str, path: &[&str]) -> Result<Option<String>, EditError> {
    let Some(Value::Object(found)) = json::get(text, path)? else { return Ok(None) };
    let address = ADDRESSES.iter().find_map(|key| found.get(*key)?.as_str());
    Ok(address.map(str::to_owned))
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

/// Restores how a server was reached, also if the agent has written the file in another layout or order since.
pub(super) fn unwrap(text: &str, path: &[&str], entry: ServerEntry) -> Result<String, EditError> {
    let Some(wrapped) = Wrapped::find(text, path, entry)? else { return Ok(text.to_owned()) };
    let started = Started::from_entry(entry);
    let restored = with_address(text, path, &started, &wrapped)?;
    let restored = with_kind(&restored, path, &started, wrapped.form.kind)?;
    with_headers(&restored, path, &started, &wrapped.headers)
}

/// The entry with its address in place of the command and the arguments.
fn with_address(
    text: &str,
    path: &[&str],
    started: &Started,
    wrapped: &Wrapped,
) -> Result<String, EditError> {
    let (command, arguments) = (below(path, &["command"]), below(path, &["args"]));
    let (Some(key), Some(value)) = (key_range(text, &command)?, json::range(text, &command)?)
    else {
        return Ok(text.to_owned());
    };
    let (space, url) = (&text[key.end..value.start], &text[wrapped.url.clone()]);
    let address = format!("{}{space}{url}", quoted(wrapped.form.address.as_str()));
    if started.is_one_list {
        return Ok(edited(text, vec![(key.start..value.end, address)]));
    }
    let list = json::property_range(text, &arguments)?;
    let follows =
        |list: &Range<usize>| list.start >= value.end && text[value.end..list.start].trim() == ",";
    if let Some(list) = list.filter(follows) {
        return Ok(edited(text, vec![(key.start..list.end, address)]));
    }
    let text = edited(text, vec![(key.start..value.end, address)]);
    json::remove(&text, &arguments)
}

/// The entry with the type that it had, or with none.
fn with_kind(
    text: &str,
    path: &[&str],
    started: &Started,
    kind: Option<String>,
) -> Result<String, EditError> {
    let path = below(path, &["type"]);
    match kind {
        Some(kind) => json::set(text, &path, &kind.into()),
        // Some agents write the type of every entry.
        None if json::get(text, &path)? == Some(started.kind.into()) => json::remove(text, &path),
        None => Ok(text.to_owned()),
    }
}

/// The entry with its headers in place of the variables of their values. Other variables stay.
fn with_headers(
    text: &str,
    path: &[&str],
    started: &Started,
    headers: &[(String, String)],
) -> Result<String, EditError> {
    let environment = below(path, &[started.environment]);
    let Some(Value::Object(variables)) = json::get(text, &environment)? else {
        return Ok(text.to_owned());
    };
    let is_own = |key: &String| headers.iter().any(|(_, variable)| variable == key);
    if variables.keys().all(is_own) {
        return with_renamed_keys(text, &environment, headers);
    }
    let mut edited = text.to_owned();
    for (header, variable) in headers {
        let Some(value) = variables.get(variable) else { continue };
        edited = json::set(&edited, &below(path, &["headers", header]), value)?;
        edited = json::remove(&edited, &below(&environment, &[variable]))?;
    }
    Ok(edited)
}

fn with_renamed_keys(
    text: &str,
    environment: &[&str],
    headers: &[(String, String)],
) -> Result<String, EditError> {
    let mut edits = Vec::new();
    let key = key_range(text, environment)?;
    edits.extend(key.map(|key| (key, quoted("headers"))));
    for (header, variable) in headers {
        let key = key_range(text, &below(environment, &[variable]))?;
        edits.extend(key.map(|key| (key, quoted(header.as_str()))));
    }
    Ok(edited(text, edits))
}

/// What the arguments of a changed entry say.
struct Wrapped {
    /// Where the address is in the text.
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
        Ok(Self::read(own, name, usual))
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
        Some(Self { url, form, headers })
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
mod tests;
