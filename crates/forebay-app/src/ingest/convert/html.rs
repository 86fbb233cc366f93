//! The main content of an HTML page as markdown.

use std::rc::Rc;

use htmd::{HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

/// What is no content, wherever it stands.
const NO_CONTENT: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "iframe", "form", "button", "nav", "footer",
    "aside", "dialog", "link", "meta",
];
/// Trees deeper than this are read as plain text: the converter goes down with its stack.
const DEEPEST: usize = 400;
/// Pages nested deeper than this are not parsed at all: that takes the square of the depth.
const NESTED: usize = 2_000;
/// Elements that may stay open without what follows standing in them.
const OPEN_ENDED: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "source", "td", "th", "tr", "track", "wbr",
];
/// A main part with less than this share of the page's text is not what the page is about.
const LEAST_SHARE: f64 = 0.25;
const HEAD_BYTES: usize = 2_048;

/// Whether a text is an HTML page, by its name or how it begins.
pub(crate) fn is_html(name: &str, text: &str) -> bool {
    let head = text[..text.floor_char_boundary(HEAD_BYTES)].trim_start();
    if !head.starts_with('<') {
        return false;
    }
    let name = name.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    begins_with(head.as_bytes(), b"<!doctype html")
        || begins_with(head.as_bytes(), b"<html")
        || [".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending))
}

/// Whether bytes begin with others, in any case.
fn begins_with(bytes: &[u8], start: &[u8]) -> bool {
    bytes.get(..start.len()).is_some_and(|there| there.eq_ignore_ascii_case(start))
}

/// The character set that a page tells in its head.
pub(crate) fn charset(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if !memchr::memchr_iter(b'<', head).any(|at| begins_with(&head[at..], b"<meta")) {
        return None;
    }
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let after = &head[head.find("charset=")? + "charset=".len()..];
    let name: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c))
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The page's title and main content as markdown.
pub(crate) fn to_markdown(html: &str) -> String {
    if nesting(html) > NESTED {
        return without_tags(html);
    }
    let converter = HtmlToMarkdown::builder().skip_tags(NO_CONTENT.to_vec()).build();
    let Ok(tree) = converter.html_to_tree(html) else { return html.to_owned() };
    if depth(&tree) > DEEPEST {
        return plain_text(&tree);
    }
    let title = find(&tree, &|node| is_tag(node, "title")).map(|node| plain_text(&node));
    let body = converter.tree_to_markdown(&main_part(&tree));
    match title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")) {
        Some(title) if !title.is_empty() && !body.trim_start().starts_with("# ") => {
            format!("# {title}\n\n{}\n", body.trim())
        }
        _ => format!("{}\n", body.trim()),
    }
}

/// About how deep elements stand in each other, without parsing.
fn nesting(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for (at, _) in html.match_indices('<') {
        let after = &html[at + 1..];
        let name_end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let name = after[..name_end].to_ascii_lowercase();
        if after.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !name.is_empty() && !OPEN_ENDED.contains(&name.as_str()) {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// What stands between tags.
fn without_tags(html: &str) -> String {
    let texts = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Where the page says its content is, if that is most of it.
fn main_part(tree: &Rc<Node>) -> Rc<Node> {
    let all = text_bytes(tree);
    let is_main = |node: &Rc<Node>| {
        is_tag(node, "main") || attribute(node, "role").as_deref() == Some("main")
    };
    let articles = |node: &Rc<Node>| is_tag(node, "article");
    let found = find(tree, &is_main).or_else(|| find(tree, &articles));
    let is_enough = |node: &Rc<Node>| text_bytes(node) as f64 >= all as f64 * LEAST_SHARE;
    found
        .filter(is_enough)
        .or_else(|| find(tree, &|node| is_tag(node, "body")))
        .unwrap_or_else(|| Rc::clone(tree))
}

/// Each node with its depth, parents first; the stack is our own.
fn nodes(tree: &Rc<Node>) -> impl Iterator<Item = (Rc<Node>, usize)> {
    let mut waiting = vec![(Rc::clone(tree), 0)];
    std::iter::from_fn(move || {
        let (node, depth) = waiting.pop()?;
        let children: Vec<_> = node
            .children
            .borrow()
            .iter()
            .rev()
            .map(|child| (Rc::clone(child), depth + 1))
            .collect();
        if !is_no_content(&node) {
            waiting.extend(children);
        }
        Some((node, depth))
    })
}

fn is_no_content(node: &Rc<Node>) -> bool {
    NO_CONTENT.iter().any(|tag| is_tag(node, tag))
}

fn depth(tree: &Rc<Node>) -> usize {
    nodes(tree).map(|(_, depth)| depth).max().unwrap_or(0)
}

fn find(tree: &Rc<Node>, wanted: &dyn Fn(&Rc<Node>) -> bool) -> Option<Rc<Node>> {
    nodes(tree).map(|(node, _)| node).find(|node| wanted(node))
}

fn is_tag(node: &Rc<Node>, tag: &str) -> bool {
    matches!(&node.data, NodeData::Element { name, .. } if &*name.local == tag)
}

fn attribute(node: &Rc<Node>, wanted: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let attributes = attrs.borrow();
    attributes.iter().find(|one| &*one.name.local == wanted).map(|one| one.value.to_string())
}

fn text_of(node: &Rc<Node>) -> Option<String> {
    match &node.data {
        NodeData::Text { contents } => Some(contents.borrow().to_string()),
        _ => None,
    }
}

fn text_bytes(tree: &Rc<Node>) -> usize {
    nodes(tree).filter_map(|(node, _)| text_of(&node)).map(|text| text.trim().len()).sum()
}

fn plain_text(tree: &Rc<Node>) -> String {
    let texts: Vec<String> = nodes(tree).filter_map(|(node, _)| text_of(&node)).collect();
    texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_main_content_becomes_markdown() {
        let html = "<!doctype html><html><head><title>The  guide</title><style>x{}</style></head><body>\
            <nav><a href=/>Home</a></nav><main><h2>Install</h2><p>Run <code>make</code>.</p>\
            <pre><code class=\"language-sh\">make install\n</code></pre>\
            <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></main>\
            <footer>Imprint</footer></body></html>";
        let text = to_markdown(html);
        let wanted =
            ["# The guide\n\n## Install\n\nRun `make`.\n\n```sh\nmake install\n```", "| a", "| 1"];
        assert!(wanted.iter().all(|part| text.contains(part)), "{text}");
        assert!(
            !text.contains("Home") && !text.contains("Imprint") && !text.contains("x{}"),
            "{text}"
        );
    }

    #[test]
    fn a_page_tells_its_character_set() {
        assert_eq!(
            charset(b"<html><meta charset=\"ISO-8859-15\">").as_deref(),
            Some("iso-8859-15")
        );
        assert_eq!(
            charset(b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>")
                .as_deref(),
            Some("koi8-r")
        );
        assert_eq!(charset(b"text about charset=x"), None);
    }

    #[test]
    fn a_tree_too_deep_is_read_as_text() {
        let html = format!("<html><body>{}deep words", "<div>".repeat(100_000));
        assert!(to_markdown(&html).contains("deep words"));
    }

    proptest! {
        #[test]
        fn any_page_is_converted(html in "(<(p|div|table|tr|td|li|ul|a|h1|pre|code|main|title)[ a-z=\"]{0,9}>|</(p|div|table|main)>|[a-zä&;<>]{0,9}){0,60}") {
            to_markdown(&html);
        }
    }
}
