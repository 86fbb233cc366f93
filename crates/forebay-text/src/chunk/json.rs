//! JSON: split between members, descending until they are small enough.
//!
//! The text is scanned without building a tree. At invalid JSON the scan stops, and the rest is split at lines.

use std::ops::Range;

use super::{Cut, SOFT, TARGET_BYTES, identity};

/// Maximum nesting depth of cuts.
const MAX_DEPTH: u8 = 40;
/// Smaller members share a cut with their predecessors.
const SMALL_BYTES: usize = 200;

/// Cuts between members of containers that exceed one chunk.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let start = text.len() - text.trim_start().len();
    let mut cuts = vec![Cut::new(0, 0, identity::json_identity(text, start))];
    visit(text, start..text.len(), "", 1, &mut cuts);
    cuts
}

fn visit(text: &str, value: Range<usize>, path: &str, level: u8, cuts: &mut Vec<Cut>) {
    if value.len() <= TARGET_BYTES || level > MAX_DEPTH {
        return;
    }
    let mut last = None;
    for (index, member) in Members::new(text, value.start).enumerate() {
        let is_small = member.value.len() < SMALL_BYTES;
        if is_small && last.is_some_and(|last| member.start - last < SMALL_BYTES) {
            continue;
        }
        last = Some(member.start);
        let own = path_of(text, path, index, &member);
        let told = identity::json_identity(text, member.value.start);
        let title = [own.as_str(), told.as_str()].join(" ");
        let softness = if is_small { SOFT } else { level };
        cuts.push(Cut::new(line_start(text, member.start), softness, title.trim()));
        visit(text, member.value, &own, level + 1, cuts);
    }
}

fn path_of(text: &str, path: &str, index: usize, member: &Member) -> String {
    const MAX_BYTES: usize = 100;
    // The outermost steps of a long path are the least specific.
    let path = &path[path.ceil_char_boundary(path.len().saturating_sub(MAX_BYTES))..];
    match &member.key {
        None => format!("{path}[{index}]"),
        Some(key) => {
            let key =
                &text[key.start..text.floor_char_boundary(key.end.min(key.start + MAX_BYTES))];
            if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
        }
    }
}

/// The start of the line if only whitespace precedes `at`.
fn line_start(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end_matches([' ', '\t']);
    if before.ends_with('\n') { before.len() } else { at }
}

/// A member of an object or an array.
pub(super) struct Member {
    pub(super) start: usize,
    /// The key without quotes; None in an array.
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Range<usize>,
}

/// Iterates the members of the object or array at an offset, until its end or a syntax error.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    kind: Container,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
    /// Not a container, or exhausted.
    None,
}

impl<'a> Members<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        let kind = match text.as_bytes().get(at) {
            Some(b'{') => Container::Object,
            Some(b'[') => Container::Array,
            _ => Container::None,
        };
        Self { bytes: text.as_bytes(), at: at + 1, kind }
    }

    fn read(&mut self) -> Option<Member> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b',');
        let start = self.at;
        let key = if self.kind == Container::Object { Some(self.key()?) } else { None };
        let value_start = self.at;
        self.at = value_end(self.bytes, value_start)?;
        Some(Member { start, key, value: value_start..self.at })
    }

    fn key(&mut self) -> Option<Range<usize>> {
        let end = string_end(self.bytes, self.at)?;
        let key = self.at + 1..end - 1;
        self.at = end;
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.bytes.get(self.at) != Some(&b':') {
            return None;
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        Some(key)
    }

    fn skip(&mut self, blank: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| blank(**byte)).count();
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        if self.kind == Container::None {
            return None;
        }
        let member = self.read();
        if member.is_none() {
            self.kind = Container::None;
        }
        member
    }
}

/// The offset after the value that starts at `at`; None if there is none or it is incomplete.
pub(super) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => string_end(bytes, at),
        b'{' | b'[' => container_end(bytes, at),
        _ => {
            let ends = |byte: &u8| {
                byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}' | b':' | b'"')
            };
            let length = bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
            (length > 0).then_some(at + length)
        }
    }
}

fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, chunks};

    #[test]
    fn large_members_are_titled_by_path_and_identity() {
        let address = format!("{{\"street\": \"{}\"}}", "x".repeat(900));
        let user = |id: usize, name: &str| {
            format!("    {{\"id\": {id}, \"name\": \"{name}\", \"address\": {address}}}")
        };
        let text = format!(
            "{{\n  \"users\": [\n{},\n{}\n  ],\n  \"count\": 2\n}}\n",
            user(7, "Ada"),
            user(8, "Bob")
        );
        let pieces = chunks(&text, Format::Json);
        let titles: Vec<&str> = pieces.iter().map(|piece| piece.title.as_str()).collect();
        assert_eq!(titles, ["users, users[0] id=7 name=Ada", "users[1] id=8 name=Bob, count"]);
        assert_eq!(pieces[1].lines, (4, 7));
    }

    #[test]
    fn splits_invalid_json_at_lines() {
        let text = "{ not json at all\n".repeat(300);
        let pieces = chunks(&text, Format::Json);
        assert!(pieces.len() > 2);
        assert!(pieces.iter().all(|piece| text[piece.start..piece.end].ends_with('\n')));
    }

    #[test]
    fn small_members_share_cuts() {
        let text = format!("[{}]", "1,".repeat(1_000_000));
        assert!(super::cuts(&text).len() < 20_000);
        let deep = "[".repeat(1_000_000);
        assert!(super::cuts(&deep).len() <= 2);
    }
}
