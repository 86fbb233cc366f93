//! One permission rule: `Tool` or `Tool(specifier)`.

use super::command_pattern::CommandPattern;
use super::path::PathPattern;
use super::web::DomainPattern;
use super::wildcard::{UnknownParts, Wildcard};

/// The list that contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    Deny,
    Ask,
    Allow,
}

impl List {
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// Why a rule is not in effect, or not as written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("it is empty")]
    Empty,
    #[error("its parentheses do not match")]
    Parentheses,
    #[error("`{0}` is not a tool name")]
    ToolName(String),
    #[error("an allow rule takes `*` in a tool name only after a literal mcp__server__")]
    AllowGlob,
    #[error("parameters are matched in deny and ask rules only")]
    AllowParameter,
    #[error("`{0}` is matched by its own specifier, not as a parameter")]
    PrimaryField(String),
    #[error("{0}(path) is never consulted; write Read(path) or Edit(path)")]
    NeverConsulted(String),
    #[error("WebFetch takes only domain:host")]
    NoDomain,
    #[error("a pattern with ! or without text matches nothing")]
    PathPattern,
    #[error("`{0}` takes no specifier of this kind")]
    Specifier(String),
}

/// A compiled rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) tool: ToolPattern,
    pub(crate) specifier: Specifier,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Specifier {
    /// The tool as a whole.
    Whole,
    Command(CommandPattern),
    Path(PathPattern),
    Domain(DomainPattern),
    Parameter(Parameter),
    /// A command pattern or, for a call with such a field, a parameter.
    CommandOrParameter(CommandPattern, Parameter),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) value: Wildcard,
}

/// The name of a tool, or a pattern over names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolPattern {
    Name(String),
    /// `mcp__server`: every tool of the server.
    Server(String),
    Glob(Wildcard),
}

impl ToolPattern {
    pub(crate) fn covers(&self, tool: &str) -> bool {
        match self {
            Self::Name(name) => name == tool,
            Self::Server(prefix) => {
                tool == prefix.trim_end_matches('_') || tool.starts_with(prefix.as_str())
            }
            Self::Glob(glob) => glob.matches(tool, UnknownParts::Closed),
        }
    }
}

impl Rule {
    /// Parses a rule of a settings file.
    pub(crate) fn parse(text: &str, list: List) -> Result<Self, Malformed> {
        let (name, specifier) = split(text.trim())?;
        let tool = tool_pattern(name, list)?;
        let specifier = match specifier.as_deref() {
            None | Some("" | "*") => Specifier::Whole,
            Some(specifier) => parse_specifier(name, specifier, list)?,
        };
        Ok(Self { tool, specifier })
    }
}

/// Splits at the first parenthesis; `\(`, `\)` and `\\` inside are literal.
fn split(text: &str) -> Result<(&str, Option<String>), Malformed> {
    if text.is_empty() {
        return Err(Malformed::Empty);
    }
    let Some((name, rest)) = text.split_once('(') else {
        return if text.contains(')') { Err(Malformed::Parentheses) } else { Ok((text, None)) };
    };
    let inner = rest.strip_suffix(')').ok_or(Malformed::Parentheses)?;
    let specifier = inner.replace("\\(", "(").replace("\\)", ")");
    Ok((name, Some(specifier.trim().to_owned())))
}

fn tool_pattern(name: &str, list: List) -> Result<ToolPattern, Malformed> {
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:*/@".contains(c));
    if !is_name {
        return Err(Malformed::ToolName(name.to_owned()));
    }
    if name.contains('*') {
        if list == List::Allow && !glob_follows_server(name) {
            return Err(Malformed::AllowGlob);
        }
        return Ok(ToolPattern::Glob(Wildcard::from_text(name)));
    }
    if is_server(name) {
        return Ok(ToolPattern::Server(format!("{name}__")));
    }
    Ok(ToolPattern::Name(name.to_owned()))
}

fn is_server(name: &str) -> bool {
    name.strip_prefix("mcp__").is_some_and(|rest| !rest.is_empty() && !rest.contains("__"))
}

fn glob_follows_server(name: &str) -> bool {
    let tool = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    tool.is_some_and(|(server, _)| !server.is_empty() && !server.contains('*'))
}

fn parse_specifier(tool: &str, text: &str, list: List) -> Result<Specifier, Malformed> {
    match tool {
        "Bash" => command(text, list),
        "Read" | "Edit" => {
            PathPattern::parse(text).map(Specifier::Path).ok_or(Malformed::PathPattern)
        }
        "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" => {
            Err(Malformed::NeverConsulted(tool.to_owned()))
        }
        "WebFetch" => DomainPattern::parse(text).map(Specifier::Domain).ok_or(Malformed::NoDomain),
        _ => parameter(tool, text, list),
    }
}

fn command(text: &str, list: List) -> Result<Specifier, Malformed> {
    let pattern = CommandPattern::parse(text);
    match split_parameter(text).filter(|_| list != List::Allow) {
        Some(parameter) if parameter.name != "command" => {
            Ok(Specifier::CommandOrParameter(pattern, parameter))
        }
        Some(parameter) if !parameter.value.matches_everything() => {
            Err(Malformed::PrimaryField(parameter.name))
        }
        _ => Ok(Specifier::Command(pattern)),
    }
}

fn parameter(tool: &str, text: &str, list: List) -> Result<Specifier, Malformed> {
    let Some(parameter) = split_parameter(text) else {
        return Err(Malformed::Specifier(tool.to_owned()));
    };
    if list == List::Allow {
        return Err(Malformed::AllowParameter);
    }
    Ok(Specifier::Parameter(parameter))
}

/// Parses `name:value`; `npm:*` is a command prefix, not a parameter.
fn split_parameter(text: &str) -> Option<Parameter> {
    let (name, value) = text.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !value.is_empty())
        .then(|| Parameter { name: name.to_owned(), value: Wildcard::from_text(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, list: List, expect: &Malformed) {
        assert_eq!(Rule::parse(text, list).as_ref(), Err(expect), "{text}");
    }

    #[track_caller]
    fn covers(text: &str, list: List, tool: &str, expect: bool) {
        assert_eq!(Rule::parse(text, list).unwrap().tool.covers(tool), expect, "{text} {tool}");
    }

    #[test]
    fn names_are_case_sensitive_and_may_have_globs() {
        covers("Bash", List::Allow, "Bash", true);
        covers("bash", List::Deny, "Bash", false);
        covers("mcp__db", List::Allow, "mcp__db__query", true);
        covers("mcp__db", List::Allow, "mcp__dbx__query", false);
        covers("mcp__db__*", List::Allow, "mcp__db__query", true);
        covers("mcp__*", List::Deny, "mcp__db__query", true);
        covers("*", List::Deny, "WebFetch", true);
    }

    #[test]
    fn reports_malformed_rules() {
        refused("", List::Deny, &Malformed::Empty);
        refused("Bash(ls", List::Deny, &Malformed::Parentheses);
        refused("Bash ls)", List::Deny, &Malformed::Parentheses);
        refused("Ba sh", List::Deny, &Malformed::ToolName("Ba sh".into()));
        refused("mcp__*", List::Allow, &Malformed::AllowGlob);
        refused("mcp__d*__x", List::Allow, &Malformed::AllowGlob);
        refused("mcp__db__q(table:x)", List::Allow, &Malformed::AllowParameter);
        refused("Write(src/**)", List::Allow, &Malformed::NeverConsulted("Write".into()));
        refused("WebFetch(https://x)", List::Deny, &Malformed::NoDomain);
        refused("Bash(command:sudo)", List::Deny, &Malformed::PrimaryField("command".into()));
        refused("Read(!x)", List::Deny, &Malformed::PathPattern);
    }

    #[test]
    fn accepts_three_spellings_of_a_whole_tool() {
        for text in ["Bash", "Bash()", "Bash(*)"] {
            assert_eq!(Rule::parse(text, List::Deny).unwrap().specifier, Specifier::Whole);
        }
    }
}
