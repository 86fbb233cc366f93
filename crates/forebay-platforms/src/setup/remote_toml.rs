//! Puts Forebay in front of an MCP server that Codex reaches at a URL, and takes it away again.
//!
//! The lines that say how the server is reached become comments with a mark, and lines that start Forebay, with another mark,
//! take their place. Codex keeps comments when it rewrites the file. Codex passes only those variables on that an entry
//! names, so the ones with a token are named.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, InlineTable, Item, Table, TableLike};

use super::remote_servers::{has_secret, is_on_this_machine, variable};
use super::wrapped_servers::{Wrapper, words_in_front};
use super::{EditError, line_ending};

const SERVERS: &str = "mcp_servers";
const URL: &str = "--url";
/// In front of the variable of a token and a closing brace.
const TOKEN_HEADER: &str = "Authorization: Bearer ${";
/// In front of a line that is restored.
const KEPT: &str = "#forebay# ";
/// Behind a line that is removed.
const ADDED: &str = " # by forebay";
/// The keys whose lines are replaced.
const REPLACED: [&str; 4] = ["url", "bearer_token_env_var", "http_headers", "env_http_headers"];
/// What tells that Codex does more for a server than to send headers, or that the entry is of another kind.
const OTHERS: [&str; 8] =
    ["args", "command", "env", "env_vars", "cwd", "oauth", "oauth_resource", "scopes"];

/// The keys of an entry that starts Forebay.
const STARTED: [&str; 4] = ["command", "args", "env", "env_vars"];

/// How a server is reached.
struct Reached {
    url: String,
    token_variable: Option<String>,
    headers: Vec<(String, String)>,
    header_variables: Vec<(String, String)>,
}

impl Reached {
    /// `None` if the table says less or more than what a request needs.
    fn read(table: &Table) -> Option<Self> {
        let text = |key: &str| match table.get(key) {
            None => Some(None),
            Some(item) => item.as_str().map(|text| Some(text.to_owned())),
        };
        let pairs = |key: &str| match table.get(key) {
            None => Some(Vec::new()),
            Some(item) => texts_of(item.as_table_like()?),
        };
        let reached = Self {
            url: text("url")??,
            token_variable: text("bearer_token_env_var")?,
            headers: pairs("http_headers")?,
            header_variables: pairs("env_http_headers")?,
        };
        let signs_in_itself = reached.token_variable.is_some()
            || !reached.headers.is_empty()
            || !reached.header_variables.is_empty();
        let is_plain = !OTHERS.iter().any(|key| table.contains_key(key));
        (is_plain && (signs_in_itself || is_on_this_machine(&reached.url))).then_some(reached)
    }

    /// `None` also if the address has a secret, which must not stand among arguments.
    fn read_public(table: &Table) -> Option<Self> {
        Self::read(table).filter(|reached| !has_secret(&reached.url))
    }

    /// What the arguments of an entry say that starts Forebay.
    fn from_arguments(table: &Table, name: &str) -> Option<Self> {
        let words = read_arguments(table)?;
        let front = words_in_front(&words, name)?;
        let (_, rest) = words.get(front..)?.split_first().filter(|(first, _)| **first == URL)?;
        let (url, rest) = rest.split_first()?;
        let environment = table.get("env").and_then(Item::as_table_like).and_then(texts_of);
        let environment = environment.unwrap_or_default();
        let mut reached = Self {
            url: (*url).to_owned(),
            token_variable: None,
            headers: Vec::new(),
            header_variables: Vec::new(),
        };
        for pair in rest.chunks(2) {
            match pair {
                ["--header", header] => {
                    let token = header.strip_prefix(TOKEN_HEADER)?.strip_suffix('}')?;
                    reached.token_variable = Some(token.to_owned());
                }
                ["--header-env", header] => {
                    let (header, own) = header.split_once('=')?;
                    let value = environment.iter().find(|(key, _)| key == own);
                    let (list, text) = match value {
                        Some((_, value)) => (&mut reached.headers, value.as_str()),
                        None => (&mut reached.header_variables, own),
                    };
                    list.push((header.to_owned(), text.to_owned()));
                }
                _ => return None,
            }
        }
        Some(reached)
    }

    fn write(&self, table: &mut Table) {
        let texts = |pairs: &[(String, String)]| {
            let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
            toml_edit::value(pairs.collect::<InlineTable>())
        };
        table.insert("url", toml_edit::value(self.url.as_str()));
        if let Some(token) = &self.token_variable {
            table.insert("bearer_token_env_var", toml_edit::value(token.as_str()));
        }
        if !self.headers.is_empty() {
            table.insert("http_headers", texts(&self.headers));
        }
        if !self.header_variables.is_empty() {
            table.insert("env_http_headers", texts(&self.header_variables));
        }
    }

    /// The lines that start Forebay.
    fn lines(&self, name: &str, wrapper: &Wrapper) -> Vec<String> {
        let mut words = wrapper.words(name);
        words.extend([URL.to_owned(), self.url.clone()]);
        if let Some(token) = &self.token_variable {
            words.extend(["--header".to_owned(), format!("{TOKEN_HEADER}{token}}}")]);
        }
        let mut variables: Vec<&String> = self.token_variable.iter().collect();
        for (header, own) in &self.header_variables {
            words.extend(["--header-env".to_owned(), format!("{header}={own}")]);
            variables.push(own);
        }
        for (header, _) in &self.headers {
            let own = variable(name, header);
            words.extend(["--header-env".to_owned(), format!("{header}={own}")]);
        }
        let mut lines = vec![
            format!("command = {}", quoted(&wrapper.program)),
            format!("args = {}", list(words.iter())),
        ];
        if !variables.is_empty() {
            lines.push(format!("env_vars = {}", list(variables.into_iter())));
        }
        if !self.headers.is_empty() {
            let pairs = self.headers.iter();
            let pairs = pairs
                .map(|(header, value)| format!("{} = {}", variable(name, header), quoted(value)));
            lines.push(format!("env = {{ {} }}", pairs.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// Whether an entry can be changed.
pub(super) fn can_wrap(text: &str, name: &str) -> Result<bool, EditError> {
    let document = parse(text)?;
    Ok(table_of(&document, name).and_then(Reached::read_public).is_some())
}

/// The address of an entry that is reached at one.
pub(super) fn read_address(text: &str, name: &str) -> Result<Option<String>, EditError> {
    let document = parse(text)?;
    let entry = document.get(SERVERS).and_then(|servers| servers.get(name));
    let address = entry.and_then(|entry| entry.get("url")).and_then(Item::as_str);
    Ok(address.map(str::to_owned))
}

/// Whether an entry was changed by [`wrap`].
pub(super) fn is_wrapped(text: &str, name: &str) -> Result<bool, EditError> {
    let document = parse(text)?;
    Ok(table_of(&document, name).and_then(read_arguments).is_some_and(|words| {
        words_in_front(&words, name).is_some_and(|front| words.get(front) == Some(&URL))
    }))
}

fn read_arguments(table: &Table) -> Option<Vec<&str>> {
    table.get("args")?.as_array()?.iter().map(toml_edit::Value::as_str).collect()
}

/// Has Forebay reach the server.
pub(super) fn wrap(text: &str, name: &str, wrapper: &Wrapper) -> Result<String, EditError> {
    let document = parse(text)?;
    let Some(table) = table_of(&document, name) else { return Ok(text.to_owned()) };
    let Some(reached) = Reached::read_public(table) else { return Ok(text.to_owned()) };
    let newline = line_ending(text);
    let replaced: Vec<Range<usize>> =
        REPLACED.iter().filter_map(|key| source_of(table, key)).collect();
    let url = source_of(table, "url").map_or(0, |source| source.start);
    let lines = reached.lines(name, wrapper);
    let added: String = lines.iter().map(|line| format!("{line}{ADDED}{newline}")).collect();
    let mut edited = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let is_replaced =
            replaced.iter().any(|source| source.start < span.end && span.start < source.end);
        if span.contains(&url) {
            edited.push_str(&added);
        }
        if is_replaced {
            edited.push_str(KEPT);
        }
        edited.push_str(line);
    }
    parse(&edited)?;
    if is_wrapped(&edited, name)? && unwrap(&edited, name)? == text {
        return Ok(edited);
    }
    Err(EditError::UnexpectedType(format!("{SERVERS}.{name}")))
}

/// Restores how a server was reached, if need be from the arguments: Codex may have dropped the marks.
pub(super) fn unwrap(text: &str, name: &str) -> Result<String, EditError> {
    if !is_wrapped(text, name)? {
        return Ok(text.to_owned());
    }
    let restored = with_restored_lines(text, name)?;
    let is_restored = parse(&restored)
        .is_ok_and(|document| table_of(&document, name).and_then(Reached::read).is_some());
    if is_restored { Ok(restored) } else { rebuilt(text, name) }
}

/// The text with its kept lines in place of those that were added.
fn with_restored_lines(text: &str, name: &str) -> Result<String, EditError> {
    edit_lines(text, name, |line| {
        let is_added = line.trim_end().ends_with(ADDED);
        (!is_added).then(|| line.strip_prefix(KEPT).unwrap_or(line).to_owned())
    })
}

/// Edits the lines of an entry; a line is left out where `edit` returns `None`.
fn edit_lines(
    text: &str,
    name: &str,
    edit: impl Fn(&str) -> Option<String>,
) -> Result<String, EditError> {
    let document = parse(text)?;
    let entry = table_of(&document, name).map_or(0..0, |table| extent(&document, table, text));
    let mut edited = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_inside = entry.contains(&at);
        at += line.len();
        if is_inside {
            edited.push_str(&edit(line).unwrap_or_default());
        } else {
            edited.push_str(line);
        }
    }
    Ok(edited)
}

/// The text with an entry made from the arguments of the one that starts Forebay.
fn rebuilt(text: &str, name: &str) -> Result<String, EditError> {
    let plain = edit_lines(text, name, |line| {
        let is_kept = line.starts_with(KEPT.trim_end());
        (!is_kept).then(|| line.replace(ADDED, ""))
    })?;
    let document = parse(&plain)?;
    let Some(reached) =
        table_of(&document, name).and_then(|table| Reached::from_arguments(table, name))
    else {
        return Ok(text.to_owned());
    };
    let mut document = document.into_mut();
    let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
    let entry = servers.and_then(|servers| servers.get_mut(name)).and_then(Item::as_table_mut);
    let Some(entry) = entry else { return Ok(text.to_owned()) };
    for key in STARTED {
        entry.remove(key);
    }
    reached.write(entry);
    Ok(document.to_string())
}

/// From the header of a table to that of the next one that does not belong to it.
fn extent(document: &Document<String>, table: &Table, text: &str) -> Range<usize> {
    let mut starts = Vec::new();
    table_starts(document.as_table(), &mut starts);
    let mut own = Vec::new();
    table_starts(table, &mut own);
    let start = own.iter().copied().min().unwrap_or_default();
    let next = starts.into_iter().filter(|at| *at > start && !own.contains(at)).min();
    start..next.unwrap_or(text.len())
}

fn table_starts(table: &Table, starts: &mut Vec<usize>) {
    if !table.is_implicit() {
        starts.extend(table.span().map(|span| span.start));
    }
    for (_, item) in table {
        match item {
            Item::Table(inner) => table_starts(inner, starts),
            Item::ArrayOfTables(several) => {
                several.iter().for_each(|inner| table_starts(inner, starts));
            }
            _ => {}
        }
    }
}

/// The table of a server that has a header of its own.
fn table_of<'a>(document: &'a Document<String>, name: &str) -> Option<&'a Table> {
    let table = document.get(SERVERS)?.get(name)?.as_table()?;
    (!table.is_implicit() && !table.is_dotted()).then_some(table)
}

/// From a key, or the header of its table, to the end of its value.
fn source_of(table: &Table, key: &str) -> Option<Range<usize>> {
    let (written, item) = table.get_key_value(key)?;
    let Item::Table(inner) = item else {
        return Some(written.span()?.start..item.span()?.end);
    };
    let header = inner.span()?;
    let values = inner.iter().filter_map(|(_, value)| value.span());
    Some(header.start..values.map(|span| span.end).fold(header.end, usize::max))
}

fn texts_of(table: &dyn TableLike) -> Option<Vec<(String, String)>> {
    table.iter().map(|(key, value)| Some((key.to_owned(), value.as_str()?.to_owned()))).collect()
}

fn list<'a>(words: impl Iterator<Item = &'a String>) -> String {
    format!("[{}]", words.map(|word| quoted(word)).collect::<Vec<_>>().join(", "))
}

/// A text as JSON writes it, which TOML reads too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn parse(text: &str) -> Result<Document<String>, EditError> {
    Document::parse(text.to_owned()).map_err(|error| EditError::Parse(error.message().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(variables: &[(&str, &str)]) -> Wrapper {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Wrapper { program: "/bin/forebay".to_owned(), variables: variables.collect() }
    }

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert!(can_wrap(before, "far").unwrap(), "{before}");
        let wrapped = wrap(before, "far", &wrapper(&[])).unwrap();
        assert_eq!(wrapped, after);
        assert!(is_wrapped(&wrapped, "far").unwrap() && !can_wrap(&wrapped, "far").unwrap());
        assert_eq!(unwrap(&wrapped, "far").unwrap(), before);
        let carrying = wrap(before, "far", &wrapper(&[("FOREBAY_HOME", "/d")])).unwrap();
        assert!(carrying.contains(r#""far", "--env", "FOREBAY_HOME=/d", "--url""#), "{carrying}");
        assert_eq!(unwrap(&carrying, "far").unwrap(), before);
    }

    #[test]
    fn entries_with_tokens_and_headers_are_changed_and_restored() {
        check(
            "model = \"x\"\n[mcp_servers.far]\nurl = 'https://a.example/mcp' # mine\nbearer_token_env_var = \"TOKEN\"\nenabled = true\n\n[other]\nx = 1\n",
            "model = \"x\"\n[mcp_servers.far]\ncommand = \"/bin/forebay\" # by forebay\nargs = [\"wrap\", \"--name\", \"far\", \"--url\", \"https://a.example/mcp\", \"--header\", \"Authorization: Bearer ${TOKEN}\"] # by forebay\nenv_vars = [\"TOKEN\"] # by forebay\n#forebay# url = 'https://a.example/mcp' # mine\n#forebay# bearer_token_env_var = \"TOKEN\"\nenabled = true\n\n[other]\nx = 1\n",
        );
        check(
            "[mcp_servers.far]\nstartup_timeout_sec = 9\nurl = \"https://a.example/mcp\"\n\n[mcp_servers.far.http_headers]\n# why\nX-Team = \"blue\"\n\n[mcp_servers.far.env_http_headers]\nX-Key = \"KEY\"",
            "[mcp_servers.far]\nstartup_timeout_sec = 9\ncommand = \"/bin/forebay\" # by forebay\nargs = [\"wrap\", \"--name\", \"far\", \"--url\", \"https://a.example/mcp\", \"--header-env\", \"X-Key=KEY\", \"--header-env\", \"X-Team=MCP_FAR_X_TEAM\"] # by forebay\nenv_vars = [\"KEY\"] # by forebay\nenv = { MCP_FAR_X_TEAM = \"blue\" } # by forebay\n#forebay# url = \"https://a.example/mcp\"\n\n#forebay# [mcp_servers.far.http_headers]\n#forebay# # why\n#forebay# X-Team = \"blue\"\n\n#forebay# [mcp_servers.far.env_http_headers]\n#forebay# X-Key = \"KEY\"",
        );
        check(
            "[mcp_servers.far]\r\nurl = \"http://127.0.0.1:9/mcp\"\r\n[mcp_servers.near]\r\ncommand = \"x\"\r\n",
            "[mcp_servers.far]\r\ncommand = \"/bin/forebay\" # by forebay\r\nargs = [\"wrap\", \"--name\", \"far\", \"--url\", \"http://127.0.0.1:9/mcp\"] # by forebay\r\n#forebay# url = \"http://127.0.0.1:9/mcp\"\r\n[mcp_servers.near]\r\ncommand = \"x\"\r\n",
        );
    }

    #[track_caller]
    fn check_after_change(before: &str, change: impl Fn(&str) -> String) {
        let changed = change(&wrap(before, "far", &wrapper(&[("FOREBAY_HOME", "/d")])).unwrap());
        let restored = unwrap(&changed, "far").unwrap();
        let values = |text: &str| text.parse::<toml_edit::DocumentMut>().unwrap();
        let (found, expect) = (values(&restored), values(before));
        let reached = |document: &toml_edit::DocumentMut| {
            let table = document[SERVERS]["far"].as_table().unwrap();
            let Reached { url, token_variable, headers, header_variables } =
                Reached::read(table).unwrap();
            (url, token_variable, headers, header_variables)
        };
        assert_eq!(reached(&found), reached(&expect), "{restored}");
        assert!(!restored.contains("forebay"), "{restored}");
        assert_eq!(found["other"]["x"].as_integer(), Some(1));
    }

    #[test]
    fn entries_are_restored_after_codex_has_rewritten_the_file() {
        let before = "[mcp_servers.far]\nurl = \"https://a.example/mcp\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = { X-Team = \"blue\" }\nenv_http_headers = { X-Key = \"KEY\" }\n\n[other]\nx = 1\n";
        let without = |text: &str, is_dropped: &dyn Fn(&str) -> bool| -> String {
            text.split_inclusive('\n').filter(|line| !is_dropped(line)).collect()
        };
        check_after_change(before, str::to_owned);
        check_after_change(before, |text| {
            without(text, &|line| line.starts_with('#')).replace(ADDED, "")
        });
        check_after_change(before, |text| without(text, &|line| line.starts_with('#')));
        check_after_change(before, |text| text.replace(ADDED, ""));
        check_after_change(before, |text| without(text, &|line| line.starts_with("#forebay# url")));
        check_after_change(before, |text| {
            let plain = without(text, &|line| line.starts_with('#')).replace(ADDED, "");
            let table = "[mcp_servers.far.env]\nMCP_FAR_X_TEAM = \"blue\"\n\n[other]";
            let plain = without(&plain, &|line| line.starts_with("env = "));
            plain.replace("[other]", table)
        });
    }

    #[test]
    fn two_servers_are_told_apart() {
        let text = "[mcp_servers.far]\nurl = \"http://localhost/a\"\n\n[mcp_servers.near]\nurl = \"http://localhost/b\"\n";
        let both = wrap(&wrap(text, "far", &wrapper(&[])).unwrap(), "near", &wrapper(&[])).unwrap();
        let one = unwrap(&both, "far").unwrap();
        assert!(!is_wrapped(&one, "far").unwrap() && is_wrapped(&one, "near").unwrap());
        assert_eq!(unwrap(&one, "near").unwrap(), text);
    }

    #[test]
    fn entries_that_may_need_more_than_headers_stay() {
        for lines in [
            "url = \"https://a.example/mcp\"",
            "url = \"https://a.example/mcp\"\nbearer_token_env_var = \"T\"\nscopes = [\"a\"]",
            "url = \"https://a.example/mcp\"\nhttp_headers = { A = 1 }",
            "url = \"https://a.example/mcp?token=t\"\nhttp_headers = { A = \"1\" }",
            "command = \"x\"",
        ] {
            let text = format!("[mcp_servers.far]\n{lines}\n");
            assert!(!can_wrap(&text, "far").unwrap(), "{lines}");
            assert_eq!(wrap(&text, "far", &wrapper(&[])).unwrap(), text);
        }
        let inline = "[mcp_servers]\nfar = { url = \"http://localhost/x\" }\n";
        assert!(!can_wrap(inline, "far").unwrap());
    }
}
