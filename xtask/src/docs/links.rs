//! Checks the links of the documentation, without network access.
//!
//! - A relative link, image (also in HTML) or `{{#include}}` must name an existing file, and its anchor an existing heading.
//! - A page of the book links to nothing outside `docs/`: mdBook would render a dead link.
//! - `docs/SUMMARY.md` lists every page of the book exactly once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::workspace::Source;
use crate::{console, workspace};

const BOOK: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";
/// Folders outside the book whose markdown files are documentation, too.
const FOLDERS: &[&str] = &[BOOK, "deploy/", "examples/", "plugins/"];

static INCLUDE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{\{#include ([^}:\s]+)").ok());

/// An address in HTML: a picture has one per theme.
static HTML_ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b(?:src|srcset|href)="([^"\s]+)""#).ok());

/// The links and headings of a markdown file.
struct Page {
    links: Vec<Link>,
    includes: Vec<Link>,
    anchors: HashSet<String>,
}

struct Link {
    line: usize,
    target: String,
}

/// Checks all documentation of the workspace.
pub(super) fn check() -> Result<()> {
    let files: HashSet<String> = workspace::files()?.into_iter().collect();
    let pages: BTreeMap<String, Page> = workspace::sources()?
        .into_iter()
        .filter(|source| is_documentation(&source.path))
        .map(|Source { path, text }| (path, Page::parse(&text)))
        .collect();
    let mut problems = summary_problems(&pages)?;
    for (path, page) in &pages {
        problems.extend(page.problems(path, &pages, &files));
    }
    if !problems.is_empty() {
        bail!("broken documentation links:\n{}", problems.join("\n"));
    }
    let links: usize = pages.values().map(|page| page.links.len() + page.includes.len()).sum();
    console::line(format!("{links} links in {} pages resolve", pages.len()));
    Ok(())
}

fn is_documentation(path: &str) -> bool {
    let is_listed = !path.contains('/') || FOLDERS.iter().any(|folder| path.starts_with(folder));
    is_listed && is_markdown(path)
}

pub(super) fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "md")
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page =
            Self { links: Vec::new(), includes: includes(text), anchors: HashSet::new() };
        let mut counts = HashMap::new();
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(Link {
                        line: line_of(text, range.start),
                        target: dest_url.into_string(),
                    });
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    page.links.extend(html_links(&html, line_of(text, range.start)));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let title = heading.take().unwrap_or_default();
                    page.anchors.insert(unique(anchor(&title), &mut counts));
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                _ => {}
            }
        }
        page
    }

    fn problems(
        &self,
        path: &str,
        pages: &BTreeMap<String, Page>,
        files: &HashSet<String>,
    ) -> Vec<String> {
        let links = self
            .links
            .iter()
            .filter_map(|link| Some((link, link_problem(path, &link.target, pages, files)?)));
        let includes = self.includes.iter().filter_map(|link| {
            let is_missing = !files.contains(&resolve(path, &link.target));
            is_missing.then(|| (link, format!("`{}` does not exist", link.target)))
        });
        links
            .chain(includes)
            .map(|(link, problem)| format!("{path}:{}: {problem}", link.line))
            .collect()
    }
}

fn html_links(html: &str, line: usize) -> Vec<Link> {
    let Some(address) = HTML_ADDRESS.as_ref() else { return Vec::new() };
    let targets = address.captures_iter(html).map(|found| found[1].to_owned());
    targets.map(|target| Link { line, target }).collect()
}

/// Returns what is wrong with a link in the file `from`; `None` if it resolves.
fn link_problem(
    from: &str,
    target: &str,
    pages: &BTreeMap<String, Page>,
    files: &HashSet<String>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { from.to_owned() } else { resolve(from, file) };
    let folder = format!("{}/", path.trim_end_matches('/'));
    if from.starts_with(BOOK) && !folder.starts_with(BOOK) {
        return Some(format!("`{target}` leads out of the book"));
    }
    if !files.contains(&path) && !files.iter().any(|file| file.starts_with(&folder)) {
        return Some(format!("`{target}` does not exist"));
    }
    let is_missing = |page: &Page| !anchor.is_empty() && !page.anchors.contains(anchor);
    pages
        .get(&path)
        .is_some_and(is_missing)
        .then(|| format!("`{path}` has no heading for `#{anchor}`"))
}

/// Compares the pages of the book with those that the summary lists.
fn summary_problems(pages: &BTreeMap<String, Page>) -> Result<Vec<String>> {
    let summary = pages.get(SUMMARY).with_context(|| format!("{SUMMARY} is missing"))?;
    let mut listed = HashSet::new();
    let mut problems = Vec::new();
    for link in &summary.links {
        let path = resolve(SUMMARY, &link.target);
        if !listed.insert(path.clone()) {
            problems.push(format!("{SUMMARY}:{}: `{path}` is listed twice", link.line));
        }
    }
    let of_book = pages.keys().filter(|path| path.starts_with(BOOK) && *path != SUMMARY);
    let unlisted = of_book.filter(|path| !listed.contains(*path));
    problems.extend(unlisted.map(|path| format!("{SUMMARY}: `{path}` is not listed")));
    Ok(problems)
}

/// Resolves a relative path against the file it occurs in.
fn resolve(from: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Returns the anchor that mdBook and GitHub give a heading.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter_map(|c| match c {
        _ if c.is_whitespace() => Some('-'),
        '_' | '-' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Numbers anchors that occur again: `name`, `name-1`, `name-2`.
fn unique(anchor: String, counts: &mut HashMap<String, usize>) -> String {
    let count = counts.entry(anchor.clone()).or_default();
    let numbered = if *count == 0 { anchor } else { format!("{anchor}-{count}") };
    *count += 1;
    numbered
}

fn includes(text: &str) -> Vec<Link> {
    let Some(pattern) = INCLUDE.as_ref() else { return Vec::new() };
    let links = pattern.captures_iter(text).filter_map(|captures| {
        let target = captures.get(1)?;
        Some(Link { line: line_of(text, target.start()), target: target.as_str().to_owned() })
    });
    links.collect()
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let pages: BTreeMap<String, Page> =
            files.iter().map(|(path, text)| ((*path).to_owned(), Page::parse(text))).collect();
        let files = pages.keys().cloned().chain(["docs/images/run.svg".to_owned()]).collect();
        pages.iter().flat_map(|(path, page)| page.problems(path, &pages, &files)).collect()
    }

    #[test]
    fn accepts_links_that_resolve() {
        let text = "# One `two`\n\n[self](#one-two) [b](sub/b.md#again-1) ![](images/run.svg) \
                    [web](https://example.com/x) [folder](sub)\n";
        let other = "# Again\n\n# Again\n\n[up](../a.md)\n";
        assert_eq!(problems(&[("docs/a.md", text), ("docs/sub/b.md", other)]), [""; 0]);
    }

    #[test]
    fn reports_missing_files_anchors_and_includes() {
        let text =
            "[x](b.md)\n\n[y](#none)\n\n[out](../README.md)\n\n```\n{{#include ../c.rs}}\n```\n";
        assert_eq!(
            problems(&[("docs/a.md", text), ("README.md", "")]),
            [
                "docs/a.md:1: `b.md` does not exist",
                "docs/a.md:3: `docs/a.md` has no heading for `#none`",
                "docs/a.md:5: `../README.md` leads out of the book",
                "docs/a.md:8: `../c.rs` does not exist",
            ]
        );
    }

    #[test]
    fn reports_pages_that_the_summary_misses_or_repeats() {
        let summary = "- [A](a.md)\n- [A](a.md)\n";
        let pages = [(SUMMARY, summary), ("docs/a.md", ""), ("docs/b.md", "")];
        let pages = pages.map(|(path, text)| (path.to_owned(), Page::parse(text))).into();
        assert_eq!(
            summary_problems(&pages).unwrap(),
            [
                "docs/SUMMARY.md:2: `docs/a.md` is listed twice",
                "docs/SUMMARY.md: `docs/b.md` is not listed",
            ]
        );
    }
}
