//! Tools of ours in the list of another server: they describe its tools, search them, and call them.
//!
//! `--slim` adds the first one, `--facade` shows nothing but the three. A call by the third is judged and digested like any
//! other: it becomes a call of the server's tool before anything looks at it. Where the server has a tool of the same name,
//! ours gets a number.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::wrap::tool_list::{self, CUT, ToolListing};
use forebay_domain::tokens;

use super::json::{Members, quoted};

const DESCRIBE: &str = "forebay_describe";
const SEARCH: &str = "forebay_search";
const CALL: &str = "forebay_call";

/// The server's tools, and which of them the client sees.
pub(super) struct OwnTools {
    listing: ToolListing,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// The last list that was read to its end. It counts until the next one is.
    complete: List,
    /// The pages so far of the list that is being read.
    growing: List,
    /// Under which names ours are listed.
    names: Names,
}

#[derive(Default)]
struct List {
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

/// A tool of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Describe,
    Search,
    Call,
}

/// The listed tools of ours by name.
#[derive(Default)]
struct Names(Vec<(Own, String)>);

/// What becomes of a call.
pub(super) enum OwnCall {
    /// It is one of the server's tools.
    Other,
    Answer {
        text: String,
        is_error: bool,
    },
    /// It becomes a call of this tool of the server, with these parameters.
    Instead {
        tool: String,
        params: String,
    },
}

/// A page of the list.
pub(super) struct Page {
    pub(super) tools: Vec<String>,
    /// Once it is complete: its tokens without and with us.
    pub(super) tokens: Option<(u64, u64)>,
    /// The message to the user about names that the server has taken.
    pub(super) renamed: Vec<String>,
}

impl OwnTools {
    pub(super) fn new(listing: ToolListing) -> Self {
        Self { listing, lists: Mutex::default() }
    }

    pub(super) fn changes_lists(&self) -> bool {
        self.listing != ToolListing::Whole
    }

    /// Returns a page of the list as the client sees it.
    pub(super) fn page(&self, tools: Vec<String>, is_first: bool, is_last: bool) -> Page {
        let mut lists = self.lists();
        if is_first {
            lists.growing = List::default();
        }
        lists.growing.bytes_before += bytes(&tools);
        lists.growing.tools.extend(tools.iter().filter_map(|tool| Tool::parse(tool)));
        let mut renamed = Vec::new();
        let shown = match self.listing {
            ToolListing::Whole => tools,
            ToolListing::Slim => lists.slim(tools, is_last, &mut renamed),
            ToolListing::Facade if is_first => lists.facade(is_last, &mut renamed),
            ToolListing::Facade => Vec::new(),
        };
        lists.growing.bytes_after += bytes(&shown);
        let tokens = is_last.then(|| lists.finish());
        Page { tools: shown, tokens, renamed }
    }

    /// Answers a call of ours. Before the first list, every call is the server's.
    pub(super) fn take(&self, tool: &str, params: &Members<'_>) -> OwnCall {
        if !self.changes_lists() {
            return OwnCall::Other;
        }
        let lists = self.lists();
        let Some(own) = lists.names.find(tool) else { return OwnCall::Other };
        let arguments = params.object("arguments");
        let word = |key: &str| {
            arguments.as_ref().and_then(|arguments| arguments.string(key)).unwrap_or_default()
        };
        match own {
            Own::Describe => lists.describe(&word("name")),
            Own::Search => lists.search(&word("query")),
            Own::Call => {
                let inner = arguments.as_ref().and_then(|all| all.get("arguments")).unwrap_or("{}");
                lists.call_instead(&word("name"), inner, params)
            }
        }
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn slim(
        &mut self,
        tools: Vec<String>,
        is_last: bool,
        renamed: &mut Vec<String>,
    ) -> Vec<String> {
        let mut shown: Vec<String> = tools
            .into_iter()
            .map(|tool| {
                let cut = with_short_descriptions(&tool);
                self.growing.has_cut |= cut.is_some();
                cut.unwrap_or(tool)
            })
            .collect();
        if is_last {
            let own: &[Own] = if self.growing.has_cut { &[Own::Describe] } else { &[] };
            self.name(own, is_last, renamed);
            let what = format!("The whole description of a tool that ends in \"{}\"", CUT.trim());
            let listed = self.names.0.iter();
            shown.extend(listed.map(|(_, name)| own_tool(name, &what, &[("name", "string")])));
        }
        shown
    }

    /// Our tools in place of the server's. On later pages there is none, so a name that the server has there stays ours: its
    /// tool is reached through `forebay_call`.
    fn facade(&mut self, is_last: bool, renamed: &mut Vec<String>) -> Vec<String> {
        self.name(&[Own::Search, Own::Describe, Own::Call], is_last, renamed);
        self.names.0.iter().map(|(own, name)| own.listed_as(name)).collect()
    }

    /// Names the tools of ours that are listed; notes names that differ from the usual ones, when they become so.
    fn name(&mut self, own: &[Own], is_last: bool, renamed: &mut Vec<String>) {
        // Later pages probably have what they had.
        let earlier: &[Tool] = if is_last { &[] } else { &self.complete.tools };
        let tools = self.growing.tools.iter().chain(earlier);
        let taken: HashSet<&str> = tools.map(|tool| tool.name.as_str()).collect();
        let named: Vec<(Own, String)> =
            own.iter().map(|own| (*own, free_name(own.usual_name(), &taken))).collect();
        for (own, name) in &named {
            let usual = own.usual_name();
            if name != usual && self.names.find(name).is_none() {
                renamed.push(format!(
                    "a server's tool is named `{usual}`, so Forebay's is listed as `{name}`"
                ));
            }
        }
        self.names = Names(named);
    }

    /// Has the list that was read count; returns its tokens without and with us.
    fn finish(&mut self) -> (u64, u64) {
        self.complete = std::mem::take(&mut self.growing);
        let estimate = |bytes: usize| tokens::estimate_bytes(bytes as u64);
        (estimate(self.complete.bytes_before), estimate(self.complete.bytes_after))
    }

    /// The tools that are known: also those of a list that its client reads no further.
    fn known(&self) -> &[Tool] {
        let is_first = self.complete.tools.is_empty();
        if is_first { &self.growing.tools } else { &self.complete.tools }
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        let mut tools = self.complete.tools.iter().chain(&self.growing.tools);
        tools.find(|tool| tool.name == name)
    }

    fn describe(&self, name: &str) -> OwnCall {
        let Some(Tool { name, description, input_schema }) = self.find(name) else {
            return self.no_tool(name);
        };
        OwnCall::Answer {
            text: format!("{name}\n{description}\narguments: {input_schema}"),
            is_error: false,
        }
    }

    fn search(&self, query: &str) -> OwnCall {
        let texts: Vec<(&str, &str)> = self
            .known()
            .iter()
            .map(|tool| (tool.name.as_str(), tool.description.as_str()))
            .collect();
        let found = tool_list::find(query, &texts);
        if found.is_empty() {
            let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
            let text = format!("no tool matches the query. All tools: {}", names.join(", "));
            return OwnCall::Answer { text, is_error: false };
        }
        let lines = found.into_iter().map(|at| {
            let (name, description) = texts[at];
            let short = tool_list::first_sentences(description);
            format!("{name}: {}", short.as_deref().unwrap_or(description))
        });
        OwnCall::Answer { text: lines.collect::<Vec<_>>().join("\n"), is_error: false }
    }

    /// The parameters of a call of the server's tool.
    fn call_instead(&self, name: &str, arguments: &str, params: &Members<'_>) -> OwnCall {
        if self.find(name).is_none() {
            return self.no_tool(name);
        }
        // Some models write the object as a text.
        let written: Option<String> = serde_json::from_str(arguments).ok();
        let arguments = written.as_deref().unwrap_or(arguments);
        if Members::parse(arguments).is_err() {
            let describe = self.names.name_of(Own::Describe);
            let text =
                format!("`arguments` is not an object\n{describe} returns the schema of {name}");
            return OwnCall::Answer { text, is_error: true };
        }
        let mut params = params.clone();
        params.set("name", quoted(name));
        params.set("arguments", arguments.to_owned());
        OwnCall::Instead { tool: name.to_owned(), params: params.into_text() }
    }

    fn no_tool(&self, name: &str) -> OwnCall {
        let names: Vec<&str> = self.known().iter().map(|tool| tool.name.as_str()).collect();
        let text = format!("no tool is named `{name}`\ntools: {}", names.join(", "));
        OwnCall::Answer { text, is_error: true }
    }
}

impl Own {
    fn usual_name(self) -> &'static str {
        match self {
            Self::Describe => DESCRIBE,
            Self::Search => SEARCH,
            Self::Call => CALL,
        }
    }

    /// The tool in the list of a facade.
    fn listed_as(self, name: &str) -> String {
        let (what, arguments): (&str, &[(&str, &str)]) = match self {
            Self::Search => {
                ("Finds tools of this server; an empty query lists them", &[("query", "string")])
            }
            Self::Describe => ("What a tool does, and its arguments", &[("name", "string")]),
            Self::Call => ("Calls a tool", &[("name", "string"), ("arguments", "object")]),
        };
        own_tool(name, what, arguments)
    }
}

impl Names {
    fn find(&self, name: &str) -> Option<Own> {
        self.0.iter().find(|(_, own)| own == name).map(|(own, _)| *own)
    }

    fn name_of(&self, wanted: Own) -> &str {
        let listed = self.0.iter().find(|(own, _)| *own == wanted);
        listed.map_or(wanted.usual_name(), |(_, name)| name)
    }
}

/// The name if it is not taken, or else the name with the first number that makes it free.
fn free_name(usual: &str, taken: &HashSet<&str>) -> String {
    let mut name = usual.to_owned();
    let mut number = 2;
    while taken.contains(name.as_str()) {
        name = format!("{usual}_{number}");
        number += 1;
    }
    name
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

fn own_tool(name: &str, description: &str, arguments: &[(&str, &str)]) -> String {
    let properties =
        arguments.iter().map(|(name, kind)| format!(r#""{name}":{{"type":"{kind}"}}"#));
    let properties = properties.collect::<Vec<_>>().join(",");
    let first = quoted(arguments[0].0);
    format!(
        r#"{{"name":{},"description":{},"inputSchema":{{"type":"object","properties":{{{properties}}},"required":[{first}]}}}}"#,
        quoted(name),
        quoted(description)
    )
}

fn bytes(tools: &[String]) -> usize {
    tools.iter().map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> String {
        format!(r#"{{"name":"{name}","description":"{}"}}"#, "Long words. ".repeat(40))
    }

    fn names(page: &Page) -> Vec<String> {
        page.tools.iter().map(|tool| Tool::parse(tool).unwrap().name).collect()
    }

    fn calls(tools: &OwnTools, name: &str) -> bool {
        let params = Members::parse(r#"{"arguments":{"name":"a"}}"#).unwrap();
        !matches!(tools.take(name, &params), OwnCall::Other)
    }

    #[test]
    fn a_name_of_the_server_is_not_ours() {
        let tools = OwnTools::new(ToolListing::Slim);
        assert!(!calls(&tools, DESCRIBE), "before a list");
        let page = tools.page(vec![tool("a"), tool(DESCRIBE)], true, true);
        assert_eq!(names(&page), ["a", DESCRIBE, "forebay_describe_2"]);
        assert_eq!(page.renamed.len(), 1);
        assert!(page.renamed[0].contains("listed as `forebay_describe_2`"), "{:?}", page.renamed);
        assert!(!calls(&tools, DESCRIBE) && calls(&tools, "forebay_describe_2"));
        let again = tools.page(vec![tool(DESCRIBE)], true, true);
        assert_eq!(again.renamed, [""; 0], "told once");
        let page = tools.page(vec![tool("a")], true, true);
        assert_eq!(names(&page), ["a", DESCRIBE]);
        assert!(calls(&tools, DESCRIBE) && !calls(&tools, "forebay_describe_2"));
    }

    #[test]
    fn a_list_counts_until_the_next_one_is_complete() {
        let tools = OwnTools::new(ToolListing::Facade);
        tools.page(vec![tool("a")], true, false);
        let params = Members::parse(r#"{"arguments":{"name":"b"}}"#).unwrap();
        let call = || matches!(tools.take(CALL, &params), OwnCall::Instead { .. });
        assert!(!call());
        tools.page(vec![tool("b"), tool(SEARCH)], false, true);
        assert!(call() && calls(&tools, SEARCH), "the server has it on a later page");
        let page = tools.page(vec![tool("a")], true, false);
        assert_eq!(names(&page), ["forebay_search_2", DESCRIBE, CALL]);
        assert!(call(), "while a list is read");
        tools.page(Vec::new(), false, true);
        assert!(!call());
    }
}
