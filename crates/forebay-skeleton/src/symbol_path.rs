//! Finds a symbol by its path.

use std::ops::Range;

use crate::document::Document;
use crate::kind::Kind;
use crate::outline::{Item, Outline};

/// A place that a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// With its docs and attributes, from the start of a line on.
    pub bytes: Range<usize>,
    /// Where the item itself begins, behind its docs.
    pub start: usize,
    pub kind: Kind,
}

impl Document {
    /// The items that a path names, definitions before what implements them.
    ///
    /// A path is a name as the text has it, or names from the outside in with `::`, `.`, `:`, `#`, `\` or `/` between
    /// them; it may begin anywhere. Overloads and parts of one type in several blocks are all found; what stands in
    /// bodies is found where nothing else has the name.
    ///
    /// `file` is where the text stands: its folders and its name may stand at the start of the path.
    pub fn symbol(&self, path: &str, file: &str) -> Vec<Located> {
        let mut found = Vec::new();
        if !self.is_whole() {
            // Where the text does not parse, items may be known by their indentation alone.
            let outline = self.outline().0;
            found = self.named(&outline, &Wanted::of(path, file, &outline));
        }
        if found.is_empty() {
            let outline = Outline::with_hidden(self);
            found = self.named(&outline, &Wanted::of(path, file, &outline));
        }
        found.sort_by_key(|located| (located.kind == Kind::Impl, located.bytes.start));
        found
    }

    fn named(&self, outline: &Outline, wanted: &Wanted<'_>) -> Vec<Located> {
        let mut best = None;
        let mut found = Vec::new();
        for item in &outline.items {
            let Some(exactness) = wanted.fits(outline, item) else { continue };
            let rank = (item.inside, exactness);
            if best.is_none_or(|best| rank < best) {
                (best, found) = (Some(rank), Vec::new());
            }
            if best == Some(rank) {
                found.push(self.located(outline, item));
            }
        }
        found
    }

    fn located(&self, outline: &Outline, item: &Item) -> Located {
        let line_start = |at: usize| self.source[..at].rfind('\n').map_or(0, |at| at + 1);
        let start = line_start(outline.full_start(&self.source, item));
        Located {
            bytes: start..item.range.end,
            start: line_start(item.range.start).max(start),
            kind: item.kind,
        }
    }
}

/// The plain name at the end of a path.
pub fn last_name(path: &str) -> &str {
    segments(plain(path)).last().copied().unwrap_or(path.trim())
}

/// How well an item fits a path, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exactness {
    /// It has this very name.
    Verbatim,
    /// Its name and the names around it end like the path.
    BySegments,
    /// They do so without what is no part of a name.
    WithoutExtras,
}

struct Wanted<'a> {
    verbatim: &'a str,
    segments: Vec<&'a str>,
    /// The segments without what stands for the file at their start and a count of arguments at their end.
    bare: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    fn of(path: &'a str, file: &str, outline: &Outline) -> Self {
        let segments = segments(plain(path));
        let folders = file.split(['/', '.']);
        let is_item = |name: &str| outline.items.iter().any(|item| item.name == name);
        let roots: Vec<&str> = folders.filter(|folder| !is_item(folder)).collect();
        let bare = without_extras(&segments, &roots);
        Self { verbatim: path.trim(), segments, bare }
    }

    fn fits(&self, outline: &Outline, item: &Item) -> Option<Exactness> {
        let names = || std::iter::once(&item.name).chain(&item.more_names);
        if self.verbatim.is_empty() || names().all(String::is_empty) {
            return None;
        }
        if names().any(|name| *name == self.verbatim) {
            return Some(Exactness::Verbatim);
        }
        let written = || names().chain([&item.qualified]);
        let ends_like = |wanted: &[&str]| {
            !wanted.is_empty()
                && written().any(|name| full_path(outline, item, name).ends_with(wanted))
        };
        if ends_like(&self.segments) {
            return Some(Exactness::BySegments);
        }
        ends_like(&self.bare).then_some(Exactness::WithoutExtras)
    }
}

/// The names that an item stands in and its own, from the outside in.
fn full_path<'a>(outline: &'a Outline, item: &'a Item, name: &'a str) -> Vec<&'a str> {
    let mut names = vec![name];
    let mut next = Some(item);
    while let Some(item) = next {
        names.extend(item.owner.as_deref());
        next = item.parent.map(|parent| &outline.items[parent]);
        // Groups without a name of their own may be left out of a path.
        names.extend(next.map(|parent| parent.name.as_str()));
    }
    names.into_iter().rev().flat_map(|name| segments(plain(name))).collect()
}

/// A path without what calls do: `take(&mut self)` is `take`, `vec!` is `vec`.
fn plain(path: &str) -> &str {
    let path = path.trim();
    let called = path.find('(').filter(|open| *open > 0 && path.ends_with(')'));
    path[..called.unwrap_or(path.len())].trim_end_matches('!')
}

/// The names in a path, without the marks of pointers and of type arguments.
fn segments(path: &str) -> Vec<&str> {
    let parts = path.split(['.', ':', '#', '/', '\\']);
    let parts = parts.map(|part| {
        let part = part.trim_matches(['(', ')', '*', '&', '[', ']', '"', '\'', '`', ' ']);
        let arguments = part.find('<').filter(|open| *open > 0 && part.ends_with('>'));
        &part[..arguments.unwrap_or(part.len())]
    });
    // Methods of a prototype are those of what it is the prototype of.
    parts.filter(|part| !part.is_empty() && *part != "prototype").collect()
}

fn without_extras<'a>(segments: &[&'a str], roots: &[&str]) -> Vec<&'a str> {
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
    fn paths_are_taken_apart() {
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
        assert_eq!(without_extras(&["crate", "pool", "Pool"], &["src", "pool"]), ["Pool"]);
        assert_eq!(without_extras(&["f", "2"], &[]), ["f"]);
        assert_eq!(without_extras(&["self"], &[]), ["self"]);
        assert_eq!(last_name("A.B.f"), "f");
    }

    proptest! {
        #[test]
        fn any_path_is_read(path in "[a-c.:#/\\\\()<>!*é ]{0,20}") {
            last_name(&path);
            Wanted::of(&path, &path, &Outline::default());
        }
    }
}
