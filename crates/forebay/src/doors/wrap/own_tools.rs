//! Tools of ours in the list of another server: they describe its tools, search them, and call them.
//!
//! `--slim` adds the first one, `--facade` shows nothing but the three. A call by the third is judged and digested like any
//! other: it becomes a call of the server's tool before anything looks at it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::wrap::tool_list::{self, CUT, ToolListing};
use forebay_domain::tokens;

use super::json::{Members, quoted};

const DESCRIBE: &str = "forebay_describe";
const SEARCH: &str = "forebay_search";
const CALL: &str = "forebay_call";

/// The server's tools, and which of them the client sees.
pub(super) struct OwnTools {
    pub(super) listing: ToolListing,
    listed: Mutex<Listed>,
}

/// What was listed since the client asked for the first page.
#[derive(Default)]
struct Listed {
    tools: Vec<Tool>,
    has_cut: bool,
    bytes_before: usize,
    bytes_after: usize,
}

struct Tool {
    name: String,
    description: String,
    input_schema: String,
}

/// What becomes of a call.
pub(super) enum OwnCall {
    /// It is one of the server's tools.
    Other,
    Answer {
        text: String,
        is_error: bool,
    },
    /// It becomes this call, by its parameters.
    Instead(String),
}

/// A page of the list.
pub(super) struct Page {
    pub(super) tools: Vec<String>,
    /// Once it is complete: its tokens without and with us.
    pub(super) tokens: Option<(u64, u64)>,
}

impl OwnTools {
    pub(super) fn new(listing: ToolListing) -> Self {
        Self { listing, listed: Mutex::default() }
    }

    pub(super) fn changes_lists(&self) -> bool {
        self.listing != ToolListing::Whole
    }

    /// Whether calls of this tool are answered here.
    pub(super) fn has(&self, name: &str) -> bool {
        match self.listing {
            ToolListing::Whole => false,
            ToolListing::Slim => name == DESCRIBE,
            ToolListing::Facade => [SEARCH, DESCRIBE, CALL].contains(&name),
        }
    }

    /// Returns a page of the list as the client sees it.
    pub(super) fn page(&self, tools: Vec<String>, is_first: bool, is_last: bool) -> Page {
        let mut listed = self.listed();
        if is_first {
            *listed = Listed::default();
        }
        listed.bytes_before += bytes(&tools);
        listed.tools.extend(tools.iter().filter_map(|tool| Tool::parse(tool)));
        let shown = match self.listing {
            ToolListing::Whole => tools,
            ToolListing::Slim => listed.slim(tools, is_last),
            ToolListing::Facade if is_first => facade(),
            ToolListing::Facade => Vec::new(),
        };
        listed.bytes_after += bytes(&shown);
        let estimate = |bytes: usize| tokens::estimate_bytes(bytes as u64);
        let tokens = is_last.then(|| (estimate(listed.bytes_before), estimate(listed.bytes_after)));
        Page { tools: shown, tokens }
    }

    /// Answers a call of ours.
    pub(super) fn take(&self, tool: &str, params: &Members<'_>) -> OwnCall {
        let arguments = params.object("arguments");
        let word = |key: &str| {
            arguments.as_ref().and_then(|arguments| arguments.string(key)).unwrap_or_default()
        };
        match (tool, self.listing) {
            (_, ToolListing::Whole) => OwnCall::Other,
            (DESCRIBE, _) => self.describe(&word("name")),
            (SEARCH, ToolListing::Facade) => self.search(&word("query")),
            (CALL, ToolListing::Facade) => {
                let inner = arguments.as_ref().and_then(|all| all.get("arguments")).unwrap_or("{}");
                self.call_instead(&word("name"), inner, params)
            }
            _ => OwnCall::Other,
        }
    }

    fn describe(&self, name: &str) -> OwnCall {
        let listed = self.listed();
        let Some(tool) = listed.tools.iter().find(|tool| tool.name == name) else {
            return listed.no_tool(name);
        };
        let Tool { name, description, input_schema } = tool;
        OwnCall::Answer {
            text: format!("{name}\n{description}\narguments: {input_schema}"),
            is_error: false,
        }
    }

    fn search(&self, query: &str) -> OwnCall {
        let listed = self.listed();
        let texts: Vec<(&str, &str)> = listed
            .tools
            .iter()
            .map(|tool| (tool.name.as_str(), tool.description.as_str()))
            .collect();
        let found = tool_list::find(query, &texts);
        if found.is_empty() {
            let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
            let text = format!("no tool is about that. All tools: {}", names.join(", "));
            return OwnCall::Answer { text, is_error: false };
        }
        let lines = found.into_iter().map(|at| {
            let Tool { name, description, .. } = &listed.tools[at];
            let short = tool_list::first_sentences(description);
            format!("{name}: {}", short.as_deref().unwrap_or(description))
        });
        OwnCall::Answer { text: lines.collect::<Vec<_>>().join("\n"), is_error: false }
    }

    /// The parameters of a call of the server's tool.
    fn call_instead(&self, name: &str, arguments: &str, params: &Members<'_>) -> OwnCall {
        let listed = self.listed();
        if !listed.tools.iter().any(|tool| tool.name == name) {
            return listed.no_tool(name);
        }
        // Some models write the object as a text.
        let written: Option<String> = serde_json::from_str(arguments).ok();
        let arguments = written.as_deref().unwrap_or(arguments);
        if Members::parse(arguments).is_err() {
            let text = format!("`arguments` is not an object\n{DESCRIBE} says what {name} takes");
            return OwnCall::Answer { text, is_error: true };
        }
        let mut params = params.clone();
        params.set("name", quoted(name));
        params.set("arguments", arguments.to_owned());
        OwnCall::Instead(params.into_text())
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listed {
    fn slim(&mut self, tools: Vec<String>, is_last: bool) -> Vec<String> {
        let mut shown: Vec<String> = tools
            .into_iter()
            .map(|tool| {
                let cut = with_short_descriptions(&tool);
                self.has_cut |= cut.is_some();
                cut.unwrap_or(tool)
            })
            .collect();
        if is_last && self.has_cut {
            let what = format!("The whole description of a tool that ends in \"{}\"", CUT.trim());
            shown.push(own_tool(DESCRIBE, &what, &[("name", "string")]));
        }
        shown
    }

    fn no_tool(&self, name: &str) -> OwnCall {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        let text = format!("no tool is named `{name}`\ntools: {}", names.join(", "));
        OwnCall::Answer { text, is_error: true }
    }
}

impl Tool {
    fn parse(source: &str) -> Option<Self> {
        let tool = Members::parse(source).ok()?;
        Some(Self {
            name: tool.string("name")?,
            description: tool.string("description").unwrap_or_default(),
            input_schema: tool.get("inputSchema").unwrap_or("{}").to_owned(),
        })
    }
}

/// A tool with short descriptions of itself and its arguments; `None` if all of them are.
fn with_short_descriptions(source: &str) -> Option<String> {
    let mut tool = Members::parse(source).ok()?;
    let mut is_cut = shorten(&mut tool);
    let schema = tool.get("inputSchema").and_then(with_short_properties);
    if let Some(schema) = schema {
        tool.set("inputSchema", schema);
        is_cut = true;
    }
    is_cut.then(|| tool.into_text())
}

fn with_short_properties(schema: &str) -> Option<String> {
    let mut schema = Members::parse(schema).ok()?;
    let source = schema.get("properties")?.to_owned();
    let properties = Members::parse(&source).ok()?;
    let mut shown = properties.clone();
    let mut is_cut = false;
    for key in properties.keys() {
        let Some(mut property) = properties.object(key) else { continue };
        if shorten(&mut property) {
            shown.set(key, property.into_text());
            is_cut = true;
        }
    }
    schema.set("properties", shown.into_text());
    is_cut.then(|| schema.into_text())
}

fn shorten(described: &mut Members<'_>) -> bool {
    let short = described.string("description").and_then(|text| tool_list::first_sentences(&text));
    let is_cut = short.is_some();
    if let Some(short) = short {
        described.set("description", quoted(&short));
    }
    is_cut
}

fn facade() -> Vec<String> {
    vec![
        own_tool(
            SEARCH,
            "Finds tools of this server; an empty query lists them",
            &[("query", "string")],
        ),
        own_tool(DESCRIBE, "What a tool does, and its arguments", &[("name", "string")]),
        own_tool(CALL, "Calls a tool", &[("name", "string"), ("arguments", "object")]),
    ]
}

fn own_tool(name: &str, description: &str, arguments: &[(&str, &str)]) -> String {
    let properties =
        arguments.iter().map(|(name, kind)| format!(r#""{name}":{{"type":"{kind}"}}"#));
    let properties = properties.collect::<Vec<_>>().join(",");
    let first = quoted(arguments[0].0);
    format!(
        r#"{{"name":"{name}","description":{},"inputSchema":{{"type":"object","properties":{{{properties}}},"required":[{first}]}}}}"#,
        quoted(description)
    )
}

fn bytes(tools: &[String]) -> usize {
    tools.iter().map(String::len).sum()
}
