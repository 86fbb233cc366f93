//! Puts Forebay in front of an MCP server that a settings file reaches at a URL, and takes it away again.
//!
//! The entry becomes one that starts Forebay: its `url` is an argument, and its headers are variables of its environment, with
//! the values that they had, so that no secret stands among the arguments. The arguments name each header with its variable;
//! with them a removal restores the bytes.
//!
//! Only an entry that says all that a request needs is changed: it is `"type": "http"`, and has headers or is on this
//! machine. Others may need a sign-in that only the agent can do, or speak an older transport.

use std::collections::HashSet;
use std::net::IpAddr;
use std::ops::Range;

use serde_json::{Map, Value};

use super::{EditError, json};

/// The words in front of the address.
const WORDS: usize = 4;
const HEADER: &str = "--header-env";
/// What tells that an agent does more for a server than to send headers.
const SIGNS_IN: [&str; 4] = ["auth", "authProviderType", "headersHelper", "oauth"];

/// Whether an entry can be changed.
pub(super) fn can_wrap(text: &str, path: &[&str]) -> Result<bool, EditError> {
    let Some(Value::Object(entry)) = json::get(text, path)? else { return Ok(false) };
    let Some(url) = entry.get("url").and_then(Value::as_str) else { return Ok(false) };
    let is_http = entry.get("type").and_then(Value::as_str) == Some("http");
    let is_plain =
        !["command", "args", "env"].iter().chain(&SIGNS_IN).any(|key| entry.contains_key(*key));
    let Some(headers) = headers_of(&entry) else { return Ok(false) };
    let variables: HashSet<String> =
        headers.keys().map(|header| variable(path.last().unwrap_or(&""), header)).collect();
    let says_all = !headers.is_empty() || is_on_this_machine(url);
    Ok(is_http
        && is_plain
        && says_all
        && variables.len() == headers.len()
        && has_plain_keys(text, path, &headers)?)
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
    headers: &Map<String, Value>,
) -> Result<bool, EditError> {
    let mut keys = vec![below(path, &["url"]), below(path, &["type"])];
    if !headers.is_empty() {
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

fn is_on_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an entry was changed by [`wrap`].
pub(super) fn is_wrapped(text: &str, path: &[&str]) -> Result<bool, EditError> {
    Ok(arguments(text, path)?.is_some())
}

/// Has Forebay reach the server.
pub(super) fn wrap(text: &str, path: &[&str], program: &str) -> Result<String, EditError> {
    let name = path.last().copied().unwrap_or_default();
    let entry = json::get(text, path)?.unwrap_or_default();
    let headers = entry.as_object().and_then(headers_of).unwrap_or_default();
    let mut edits = Vec::new();
    let url = below(path, &["url"]);
    if let (Some(key), Some(value)) = (key_range(text, &url)?, json::range(text, &url)?) {
        let mut words =
            vec!["wrap".to_owned(), "--name".to_owned(), name.to_owned(), "--url".to_owned()];
        words = words.into_iter().map(quoted).collect();
        words.push(text[value.clone()].to_owned());
        for header in headers.keys() {
            words.push(quoted(HEADER));
            words.push(quoted(format!("{header}={}", variable(name, header))));
        }
        let space = &text[key.end..value.start];
        let command =
            format!("\"command\"{space}{}, \"args\": [{}]", quoted(program), words.join(", "));
        edits.push((key.start..value.end, command));
    }
    edits.extend(json::range(text, &below(path, &["type"]))?.map(|kind| (kind, quoted("stdio"))));
    if !headers.is_empty() {
        edits.extend(key_range(text, &below(path, &["headers"]))?.map(|key| (key, quoted("env"))));
    }
    for header in headers.keys() {
        let key = key_range(text, &below(path, &["headers", header]))?;
        edits.extend(key.map(|key| (key, quoted(variable(name, header)))));
    }
    Ok(super::wrapped_servers::edited(text, edits))
}

/// Restores how a server was reached.
pub(super) fn unwrap(text: &str, path: &[&str]) -> Result<String, EditError> {
    let Some(arguments) = arguments(text, path)? else { return Ok(text.to_owned()) };
    let mut edits = Vec::new();
    let command = below(path, &["command"]);
    let args = json::range(text, &below(path, &["args"]))?;
    if let (Some(key), Some(value), Some(args)) =
        (key_range(text, &command)?, json::range(text, &command)?, args)
    {
        let space = &text[key.end..value.start];
        let url = &text[arguments[WORDS].range.clone()];
        edits.push((key.start..args.end, format!("\"url\"{space}{url}")));
    }
    edits.extend(json::range(text, &below(path, &["type"]))?.map(|kind| (kind, quoted("http"))));
    let headers: Vec<(&str, &str)> = arguments[WORDS + 1..]
        .chunks(2)
        .filter_map(|pair| pair.get(1)?.text.split_once('='))
        .collect();
    if !headers.is_empty() {
        edits.extend(key_range(text, &below(path, &["env"]))?.map(|key| (key, quoted("headers"))));
    }
    for (header, variable) in headers {
        let key = key_range(text, &below(path, &["env", variable]))?;
        edits.extend(key.map(|key| (key, quoted(header))));
    }
    Ok(super::wrapped_servers::edited(text, edits))
}

/// The arguments of a changed entry.
fn arguments(
    text: &str,
    path: &[&str],
) -> Result<Option<Vec<super::wrapped_servers::Item>>, EditError> {
    let args = below(path, &["args"]);
    if !matches!(json::get(text, &args)?, Some(Value::Array(_))) {
        return Ok(None);
    }
    let Some(list) = json::strings(text, &args)? else { return Ok(None) };
    let words: Vec<&str> = list.items.iter().map(|item| item.text.as_str()).collect();
    let name = path.last().copied().unwrap_or_default();
    let is_ours = words.len() > WORDS && words.starts_with(&["wrap", "--name", name, "--url"]);
    Ok(is_ours.then_some(list.items))
}

/// The variable that has the value of a header.
fn variable(server: &str, header: &str) -> String {
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

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert!(can_wrap(before, &PATH).unwrap(), "{before}");
        let wrapped = wrap(before, &PATH, "/bin/forebay").unwrap();
        assert_eq!(wrapped, after);
        assert!(is_wrapped(&wrapped, &PATH).unwrap());
        assert!(!can_wrap(&wrapped, &PATH).unwrap());
        assert_eq!(unwrap(&wrapped, &PATH).unwrap(), before);
    }

    #[test]
    fn entries_with_headers_are_changed_and_restored() {
        check(
            r#"{ "mcpServers": { "far": { "type": "http", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer ${TOKEN}", "X-Team" : "blue" } } } }"#,
            r#"{ "mcpServers": { "far": { "type": "stdio", "command": "/bin/forebay", "args": ["wrap", "--name", "far", "--url", "https://a.example/mcp", "--header-env", "Authorization=MCP_FAR_AUTHORIZATION", "--header-env", "X-Team=MCP_FAR_X_TEAM"], "env": { "MCP_FAR_AUTHORIZATION": "Bearer ${TOKEN}", "MCP_FAR_X_TEAM" : "blue" } } } }"#,
        );
        check(
            "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"url\" : \"http:\\/\\/127.0.0.1:8/mcp\", // here\n      \"type\":\"http\"\n    }\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"command\" : \"/bin/forebay\", \"args\": [\"wrap\", \"--name\", \"far\", \"--url\", \"http:\\/\\/127.0.0.1:8/mcp\"], // here\n      \"type\":\"stdio\"\n    }\n  }\n}\n",
        );
    }

    #[test]
    fn entries_that_may_need_more_than_headers_stay() {
        for entry in [
            r#"{"type":"http","url":"https://a.example/mcp"}"#,
            r#"{"type":"sse","url":"https://a.example/mcp","headers":{"A":"x"}}"#,
            r#"{"url":"https://a.example/mcp","headers":{"A":"x"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":"x"},"oauth":{}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"X-A":"x","X_A":"y"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"\u0041":"x"}}"#,
            r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":1}}"#,
            r#"{"command":"x"}"#,
            "7",
        ] {
            let text = format!("{{\"mcpServers\":{{\"far\":{entry}}}}}");
            assert!(!can_wrap(&text, &PATH).unwrap(), "{entry}");
        }
    }
}
