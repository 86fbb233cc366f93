//! Puts Forebay in front of MCP servers that a settings file starts, and takes it away again.
//!
//! A server is started by a command and its arguments. The command becomes Forebay, and the arguments start with `wrap`, the
//! server's name, Forebay's variables and the command, whose source stays as it is. Every other setting of the server
//! (environment, folder, timeouts) is left alone, and a removal restores the bytes. Servers at a URL are in
//! [`remote_servers`] and, in TOML, in [`remote_toml`].

use std::ops::Range;

use serde_json::Value;

use super::{
    EditError, FileContent, SERVER_NAME, ServerEntry, json, remote_servers, remote_toml, toml,
};

/// In front of the arguments of a server that had none, a space tells that the list is ours too.
const OWN_LIST: &str = "[ ";

/// The command that stands in front of servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    pub program: String,
    /// Forebay's own variables: some hosts pass none on to the servers that they start.
    pub variables: Vec<(String, String)>,
}

impl Wrapper {
    /// The words in front of what a server is.
    pub(super) fn words(&self, name: &str) -> Vec<String> {
        let words = ["wrap", "--name", name].map(str::to_owned).into_iter();
        let variables = self.variables.iter();
        let variables =
            variables.flat_map(|(name, value)| [VARIABLE.to_owned(), format!("{name}={value}")]);
        words.chain(variables).collect()
    }
}

const VARIABLE: &str = "--env";

/// The number of words in front of what a wrapped server is; `None` if the arguments are those of another command.
pub(super) fn words_in_front(arguments: &[&str], name: &str) -> Option<usize> {
    let rest = arguments.strip_prefix(&["wrap", "--name", name])?;
    let variables = rest.chunks(2).take_while(|pair| pair[0] == VARIABLE).count();
    Some(3 + 2 * variables)
}

/// Which servers are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerNames {
    All,
    These(Vec<String>),
}

impl ServerNames {
    pub fn contain(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::These(names) => names.iter().any(|own| own == name),
        }
    }
}

/// A server in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    pub name: String,
    pub kind: ServerKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// Started by a command.
    Program,
    /// Started through Forebay.
    Wrapped,
    /// Reached at an address, with all that a request needs.
    Address,
    /// Reached at an address in a way that is left to the agent.
    Remote,
    /// Reached at an address with a secret in it, which would become visible among the arguments of a process.
    SecretAddress,
}

/// Where a server's command is in a text.
pub(super) enum CommandSpan {
    /// A command, and a list of arguments if there is one.
    Separate { command: Range<usize>, arguments: Option<List>, separator: &'static str },
    /// One list with the command in front.
    Together(List),
}

/// A list of strings in a text.
pub(super) struct List {
    /// Including the brackets.
    pub(super) range: Range<usize>,
    pub(super) items: Vec<Item>,
}

pub(super) struct Item {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The servers of a file, apart from Forebay's own.
pub(super) fn servers(
    text: &str,
    content: FileContent,
) -> Result<Vec<ConfiguredServer>, EditError> {
    let mut servers = Vec::new();
    for name in names(text, content)? {
        let kind = match place(text, content, &name)? {
            _ if Address::new(content, &name).is_wrapped(text)? => ServerKind::Wrapped,
            None if Address::new(content, &name).can_wrap(text)? => ServerKind::Address,
            None if Address::new(content, &name).has_secret(text)? => ServerKind::SecretAddress,
            None => ServerKind::Remote,
            Some(place) if place.is_wrapped(&name) => ServerKind::Wrapped,
            Some(_) => ServerKind::Program,
        };
        servers.push(ConfiguredServer { name, kind });
    }
    Ok(servers)
}

/// Has servers started through a command; those that are already name this one from now on.
pub(super) fn wrap(
    text: &str,
    content: FileContent,
    wanted: &ServerNames,
    wrapper: &Wrapper,
) -> Result<String, EditError> {
    let mut edited = unwrap(text, content, wanted)?;
    for name in names(&edited, content)?.iter().filter(|name| wanted.contain(name)) {
        let Some(place) = place(&edited, content, name)? else {
            let address = Address::new(content, name);
            if address.can_wrap(&edited)? {
                edited = address.wrap(&edited, wrapper)?;
            }
            continue;
        };
        edited = place.wrapped(&edited, name, wrapper);
        // The file may have a layout in which a list cannot be added where this module adds it.
        let is_wrapped = place_is_wrapped(&edited, content, name);
        is_wrapped.then_some(()).ok_or_else(|| EditError::UnexpectedType(name.clone()))?;
    }
    Ok(edited)
}

/// Restores how servers were started.
pub(super) fn unwrap(
    text: &str,
    content: FileContent,
    wanted: &ServerNames,
) -> Result<String, EditError> {
    let mut edited = text.to_owned();
    for name in names(text, content)?.iter().filter(|name| wanted.contain(name)) {
        edited = Address::new(content, name).unwrap(&edited)?;
        if let Some(place) = place(&edited, content, name)?
            && place.is_wrapped(name)
        {
            edited = place.unwrapped(&edited, name);
        }
    }
    Ok(edited)
}

fn place_is_wrapped(text: &str, content: FileContent, name: &str) -> bool {
    matches!(place(text, content, name), Ok(Some(place)) if place.is_wrapped(name))
}

/// The entry of a server that may be reached at an address.
enum Address<'a> {
    Json { path: [&'a str; 2], entry: ServerEntry },
    Toml(&'a str),
    None,
}

impl<'a> Address<'a> {
    fn new(content: FileContent, name: &'a str) -> Self {
        match content {
            FileContent::McpServers { key, entry } => Self::Json { path: [key, name], entry },
            FileContent::TomlMcpServers => Self::Toml(name),
            _ => Self::None,
        }
    }

    fn can_wrap(&self, text: &str) -> Result<bool, EditError> {
        match self {
            Self::Json { path, entry } => remote_servers::can_wrap(text, path, *entry),
            Self::Toml(name) => remote_toml::can_wrap(text, name),
            Self::None => Ok(false),
        }
    }

    fn has_secret(&self, text: &str) -> Result<bool, EditError> {
        let address = match self {
            Self::Json { path, .. } => remote_servers::read_address(text, path)?,
            Self::Toml(name) => remote_toml::read_address(text, name)?,
            Self::None => None,
        };
        Ok(address.is_some_and(|address| remote_servers::has_secret(&address)))
    }

    fn is_wrapped(&self, text: &str) -> Result<bool, EditError> {
        match self {
            Self::Json { path, entry } => remote_servers::is_wrapped(text, path, *entry),
            Self::Toml(name) => remote_toml::is_wrapped(text, name),
            Self::None => Ok(false),
        }
    }

    fn wrap(&self, text: &str, wrapper: &Wrapper) -> Result<String, EditError> {
        match self {
            Self::Json { path, entry } => remote_servers::wrap(text, path, *entry, wrapper),
            Self::Toml(name) => remote_toml::wrap(text, name, wrapper),
            Self::None => Ok(text.to_owned()),
        }
    }

    fn unwrap(&self, text: &str) -> Result<String, EditError> {
        match self {
            Self::Json { path, entry } => remote_servers::unwrap(text, path, *entry),
            Self::Toml(name) => remote_toml::unwrap(text, name),
            Self::None => Ok(text.to_owned()),
        }
    }
}

fn names(text: &str, content: FileContent) -> Result<Vec<String>, EditError> {
    let mut names = match content {
        FileContent::McpServers { key, .. } => json::names(text, &[key])?,
        FileContent::TomlMcpServers => toml::server_names(text)?,
        _ => Vec::new(),
    };
    names.retain(|name| name != SERVER_NAME);
    Ok(names)
}

/// Where a server's command is; `None` if it is not started by one.
fn place(text: &str, content: FileContent, name: &str) -> Result<Option<CommandSpan>, EditError> {
    match content {
        FileContent::McpServers { key, .. } => json_place(text, &[key, name]),
        FileContent::TomlMcpServers => toml::command_place(text, name),
        _ => Ok(None),
    }
}

fn json_place(text: &str, path: &[&str]) -> Result<Option<CommandSpan>, EditError> {
    let below = |last| [path, &[last]].concat();
    let command = below("command");
    Ok(match json::get(text, &command)? {
        Some(Value::String(_)) => {
            let arguments = match json::get(text, &below("args"))? {
                Some(_) => Some(json_list(text, &below("args"))?),
                None => None,
            };
            let separator = ", \"args\": ";
            json::range(text, &command)?.map(|command| CommandSpan::Separate {
                command,
                arguments,
                separator,
            })
        }
        Some(Value::Array(_)) => Some(CommandSpan::Together(json_list(text, &command)?)),
        _ => None,
    })
}

fn json_list(text: &str, path: &[&str]) -> Result<List, EditError> {
    json::strings(text, path)?.ok_or_else(|| EditError::UnexpectedType(path.join(".")))
}

impl CommandSpan {
    /// The words behind the program.
    fn arguments(&self) -> Vec<&str> {
        let (list, program) = match self {
            Self::Separate { arguments: None, .. } => return Vec::new(),
            Self::Separate { arguments: Some(list), .. } => (list, 0),
            Self::Together(list) => (list, 1),
        };
        list.items.iter().skip(program).map(|item| item.text.as_str()).collect()
    }

    fn is_wrapped(&self, name: &str) -> bool {
        self.wrap_words(name).is_some()
    }

    /// The number of our words, `wrap --name NAME --`, if a command follows.
    fn wrap_words(&self, name: &str) -> Option<usize> {
        let arguments = self.arguments();
        let end = words_in_front(&arguments, name)?;
        let is_command = arguments.get(end) == Some(&"--") && arguments.len() > end + 1;
        is_command.then_some(end + 1)
    }

    fn wrapped(&self, text: &str, name: &str, wrapper: &Wrapper) -> String {
        let program = Value::from(wrapper.program.as_str()).to_string();
        let words = wrapper.words(name).into_iter().chain(["--".to_owned()]);
        let words: Vec<String> = words.map(|word| Value::from(word).to_string()).collect();
        let words = words.join(", ");
        match self {
            Self::Separate { command, arguments, separator } => {
                let words = format!("{words}, {}", &text[command.clone()]);
                match arguments {
                    None => {
                        let replaced = format!("{program}{separator}{OWN_LIST}{words}]");
                        edited(text, vec![(command.clone(), replaced)])
                    }
                    Some(list) => {
                        edited(text, vec![(command.clone(), program), list.insertion(&words)])
                    }
                }
            }
            Self::Together(list) => {
                edited(text, vec![list.insertion(&format!("{program}, {words}"))])
            }
        }
    }

    fn unwrapped(&self, text: &str, name: &str) -> String {
        let Some(words) = self.wrap_words(name) else { return text.to_owned() };
        match self {
            Self::Separate { command, arguments: Some(list), .. } => {
                let original = text[list.items[words].range.clone()].to_owned();
                let is_own = list.items.len() == words + 1
                    && text[list.range.clone()].starts_with(OWN_LIST)
                    && list.range.start > command.end;
                if is_own {
                    return edited(text, vec![(command.start..list.range.end, original)]);
                }
                edited(text, vec![(command.clone(), original), list.removal(text, words + 1)])
            }
            Self::Separate { arguments: None, .. } => text.to_owned(),
            Self::Together(list) => edited(text, vec![list.removal(text, words + 1)]),
        }
    }
}

impl List {
    /// Inserts items in front.
    fn insertion(&self, items: &str) -> (Range<usize>, String) {
        let at = self.range.start + 1;
        let separator = if self.items.is_empty() { "" } else { "," };
        (at..at, format!("{items}{separator}"))
    }

    /// Removes the first items, which must be there.
    fn removal(&self, text: &str, count: usize) -> (Range<usize>, String) {
        let (start, end) = (self.items[0].range.start, self.items[count - 1].range.end);
        let rest = &text[end..self.range.end];
        let spaces = rest.len() - rest.trim_start().len();
        let has_comma = rest.trim_start().starts_with(',');
        (start..if has_comma { end + spaces + 1 } else { end }, String::new())
    }
}

/// Applies edits that do not overlap.
pub(super) fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut edited = text.to_owned();
    for (range, replacement) in edits {
        edited.replace_range(range, &replacement);
    }
    edited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::ServerEntry;

    const JSON: FileContent =
        FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain };
    const OPENCODE: FileContent =
        FileContent::McpServers { key: "mcp", entry: ServerEntry::OpenCode };

    fn wrapper(program: &str) -> Wrapper {
        Wrapper { program: program.to_owned(), variables: Vec::new() }
    }

    #[track_caller]
    fn check(content: FileContent, before: &str, after: &str) {
        let wrapped = wrap(before, content, &ServerNames::All, &wrapper("/bin/forebay")).unwrap();
        assert_eq!(wrapped, after);
        assert_eq!(unwrap(&wrapped, content, &ServerNames::All).unwrap(), before);
        let again = wrap(&wrapped, content, &ServerNames::All, &wrapper("/bin/forebay")).unwrap();
        assert_eq!(again, wrapped, "idempotent");
        let moved = wrap(&wrapped, content, &ServerNames::All, &wrapper("/new/forebay")).unwrap();
        assert_eq!(moved, wrapped.replace("/bin/forebay", "/new/forebay"));
        let with_variables = Wrapper {
            variables: vec![("FOREBAY_HOME".to_owned(), "/data \"x\"".to_owned())],
            ..wrapper("/bin/forebay")
        };
        let wrapped = wrap(before, content, &ServerNames::All, &with_variables).unwrap();
        let count = servers(before, content).unwrap().len();
        assert_eq!(wrapped.matches(r#""--env", "FOREBAY_HOME=/data \"x\"""#).count(), count);
        assert_eq!(unwrap(&wrapped, content, &ServerNames::All).unwrap(), before);
        let without = wrap(&wrapped, content, &ServerNames::All, &wrapper("/bin/forebay")).unwrap();
        assert_eq!(without, after);
    }

    #[test]
    fn json_servers_are_wrapped_and_restored() {
        check(
            JSON,
            r#"{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "x"], "env": { "K": "1" } } } }"#,
            r#"{ "mcpServers": { "a": { "command": "/bin/forebay", "args": ["wrap", "--name", "a", "--", "npx","-y", "x"], "env": { "K": "1" } } } }"#,
        );
        // Arguments before the command, on lines of their own, with comments.
        check(
            JSON,
            "{\n  // mine\n  \"mcpServers\": {\n    \"a b\": {\n      \"args\": [\n        \"-y\", // yes\n      ],\n      \"command\": \"n\\u0070x\"\n    }\n  }\n}\n",
            "{\n  // mine\n  \"mcpServers\": {\n    \"a b\": {\n      \"args\": [\"wrap\", \"--name\", \"a b\", \"--\", \"n\\u0070x\",\n        \"-y\", // yes\n      ],\n      \"command\": \"/bin/forebay\"\n    }\n  }\n}\n",
        );
        check(
            JSON,
            r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","args":[]},"c":{"command":"z","args":[ ]}}}"#,
            r#"{"mcpServers":{"a":{"command":"/bin/forebay", "args": [ "wrap", "--name", "a", "--", "x"]},"b":{"command":"/bin/forebay","args":["wrap", "--name", "b", "--", "y"]},"c":{"command":"/bin/forebay","args":["wrap", "--name", "c", "--", "z" ]}}}"#,
        );
        check(
            OPENCODE,
            r#"{ "mcp": { "a": { "type": "local", "command": ["npx", "x"], "environment": {} } } }"#,
            r#"{ "mcp": { "a": { "type": "local", "command": ["/bin/forebay", "wrap", "--name", "a", "--","npx", "x"], "environment": {} } } }"#,
        );
    }

    #[test]
    fn toml_servers_are_wrapped_and_restored() {
        let toml = FileContent::TomlMcpServers;
        check(
            toml,
            "model = \"x\"\n\n[mcp_servers.a]\ncommand = 'npx' # c\nargs = [\"-y\",\n  \"x\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.a.env]\nK = \"1\"\n",
            "model = \"x\"\n\n[mcp_servers.a]\ncommand = \"/bin/forebay\" # c\nargs = [\"wrap\", \"--name\", \"a\", \"--\", 'npx',\"-y\",\n  \"x\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.a.env]\nK = \"1\"\n",
        );
        check(
            toml,
            "[mcp_servers]\nb = { command = \"y\", env = { K = \"1\" } }\n",
            "[mcp_servers]\nb = { command = \"/bin/forebay\", args = [ \"wrap\", \"--name\", \"b\", \"--\", \"y\"], env = { K = \"1\" } }\n",
        );
        check(
            toml,
            "[mcp_servers.\"a.b\"]\ncommand = \"y\"\n[other]\n",
            "[mcp_servers.\"a.b\"]\ncommand = \"/bin/forebay\"\nargs = [ \"wrap\", \"--name\", \"a.b\", \"--\", \"y\"]\n[other]\n",
        );
    }

    #[test]
    fn other_servers_stay() {
        let text = r#"{"mcpServers":{"forebay":{"command":"forebay","args":["mcp"]},"r":{"url":"https://x.test"},"a":{"command":"x"},"b":{"command":"y"}}}"#;
        let wanted = ServerNames::These(vec!["b".into(), "r".into(), "forebay".into()]);
        let wrapped = wrap(text, JSON, &wanted, &wrapper("forebay")).unwrap();
        let found: Vec<(String, ServerKind)> =
            servers(&wrapped, JSON).unwrap().into_iter().map(|one| (one.name, one.kind)).collect();
        assert_eq!(
            found,
            [("r", ServerKind::Remote), ("a", ServerKind::Program), ("b", ServerKind::Wrapped)]
                .map(|(name, kind)| (name.to_owned(), kind))
        );
        for text in ["", "\n", "{}", "{\"mcpServers\":{}}"] {
            assert_eq!(wrap(text, JSON, &ServerNames::All, &wrapper("forebay")).unwrap(), text);
        }
        assert_eq!(
            wrap("", FileContent::TomlMcpServers, &ServerNames::All, &wrapper("f")).unwrap(),
            ""
        );
        assert!(wrap("{", JSON, &ServerNames::All, &wrapper("forebay")).is_err());
    }

    #[test]
    fn servers_with_secrets_in_their_address_are_told_apart() {
        let json = r#"{"mcpServers":{"a":{"url":"https://x.test?token=t","headers":{"A":"x"}}}}"#;
        let toml = "[mcp_servers.a]\nurl = \"https://u:p@x.test\"\n";
        for (text, content) in [(json, JSON), (toml, FileContent::TomlMcpServers)] {
            assert_eq!(
                servers(text, content).unwrap()[0].kind,
                ServerKind::SecretAddress,
                "{text}"
            );
            assert_eq!(wrap(text, content, &ServerNames::All, &wrapper("f")).unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_its_host_has_rewritten_is_restored_in_meaning() {
        let text = r#"{"mcpServers":{"a":{"command":"npx","args":["-y"]},"b":{"command":"x"}}}"#;
        let wrapped = wrap(text, JSON, &ServerNames::All, &wrapper("forebay")).unwrap();
        let parsed: Value = serde_json::from_str(&wrapped).unwrap();
        let unwrapped = unwrap(&format!("{parsed:#}"), JSON, &ServerNames::All).unwrap();
        let restored: Value = serde_json::from_str(&unwrapped).unwrap();
        let servers = &restored["mcpServers"];
        assert_eq!(servers["a"], serde_json::json!({ "command": "npx", "args": ["-y"] }));
        assert_eq!(servers["b"], serde_json::json!({ "command": "x", "args": [] }));
    }
}
