//! Edits JSON with comments and trailing commas so that the edit can be undone exactly.
//!
//! A parser locates the values; an edit inserts a few bytes between them and leaves all others unchanged.
//! To undo an edit, the code must know whether the container of an entry existed before. The layout shows
//! it: an entry of an existing empty container goes on the line of the opening bracket, an entry of a new
//! container on a line of its own.

use std::ops::Range;

use jsonc_parser::ast::{self, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::wrapped_servers::{Item, List};
use super::{EditError, line_ending};

const DEFAULT_INDENT: &str = "  ";

/// Sets a property; creates missing objects on the path.
pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let parsed = Parsed::parse(text)?;
    match parsed.walk(path)? {
        Walk::Found(trail) => Ok(parsed.replaced(trail.value, value)),
        Walk::Missing { parent, from } => Ok(parsed.inserted(parent, path, from, value)),
    }
}

/// Removes a property and the containers that were created for it.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let parsed = Parsed::parse(text)?;
    match parsed.walk(path)? {
        Walk::Found(trail) => Ok(parsed.without(&trail)),
        Walk::Missing { .. } => Ok(text.to_owned()),
    }
}

/// Returns the value of a property.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    let parsed = Parsed::parse(text)?;
    match parsed.walk(path)? {
        Walk::Found(trail) => Ok(parsed.value(trail.value)),
        Walk::Missing { .. } => Ok(None),
    }
}

/// The range of a value in the text.
pub(super) fn range(text: &str, path: &[&str]) -> Result<Option<Range<usize>>, EditError> {
    match Parsed::parse(text)?.walk(path)? {
        Walk::Found(trail) => Ok(Some(trail.value)),
        Walk::Missing { .. } => Ok(None),
    }
}

/// The range of a property, from its name to the end of its value.
pub(super) fn property_range(text: &str, path: &[&str]) -> Result<Option<Range<usize>>, EditError> {
    let Walk::Found(trail) = Parsed::parse(text)?.walk(path)? else { return Ok(None) };
    Ok(trail.steps.last().map(|(container, index)| container.items[*index].clone()))
}

/// The names of an object's properties, in order; of a name that is there twice, one.
pub(super) fn names(text: &str, path: &[&str]) -> Result<Vec<String>, EditError> {
    let object = get(text, path)?.as_ref().and_then(Value::as_object).cloned();
    Ok(object.unwrap_or_default().into_iter().map(|(name, _)| name).collect())
}

/// A list of strings; `None` if there is no such list.
pub(super) fn strings(text: &str, path: &[&str]) -> Result<Option<List>, EditError> {
    let parsed = Parsed::parse(text)?;
    let Walk::Found(trail) = parsed.walk(path)? else { return Ok(None) };
    let list = parsed.list(&trail, path)?;
    let item = |element: &Node<'_>| {
        let range = byte_range(element.range());
        let text = parsed.value(range.clone())?.as_str()?.to_owned();
        Some(Item { range, text })
    };
    let items: Option<Vec<Item>> = list.elements.iter().map(item).collect();
    Ok(items.map(|items| List { range: trail.value.clone(), items }))
}

/// Replaces the source of a value, if there is one.
pub(super) fn edit_source(
    text: &str,
    path: &[&str],
    edit: impl Fn(&str) -> String,
) -> Result<String, EditError> {
    let parsed = Parsed::parse(text)?;
    match parsed.walk(path)? {
        Walk::Found(Trail { value, .. }) => {
            let source = edit(&text[value.clone()]);
            Ok(parsed.edited(vec![(value, source)]))
        }
        Walk::Missing { .. } => Ok(text.to_owned()),
    }
}

/// Updates our entry of a list, or appends it.
pub(super) fn upsert_item(
    text: &str,
    path: &[&str],
    item: &Value,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let parsed = Parsed::parse(text)?;
    let trail = match parsed.walk(path)? {
        Walk::Found(trail) => trail,
        Walk::Missing { parent, from } => {
            return Ok(parsed.inserted(parent, path, from, &Value::Array(vec![item.clone()])));
        }
    };
    let list = parsed.list(&trail, path)?;
    match parsed.items_where(list, is_ours).first() {
        Some(index) => Ok(parsed.replaced(byte_range(list.elements[*index].range()), item)),
        None => Ok(parsed.appended(&Container::from_array(list), "", item)),
    }
}

/// Removes all our entries from a list.
pub(super) fn remove_items(
    text: &str,
    path: &[&str],
    is_ours: impl Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let mut text = text.to_owned();
    loop {
        let parsed = Parsed::parse(&text)?;
        let Walk::Found(mut trail) = parsed.walk(path)? else { return Ok(text) };
        let Ok(list) = parsed.list(&trail, path) else { return Ok(text) };
        let Some(index) = parsed.items_where(list, &is_ours).first().copied() else {
            return Ok(text);
        };
        trail.steps.push((Container::from_array(list), index));
        text = parsed.without(&trail);
    }
}

/// Whether a text contains no value, or an object without properties.
pub(super) fn is_empty(text: &str) -> Result<bool, EditError> {
    Ok(keys(text)?.is_none_or(|keys| keys.is_empty()))
}

/// The names of the top-level properties, in order.
pub(super) fn keys(text: &str) -> Result<Option<Vec<String>>, EditError> {
    let parsed = Parsed::parse(text)?;
    let name = |property: &ast::ObjectProp<'_>| property.name.as_str().to_owned();
    Ok(parsed
        .root
        .as_ref()
        .and_then(|root| root.as_object())
        .map(|root| root.properties.iter().map(name).collect()))
}

struct Parsed<'a> {
    text: &'a str,
    root: Option<Node<'a>>,
    /// Including comments.
    tokens: Vec<TokenAndRange<'a>>,
}

/// An object or a list, by its ranges in the text.
#[derive(Debug, Clone)]
struct Container {
    /// Including the brackets.
    range: Range<usize>,
    items: Vec<Range<usize>>,
}

/// The path to a value: each container, and the index of the next item.
struct Trail {
    steps: Vec<(Container, usize)>,
    value: Range<usize>,
}

enum Walk {
    Found(Trail),
    /// The object that lacks `path[from]`; `None` if there is no object at all.
    Missing {
        parent: Option<Container>,
        from: usize,
    },
}

impl Container {
    fn from_object(object: &ast::Object<'_>) -> Self {
        let items = object.properties.iter().map(|property| byte_range(property.range())).collect();
        Self { range: byte_range(object.range()), items }
    }

    fn from_array(array: &ast::Array<'_>) -> Self {
        let items = array.elements.iter().map(|element| byte_range(element.range())).collect();
        Self { range: byte_range(array.range()), items }
    }

    const fn inside(&self) -> Range<usize> {
        self.range.start + 1..self.range.end - 1
    }
}

fn byte_range(range: jsonc_parser::common::Range) -> Range<usize> {
    range.start..range.end
}

impl<'a> Parsed<'a> {
    fn parse(text: &'a str) -> Result<Self, EditError> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &dialect())
            .map_err(|error| EditError::Parse(error.to_string()))?;
        Ok(Self { text, root: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
    }

    fn walk(&self, path: &[&str]) -> Result<Walk, EditError> {
        let Some(mut node) = self.root.as_ref() else {
            return Ok(Walk::Missing { parent: None, from: 0 });
        };
        let mut steps = Vec::new();
        for (depth, name) in path.iter().enumerate() {
            let Some(object) = node.as_object() else {
                let name = if depth == 0 { "the file" } else { path[depth - 1] };
                return Err(EditError::UnexpectedType(name.to_owned()));
            };
            let container = Container::from_object(object);
            // Of several properties with the same name, the last counts.
            let found = object.properties.iter().rposition(|own| own.name.as_str() == *name);
            let Some(index) = found else {
                return Ok(Walk::Missing { parent: Some(container), from: depth });
            };
            steps.push((container, index));
            node = &object.properties[index].value;
        }
        Ok(Walk::Found(Trail { steps, value: byte_range(node.range()) }))
    }

    fn list(&self, trail: &Trail, path: &[&str]) -> Result<&ast::Array<'a>, EditError> {
        let mut node = self.root.as_ref();
        for (_, index) in &trail.steps {
            let object = node.and_then(|node| node.as_object());
            node = object.and_then(|object| object.properties.get(*index)).map(|own| &own.value);
        }
        let name = path.last().copied().unwrap_or_default();
        node.and_then(|node| node.as_array())
            .ok_or_else(|| EditError::UnexpectedType(name.to_owned()))
    }

    fn items_where(&self, list: &ast::Array<'a>, is_ours: impl Fn(&Value) -> bool) -> Vec<usize> {
        let ours = |element: &Node<'a>| {
            self.value(byte_range(element.range())).is_some_and(|v| is_ours(&v))
        };
        list.elements.iter().enumerate().filter(|(_, one)| ours(one)).map(|(at, _)| at).collect()
    }

    /// The value in a range.
    fn value(&self, range: Range<usize>) -> Option<Value> {
        let parsed =
            parse_to_ast(&self.text[range], &CollectOptions::default(), &dialect()).ok()?;
        parsed.value.map(Value::from)
    }

    /// The text with another value in a range; unchanged if the value is the same.
    fn replaced(&self, range: Range<usize>, value: &Value) -> String {
        if self.value(range.clone()).as_ref() == Some(value) {
            return self.text.to_owned();
        }
        let rendered = self.rendered(value, self.indent_of_line(range.start));
        self.edited(vec![(range, rendered)])
    }

    /// The text with a new property and the missing objects on the path to it.
    fn inserted(
        &self,
        parent: Option<Container>,
        path: &[&str],
        from: usize,
        value: &Value,
    ) -> String {
        let wrap = |inner: Value, name: &&str| {
            Value::Object(std::iter::once(((*name).to_owned(), inner)).collect())
        };
        if let Some(parent) = parent {
            let value = path[from + 1..].iter().rev().fold(value.clone(), wrap);
            let name = format!("{}: ", Value::String(path[from].to_owned()));
            return self.appended(&parent, &name, &value);
        }
        let root = path.iter().rev().fold(value.clone(), wrap);
        let end = self.text.trim_end().len();
        let lead = if end == 0 { "" } else { line_ending(self.text) };
        let rendered = format!("{lead}{}", self.rendered(&root, ""));
        self.edited(vec![(end..end, rendered)])
    }

    /// The text with another item at the end of a container.
    fn appended(&self, container: &Container, name: &str, value: &Value) -> String {
        let newline = line_ending(self.text);
        let Some(last) = container.items.last() else {
            let at = container.inside().start;
            let rendered = self.rendered(value, self.indent_of_line(at));
            return self.edited(vec![(at..at, format!("{name}{rendered}"))]);
        };
        let indent = self.indent_of_items(container, last);
        let item = format!("{newline}{indent}{name}{}", self.rendered(value, &indent));
        if let Some(comma) = self.comma_after(last.end) {
            let at = self.end_of_comments(comma.end);
            return self.edited(vec![(at..at, format!("{item},"))]);
        }
        let at = self.end_of_comments(last.end);
        self.edited(vec![(last.end..last.end, ",".to_owned()), (at..at, item)])
    }

    /// The text without the item that a trail leads to.
    fn without(&self, trail: &Trail) -> String {
        let Some(((container, index), above)) = trail.steps.split_last() else {
            return self.without_root();
        };
        let item = &container.items[*index];
        if container.items.len() > 1 {
            return self.edited(self.cuts_among(container, *index));
        }
        let inside = container.inside();
        let was_created = self.text[inside.start..item.start].contains('\n');
        let rest = [inside.start..item.start, item.end..inside.end];
        if was_created && rest.iter().all(|gap| self.text[gap.clone()].trim().is_empty()) {
            return self.without(&Trail { steps: above.to_vec(), value: container.range.clone() });
        }
        let start = if was_created { self.start_of_line(item.start) } else { item.start };
        let end = self.comma_after(item.end).map_or(item.end, |comma| comma.end);
        self.edited(vec![(start..end, String::new())])
    }

    /// The text without the root object, which was created for our entry.
    fn without_root(&self) -> String {
        let range = self.root.as_ref().map_or(0..0, |root| byte_range(root.range()));
        self.edited(vec![(
            super::start_of_newlines(self.text, range.start, 1)..range.end,
            String::new(),
        )])
    }

    /// The ranges to cut for an item with siblings: the item, one comma and the whitespace before it.
    fn cuts_among(&self, container: &Container, index: usize) -> Vec<(Range<usize>, String)> {
        let item = &container.items[index];
        let comma = self.comma_after(item.end);
        let cut = |range| (range, String::new());
        match (container.items.get(index + 1), comma) {
            (Some(next), Some(comma)) if self.text[comma.end..next.start].trim().is_empty() => {
                vec![cut(item.start..next.start)]
            }
            (_, Some(comma)) => vec![cut(self.start_of_line(item.start)..comma.end)],
            (_, None) => {
                let before = self.comma_after(container.items[index - 1].end);
                let own = self.start_of_line(item.start)..item.end;
                before.into_iter().chain([own]).map(cut).collect()
            }
        }
    }

    /// The comma after a position, with only whitespace and comments in between.
    fn comma_after(&self, at: usize) -> Option<Range<usize>> {
        let mut later = self.tokens.iter().filter(|token| token.range.start >= at);
        let token = later.find(|token| !is_comment(&token.token))?;
        (token.token == Token::Comma).then(|| byte_range(token.range))
    }

    /// The end of the comments that follow a position on the same line.
    fn end_of_comments(&self, at: usize) -> usize {
        let mut end = at;
        for token in self.tokens.iter().filter(|token| token.range.start >= at) {
            let is_on_line =
                is_comment(&token.token) && !self.text[end..token.range.end].contains('\n');
            if !is_on_line {
                break;
            }
            end = token.range.end;
        }
        end
    }

    fn start_of_line(&self, at: usize) -> usize {
        let line = self.text[..at].trim_end_matches([' ', '\t']);
        super::start_of_newlines(self.text, line.len(), 1)
    }

    fn indent_of_line(&self, at: usize) -> &'a str {
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The indentation of a container's items: that of the last one, if it starts a line.
    fn indent_of_items(&self, container: &Container, last: &Range<usize>) -> String {
        let indent = self.indent_of_line(last.start);
        let start_of_line = last.start - indent.len();
        let has_own_line = start_of_line > container.range.start
            && self.text[..start_of_line].ends_with('\n')
            && self.text[start_of_line..last.start] == *indent;
        if has_own_line {
            return indent.to_owned();
        }
        format!("{}{}", self.indent_of_line(container.range.start), self.indent_unit())
    }

    /// One level of indentation.
    fn indent_unit(&self) -> &'a str {
        let first = self.root.as_ref().and_then(|root| root.as_object()?.properties.first());
        let indent = first.map_or("", |property| self.indent_of_line(property.range.start));
        if indent.is_empty() { DEFAULT_INDENT } else { indent }
    }

    fn rendered(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.indent_unit().as_bytes());
        // Serializing to memory does not fail.
        let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        let text = String::from_utf8_lossy(&bytes);
        text.replace('\n', &format!("{}{indent}", line_ending(self.text)))
    }

    /// Applies edits, which are in order and do not overlap.
    fn edited(&self, edits: Vec<(Range<usize>, String)>) -> String {
        let mut text = self.text.to_owned();
        for (range, replacement) in edits.into_iter().rev() {
            text.replace_range(range, &replacement);
        }
        text
    }
}

const fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// JSON with comments and trailing commas, strict otherwise.
const fn dialect() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}
