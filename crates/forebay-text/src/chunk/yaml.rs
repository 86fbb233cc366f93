//! YAML: split at keys, outermost first; block scalars stay whole.

use super::{Cut, TITLE_SEPARATOR, identity, lines};
use crate::cut;

const MAX_KEY_BYTES: usize = 60;
/// Maximum nesting depth of cuts.
const MAX_DEPTH: usize = 20;

/// Cuts before each key and each list item.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut reader = Reader::default();
    for (at, line) in lines(text) {
        reader.take(at, line);
    }
    reader.cuts
}

#[derive(Default)]
struct Reader {
    cuts: Vec<Cut>,
    /// Enclosing keys with their indentation.
    path: Vec<(usize, String)>,
    /// Lines indented more than this belong to a block scalar.
    scalar: Option<usize>,
    /// Start of the comments that belong to the next key.
    comment: Option<usize>,
}

impl Reader {
    fn take(&mut self, at: usize, line: &str) {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content.is_empty() || self.scalar.is_some_and(|scalar| indent > scalar) {
            return;
        }
        self.scalar = None;
        if content.starts_with('#') {
            self.comment.get_or_insert(at);
            return;
        }
        let start = self.comment.take().unwrap_or(at);
        if content == "---" {
            self.path.clear();
            self.cuts.push(Cut::new(start, 0, ""));
        } else if let Some((name, value)) = entry(content) {
            self.open(start, indent, name);
            if value.starts_with(['|', '>']) {
                self.scalar = Some(indent);
            }
        }
    }

    fn open(&mut self, at: usize, indent: usize, name: &str) {
        self.path.retain(|(outer, _)| *outer < indent);
        if self.path.len() < MAX_DEPTH {
            self.path.push((indent, cut::one_line(name, MAX_KEY_BYTES)));
        }
        let names: Vec<&str> = self
            .path
            .iter()
            .map(|(_, name)| name.as_str())
            .filter(|name| !name.is_empty())
            .collect();
        self.cuts.push(Cut::new(at, self.path.len() as u8, names.join(TITLE_SEPARATOR)));
    }
}

/// The name and value of a key; a list item is named by its identifying field.
fn entry(content: &str) -> Option<(&str, &str)> {
    let item = content.strip_prefix("- ").or_else(|| (content == "-").then_some(""));
    match (item, pair(item.unwrap_or(content))) {
        (None, pair) => pair,
        (Some(_), Some((name, value))) if identity::is_identifying(name) => Some((value, value)),
        (Some(_), Some((_, value))) => Some(("", value)),
        (Some(_), None) => Some(("", "")),
    }
}

fn pair(content: &str) -> Option<(&str, &str)> {
    let at = content.find(':').filter(|at| {
        let after = &content[at + 1..];
        after.is_empty() || after.starts_with([' ', '\t'])
    })?;
    let name = content[..at].trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| (name, content[at + 1..].trim()))
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, chunks};

    #[test]
    fn keys_are_titled_by_path_and_items_by_name() {
        let run = "x".repeat(900);
        let text = format!(
            "# The pipeline\nname: ci\njobs:\n  build:\n    steps:\n      - name: test\n        run: |\n          key: {run}\n  lint:\n    run: {run}\n"
        );
        let pieces = chunks(&text, Format::Yaml);
        let titles: Vec<&str> = pieces.iter().map(|piece| piece.title.as_str()).collect();
        assert_eq!(titles, ["name, jobs > build > steps > test > run", "jobs > lint > run"]);
        assert_eq!(pieces[1].lines, (9, 10));
    }
}
