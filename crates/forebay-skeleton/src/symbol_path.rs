//! Finds symbols by path.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline};
use crate::symbol_kind::SymbolKind;

/// Where a symbol is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolLocation {
    /// Range with docs and attributes, from the start of a line.
    pub bytes: Range<usize>,
    /// Start of the item itself, after its docs.
    pub start: usize,
    pub kind: SymbolKind,
}

impl Document {
    /// Finds the items that a path names, definitions before `impl` blocks.
    ///
    /// A path is a name as written in the source, or names from the outermost to the innermost, separated by `::`,
    /// `.`, `:`, `#`, `\` or `/`; outer names may be omitted. Overloads and all blocks of a type match. Items in
    /// function bodies match only if nothing else does.
    ///
    /// `file` is the path of the file: its folders and its name may precede the symbol path.
    pub fn find_symbol(&self, path: &str, file: &str) -> Vec<SymbolLocation> {
        let mut found = Vec::new();
        if !self.is_error_free() {
            // Items near syntax errors may be known only from recovery by indentation.
            let outline = self.outline().0;
            found = self.find_in(&outline, &SymbolPath::parse(path, file, &outline));
        }
        if found.is_empty() {
            let outline = Outline::including_bodies(self);
            found = self.find_in(&outline, &SymbolPath::parse(path, file, &outline));
        }
        found.sort_by_key(|location| (location.kind == SymbolKind::Impl, location.bytes.start));
        found
    }

    fn find_in(&self, outline: &Outline, path: &SymbolPath<'_>) -> Vec<SymbolLocation> {
        let mut best = None;
        let mut found = Vec::new();
        for item in &outline.items {
            let Some(quality) = path.match_item(outline, item) else { continue };
            let rank = (item.body_depth, quality);
            if best.is_none_or(|best| rank < best) {
                (best, found) = (Some(rank), Vec::new());
            }
            if best == Some(rank) {
                found.push(self.location(outline, item));
            }
        }
        found
    }

    fn location(&self, outline: &Outline, item: &Item) -> SymbolLocation {
        let line_start = |at: usize| self.source[..at].rfind('\n').map_or(0, |at| at + 1);
        let start = line_start(outline.full_start(&self.source, item));
        SymbolLocation {
            bytes: start..item.range.end,
            start: line_start(item.range.start).max(start),
            kind: item.kind,
        }
    }
}

/// Returns the last name of a path.
pub fn last_segment(path: &str) -> &str {
    segments(plain(path)).last().copied().unwrap_or(path.trim())
}

/// How well an item matches a path, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// The name equals the path.
    Verbatim,
    /// The qualified name ends with the segments of the path.
    BySegments,
    /// The same, without the file's path at the start and the arity at the end.
    BySegmentsWithoutRoots,
}

struct SymbolPath<'a> {
    verbatim: &'a str,
    segments: Vec<&'a str>,
    /// The segments without the file's path at the start and the arity at the end.
    without_roots: Vec<&'a str>,
}

impl<'a> SymbolPath<'a> {
    fn parse(path: &'a str, file: &str, outline: &Outline) -> Self {
        let segments = segments(plain(path));
        let folders = file.split(['/', '.']);
        let is_item = |name: &str| outline.items.iter().any(|item| item.name == name);
        let roots: Vec<&str> = folders.filter(|folder| !is_item(folder)).collect();
        let without_roots = without_roots(&segments, &roots);
        Self { verbatim: path.trim(), segments, without_roots }
    }

    fn match_item(&self, outline: &Outline, item: &Item) -> Option<MatchQuality> {
        let names = || std::iter::once(&item.name).chain(&item.more_names);
        if self.verbatim.is_empty() || names().all(String::is_empty) {
            return None;
        }
        if names().any(|name| *name == self.verbatim) {
            return Some(MatchQuality::Verbatim);
        }
        let all_names = || names().chain([&item.qualified]);
        let ends_like = |path: &[&str]| {
            !path.is_empty()
                && all_names().any(|name| full_path(outline, item, name).ends_with(path))
        };
        if ends_like(&self.segments) {
            return Some(MatchQuality::BySegments);
        }
        ends_like(&self.without_roots).then_some(MatchQuality::BySegmentsWithoutRoots)
    }
}

/// Returns the names of an item and its parents, outermost first.
fn full_path<'a>(outline: &'a Outline, item: &'a Item, name: &'a str) -> Vec<&'a str> {
    let mut names = vec![name];
    let mut next = Some(item);
    while let Some(item) = next {
        names.extend(item.owner.as_deref());
        next = item.parent.map(|parent| &outline.items[parent]);
        // Unnamed groups may be omitted from a path.
        names.extend(next.map(|parent| parent.name.as_str()));
    }
    names.into_iter().rev().flat_map(|name| segments(plain(name))).collect()
}

/// Strips call syntax: `take(&mut self)` is `take`, `vec!` is `vec`.
fn plain(path: &str) -> &str {
    let path = path.trim();
    let called = path.find('(').filter(|open| *open > 0 && path.ends_with(')'));
    path[..called.unwrap_or(path.len())].trim_end_matches('!')
}

/// Splits a path into names, without pointer marks and type arguments.
fn segments(path: &str) -> Vec<&str> {
    let parts = path.split(['.', ':', '#', '/', '\\']);
    let parts = parts.map(|part| {
        let part = part.trim_matches(['(', ')', '*', '&', '[', ']', '"', '\'', '`', ' ']);
        let arguments = part.find('<').filter(|open| *open > 0 && part.ends_with('>'));
        &part[..arguments.unwrap_or(part.len())]
    });
    // Methods of a prototype belong to its constructor.
    parts.filter(|part| !part.is_empty() && *part != "prototype").collect()
}

fn without_roots<'a>(segments: &[&'a str], roots: &[&str]) -> Vec<&'a str> {
    const ROOTS: &[&str] =
        &["crate", "self", "super", "this", "module", "exports", "global", "window"];
    let is_count = |part: &&str| part.chars().all(|digit| digit.is_ascii_digit());
    let end =
        segments.len() - usize::from(segments.len() > 1 && segments.last().is_some_and(is_count));
    let is_root = |part: &&&str| ROOTS.contains(part) || roots.contains(part);
    let start = segments[..end].iter().take_while(is_root).count();
    segments[start.min(end.saturating_sub(1))..end].to_vec()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_paths_into_segments() {
        for (path, expect) in [
            ("Pool::take", "Pool take"),
            ("(*S).Method", "S Method"),
            ("M:go", "M go"),
            (".btn:hover", "btn hover"),
            ("Foo.prototype.go", "Foo go"),
            ("Room<T>::open(&self, a: B::C)", "Room open"),
            ("vec!", "vec"),
            ("App\\Http\\Kernel", "App Http Kernel"),
            ("", ""),
        ] {
            assert_eq!(segments(plain(path)).join(" "), expect, "{path}");
        }
        assert_eq!(without_roots(&["crate", "pool", "Pool"], &["src", "pool"]), ["Pool"]);
        assert_eq!(without_roots(&["f", "2"], &[]), ["f"]);
        assert_eq!(without_roots(&["self"], &[]), ["self"]);
        assert_eq!(last_segment("A.B.f"), "f");
    }

    proptest! {
        #[test]
        fn accepts_any_path(path in "[a-c.:#/\\\\()<>!*é ]{0,20}") {
            last_segment(&path);
            SymbolPath::parse(&path, &path, &Outline::default());
        }
    }
}
