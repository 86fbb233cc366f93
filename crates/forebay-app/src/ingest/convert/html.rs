//! Converts the main content of an HTML page to markdown.

use std::rc::Rc;

use htmd::{HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

/// Elements without content.
const SKIPPED_TAGS: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "iframe", "form", "button", "nav", "footer",
    "aside", "dialog", "link", "meta",
];
/// Deeper trees are converted to plain text, because the markdown converter is recursive.
const MAX_TREE_DEPTH: usize = 400;
/// Pages nested deeper are not parsed at all, because parsing is quadratic in the depth.
const MAX_NESTING: usize = 2_000;
/// Elements with an optional end tag, which do not nest.
const OPTIONAL_END_TAGS: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "source", "td", "th", "tr", "track", "wbr",
];
/// Minimum share of the page's text for an element to count as its main content.
const MIN_MAIN_SHARE: f64 = 0.25;
const HEAD_BYTES: usize = 2_048;

/// Whether a text is an HTML page, judged by its name or its start.
pub fn is_html(name: &str, text: &str) -> bool {
    let head = text[..text.floor_char_boundary(HEAD_BYTES)].trim_start();
    if !head.starts_with('<') {
        return false;
    }
    let name = name.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    starts_with_ignore_case(head.as_bytes(), b"<!doctype html")
        || starts_with_ignore_case(head.as_bytes(), b"<html")
        || [".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending))
}

/// Whether bytes start with others, ignoring case.
fn starts_with_ignore_case(bytes: &[u8], start: &[u8]) -> bool {
    bytes.get(..start.len()).is_some_and(|there| there.eq_ignore_ascii_case(start))
}

/// Returns the character set that a page declares in its head.
pub fn charset(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if !memchr::memchr_iter(b'<', head).any(|at| starts_with_ignore_case(&head[at..], b"<meta")) {
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

/// Converts a page's title and main content to markdown.
pub fn to_markdown(html: &str) -> String {
    if nesting(html) > MAX_NESTING {
        return without_tags(html);
    }
    let converter = HtmlToMarkdown::builder().skip_tags(SKIPPED_TAGS.to_vec()).build();
    let Ok(tree) = converter.html_to_tree(html) else { return html.to_owned() };
    if depth(&tree) > MAX_TREE_DEPTH {
        return plain_text(&tree);
    }
    let title = find(&tree, &|node| is_tag(node, "title")).map(|node| plain_text(&node));
    let body = converter.tree_to_markdown(&main_content(&tree));
    match title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")) {
        Some(title) if !title.is_empty() && !body.trim_start().starts_with("# ") => {
            format!("# {title}\n\n{}\n", body.trim())
        }
        _ => format!("{}\n", body.trim()),
    }
}

/// Estimates the nesting depth without parsing.
fn nesting(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for (at, _) in html.match_indices('<') {
        let after = &html[at + 1..];
        let name_end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let name = after[..name_end].to_ascii_lowercase();
        if after.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !name.is_empty() && !OPTIONAL_END_TAGS.contains(&name.as_str()) {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Returns the text between tags.
fn without_tags(html: &str) -> String {
    let texts = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the element marked as main content, if it has enough of the text.
fn main_content(tree: &Rc<Node>) -> Rc<Node> {
    let all = text_bytes(tree);
    let is_main = |node: &Rc<Node>| {
        is_tag(node, "main") || attribute(node, "role").as_deref() == Some("main")
    };
    let articles = |node: &Rc<Node>| is_tag(node, "article");
    let found = find(tree, &is_main).or_else(|| find(tree, &articles));
    let is_enough = |node: &Rc<Node>| text_bytes(node) as f64 >= all as f64 * MIN_MAIN_SHARE;
    found
        .filter(is_enough)
        .or_else(|| find(tree, &|node| is_tag(node, "body")))
        .unwrap_or_else(|| Rc::clone(tree))
}

/// Iterates over nodes with their depth, parents first, without recursion.
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
        if !is_skipped(&node) {
            waiting.extend(children);
        }
        Some((node, depth))
    })
}

fn is_skipped(node: &Rc<Node>) -> bool {
    SKIPPED_TAGS.iter().any(|tag| is_tag(node, tag))
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
    fn converts_main_content_to_markdown() {
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
    fn reads_the_declared_character_set() {
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
    fn converts_deep_trees_to_plain_text() {
        let html = format!("<html><body>{}deep words", "<div>".repeat(100_000));
        assert!(to_markdown(&html).contains("deep words"));
    }

    proptest! {
        #[test]
        fn converts_any_page(html in "(<(p|div|table|tr|td|li|ul|a|h1|pre|code|main|title)[ a-z=\"]{0,9}>|</(p|div|table|main)>|[a-zä&;<>]{0,9}){0,60}") {
            to_markdown(&html);
        }
    }
}
