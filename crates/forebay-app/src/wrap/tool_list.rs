//! How the tools of another server are shown to a model: as they are, with short descriptions, or behind three tools of ours.
//!
//! A list of tools costs its tokens in every conversation. Nothing of it is lost: the whole description of a tool is one call
//! away, and says so.

use forebay_text::stem::stem;
use forebay_text::subwords;

/// Which list a model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolListing {
    /// As the server wrote it.
    #[default]
    Whole,
    /// Long descriptions end after their first sentences.
    Slim,
    /// Tools to search, describe and call the server's tools.
    Facade,
}

/// The end of a description that was cut.
pub const CUT: &str = " …";

/// Descriptions up to this many bytes stay.
const MAX_WHOLE_BYTES: usize = 200;
/// Bytes of the sentences that are kept of others.
const MAX_KEPT_BYTES: usize = 160;
/// How much more a word of a tool's name says than one of its description.
const NAME_WEIGHT: usize = 4;
/// Maximum tools that a search returns.
pub const MAX_FOUND: usize = 8;

/// The first sentences of a long description; `None` if it stays.
pub fn first_sentences(description: &str) -> Option<String> {
    let text = description.trim();
    if text.len() <= MAX_WHOLE_BYTES {
        return None;
    }
    let mut ends = sentence_ends(text);
    let first = ends.next().filter(|end| *end <= MAX_WHOLE_BYTES);
    let last = ends.take_while(|end| *end <= MAX_KEPT_BYTES).last();
    let kept = if let Some(end) = last.or(first) {
        text[..end].trim_end()
    } else {
        let cut = forebay_text::cut::prefix(text, MAX_KEPT_BYTES);
        cut.rsplit_once(char::is_whitespace).map_or(cut, |(words, _)| words)
    };
    Some(format!("{kept}{CUT}"))
}

/// Where sentences and paragraphs end.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(['.', '!', '?', '\n']).filter_map(|(at, mark)| {
        let end = at + mark.len();
        let is_end =
            text[end..].starts_with(char::is_whitespace) && !ends_abbreviation(&text[..at]);
        (mark == "\n" && text[end..].trim_start_matches([' ', '\t']).starts_with('\n')
            || is_end && mark != "\n")
            .then_some(end)
    })
}

/// Whether the dot behind a text belongs to its last word: `e.g.`
fn ends_abbreviation(text: &str) -> bool {
    let word = text.rsplit([' ', '\n', '(']).next().unwrap_or_default();
    word.contains('.') || matches!(word, "etc" | "vs" | "approx" | "incl" | "max" | "min")
}

/// Returns the positions of the tools, each with name and description, that a query is about; the best first.
pub fn find(query: &str, tools: &[(&str, &str)]) -> Vec<usize> {
    let wanted = terms(query);
    let score = |(name, description): &(&str, &str)| {
        let (name, description) = (terms(name), terms(description));
        let count = |term: &&String| {
            let in_name = usize::from(name.contains(term)) * NAME_WEIGHT;
            in_name + usize::from(description.contains(term))
        };
        wanted.iter().map(|term| count(&term)).sum::<usize>()
    };
    let mut found: Vec<(usize, usize)> =
        tools.iter().map(score).enumerate().filter(|(_, score)| *score > 0).collect();
    found.sort_by_key(|(at, score)| (std::cmp::Reverse(*score), *at));
    found.into_iter().map(|(at, _)| at).take(MAX_FOUND).collect()
}

/// The stems of the words of a text, and of the parts of compound ones.
fn terms(text: &str) -> Vec<String> {
    let runs = subwords::runs(text).into_iter();
    let mut terms: Vec<String> =
        runs.flat_map(subwords::query_terms).map(|word| stem(&word).into_owned()).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(description: &str, expect: Option<&str>) {
        assert_eq!(first_sentences(description).as_deref(), expect);
    }

    #[test]
    fn long_descriptions_end_after_whole_sentences() {
        check("Reads a file. Short.", None);
        let rest = "Further words about everything. ".repeat(10);
        check(
            &format!("Reads a file, e.g. a text. {rest}"),
            Some(&*format!(
                "Reads a file, e.g. a text. {} …",
                "Further words about everything. ".repeat(4).trim_end()
            )),
        );
        check(&format!("Title\n\n{}", "word ".repeat(60)), Some("Title …"));
        let endless = "word ".repeat(60);
        let cut = first_sentences(&endless).unwrap();
        assert!(cut.len() <= MAX_KEPT_BYTES + CUT.len() && cut.ends_with("word …"), "{cut}");
        check(&"x".repeat(300), Some(&*format!("{} …", "x".repeat(MAX_KEPT_BYTES))));
    }

    #[test]
    fn finds_tools_by_name_and_description() {
        let tools = [
            ("browser_navigate", "Goes to an address"),
            ("takeScreenshot", "Makes a picture of the page"),
            ("list_issues", "Lists open issues; not screenshots"),
        ];
        assert_eq!(find("screenshots", &tools), [1, 2]);
        assert_eq!(find("page address", &tools), [0, 1]);
        assert_eq!(find("database", &tools), [0; 0]);
    }
}
