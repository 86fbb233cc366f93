//! The headers that the protocol wants beside a message.
//!
//! Since the revision of 2026-07-28 they repeat the method, the name of what is called, and the arguments that a tool's schema
//! marks with `x-mcp-header`, so that a server's front end can route a message without reading it.

use std::collections::HashMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use super::super::json::Members;

/// Marks a property of an input schema.
pub(super) const PARAMETER: &str = "x-mcp-header";
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// The arguments of tools that go into headers: the path to each, and the header's name.
#[derive(Debug, Default)]
pub(super) struct ParameterHeaders(HashMap<String, Vec<(Vec<String>, String)>>);

/// The revision that a request names; older ones negotiate it at the start.
pub(super) fn stated_revision(message: &Members<'_>) -> Option<String> {
    let params = message.object("params")?;
    params.object("_meta")?.string("io.modelcontextprotocol/protocolVersion")
}

/// The headers for a request that names its revision.
pub(super) fn for_request(
    message: &Members<'_>,
    method: &str,
    parameters: &ParameterHeaders,
) -> Vec<(String, String)> {
    let mut headers = vec![("Mcp-Method".to_owned(), encoded(method))];
    let Some(params) = message.object("params") else { return headers };
    let named_by = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return headers,
    };
    let Some(name) = params.string(named_by) else { return headers };
    headers.push(("Mcp-Name".to_owned(), encoded(&name)));
    if method == "tools/call" {
        headers.extend(parameters.of_call(&name, params.get("arguments").unwrap_or_default()));
    }
    headers
}

impl ParameterHeaders {
    /// Learns from a listing of tools.
    pub(super) fn learn(&mut self, answer: &[u8]) {
        let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return };
        for tool in answer["result"]["tools"].as_array().into_iter().flatten() {
            let mut found = Vec::new();
            collect(&tool["inputSchema"], &mut Vec::new(), &mut found);
            if let Some(name) = tool["name"].as_str() {
                self.0.insert(name.to_owned(), found);
            }
        }
    }

    fn of_call(&self, tool: &str, arguments: &str) -> Vec<(String, String)> {
        let Some(wanted) = self.0.get(tool).filter(|wanted| !wanted.is_empty()) else {
            return Vec::new();
        };
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let value_at =
            |path: &[String]| path.iter().try_fold(&arguments, |value, key| value.get(key));
        wanted
            .iter()
            .filter_map(|(path, header)| {
                let value = as_text(value_at(path)?)?;
                Some((format!("Mcp-Param-{header}"), encoded(&value)))
            })
            .collect()
    }
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let none = Map::new();
    for (name, property) in schema["properties"].as_object().unwrap_or(&none) {
        path.push(name.clone());
        if let Some(header) = property[PARAMETER].as_str().filter(|header| is_token(header)) {
            found.push((path.clone(), header.to_owned()));
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Whether a text can be part of a header's name.
pub(super) fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A value as a header can have it: in base64 if it has other than visible ASCII characters.
fn encoded(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim_ascii() == value
        && !(value.starts_with(ENCODED.0) && value.ends_with(ENCODED.1));
    if is_plain {
        return value.to_owned();
    }
    format!("{}{}{}", ENCODED.0, BASE64_STANDARD.encode(value), ENCODED.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expect: &[(&str, &str)]) {
        let mut parameters = ParameterHeaders::default();
        parameters.learn(
            br#"{"result":{"tools":[{"name":"t","inputSchema":{"properties":{
                "region":{"type":"string","x-mcp-header":"Region"},
                "at":{"properties":{"count":{"type":"integer","x-mcp-header":"Count"}}},
                "odd":{"x-mcp-header":"not a token"}}}}]}}"#,
        );
        let message = Members::parse(message).unwrap();
        let method = message.string("method").unwrap();
        let headers = for_request(&message, &method, &parameters);
        let found: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn headers_repeat_what_a_request_is_about() {
        check(r#"{"method":"tools/list"}"#, &[("Mcp-Method", "tools/list")]);
        check(
            r#"{"method":"resources/read","params":{"uri":"file:///caf\u00e9"}}"#,
            &[("Mcp-Method", "resources/read"), ("Mcp-Name", "=?base64?ZmlsZTovLy9jYWbDqQ==?=")],
        );
        check(
            r#"{"method":"tools/call","params":{"name":"t","arguments":{"region":" eu","at":{"count":3},"odd":"x"}}}"#,
            &[
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "t"),
                ("Mcp-Param-Region", "=?base64?IGV1?="),
                ("Mcp-Param-Count", "3"),
            ],
        );
    }
}
