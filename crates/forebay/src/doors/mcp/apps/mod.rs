//! MCP Apps: views of answers for hosts that show them, beside the text that models get.
//!
//! A tool names its view only to a client that declares the extension, so nobody else pays for the words. A view is one HTML
//! document without addresses of any kind: its host frames it in a sandbox and hands it the answer.

use rmcp::model::{ClientCapabilities, JsonObject, MetaObject, ResourceContents, Tool};
use serde_json::{Value, json};

/// The name of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// A view of a tool's answers.
struct View {
    tool: &'static str,
    uri: &'static str,
    html: &'static str,
}

macro_rules! html {
    ($title:literal, $script:literal) => {
        concat!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
            $title,
            "</title>\n<style>\n",
            include_str!("view.css"),
            "</style>\n</head>\n<body>\n<main id=\"view\"></main>\n<script>\n",
            include_str!("bridge.js"),
            include_str!($script),
            "</script>\n</body>\n</html>\n"
        )
    };
}

static VIEWS: [View; 2] = [
    View {
        tool: "ctx_stats",
        uri: "ui://forebay/overview",
        html: html!("Forebay: overview", "overview.js"),
    },
    View { tool: "ctx_get", uri: "ui://forebay/entry", html: html!("Forebay: entry", "entry.js") },
];

/// Whether a client shows such views.
pub(super) fn is_declared(client: Option<&ClientCapabilities>) -> bool {
    let declared = client.and_then(|client| client.extensions.as_ref()?.get(EXTENSION));
    let types = declared.and_then(|settings| settings.get("mimeTypes")?.as_array());
    types.is_some_and(|types| types.iter().any(|one| one == MIME_TYPE))
}

/// Names the view of a tool, if it has one.
pub(super) fn with_view(tool: Tool) -> Tool {
    match VIEWS.iter().find(|view| view.tool == tool.name) {
        Some(view) => tool.with_meta(meta(json!({ "resourceUri": view.uri }))),
        None => tool,
    }
}

/// Returns the document of a view.
pub(super) fn document(uri: &str) -> Option<ResourceContents> {
    let view = VIEWS.iter().find(|view| view.uri == uri)?;
    let contents = ResourceContents::text(view.html, view.uri).with_mime_type(MIME_TYPE);
    Some(contents.with_meta(meta(json!({ "prefersBorder": true }))))
}

fn meta(ui: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([("ui".to_owned(), ui)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_small_and_lead_nowhere() {
        for View { uri, html, .. } in &VIEWS {
            assert!(html.len() < 24 * 1024, "{uri}: {} bytes", html.len());
            // The name of a language, which no browser asks for.
            let html = html.replace("http://www.w3.org/2000/svg", "");
            for forbidden in [
                "http://",
                "https://",
                "innerHTML",
                "outerHTML",
                "document.write",
                "eval(",
                "src=",
                "url(",
            ] {
                assert!(!html.contains(forbidden), "{uri}: {forbidden}");
            }
            assert_eq!(html.matches("</script>").count(), 1, "{uri}");
        }
    }

    #[test]
    fn only_clients_that_show_html_get_views() {
        let client = |settings: Value| -> ClientCapabilities {
            serde_json::from_value(json!({ "extensions": { EXTENSION: settings } })).unwrap()
        };
        assert!(is_declared(Some(&client(json!({ "mimeTypes": ["x", MIME_TYPE] })))));
        assert!(!is_declared(Some(&client(json!({ "mimeTypes": ["text/uri-list"] })))));
        assert!(!is_declared(Some(&client(json!({})))));
        assert!(!is_declared(Some(&ClientCapabilities::default())) && !is_declared(None));
    }
}
