//! What one text can take over from another: paths, names, whole lines and quoted text.
//!
//! A [`TermIndex`] knows which text of a conversation showed a term first; [`mentions`] lists the terms that a call names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Shorter lines and quotes recur by coincidence.
const MIN_LINE_CHARS: usize = 16;
/// Longer ones are compared by this beginning.
const MAX_LINE_CHARS: usize = 400;
/// Shorter words are no names.
const MIN_NAME_CHARS: usize = 4;
/// Fewer digits are a count or a line number.
const MIN_NUMBER_DIGITS: usize = 5;
/// Of a longer path only the last components are known.
const MAX_COMPONENTS: usize = 10;
/// Quoted texts that are looked for in one line of a call.
const MAX_QUOTES: usize = 8;

/// The endings by which a word without `/` is a path.
const EXTENSIONS: &[&str] = &[
    "bat",
    "bin",
    "c",
    "cc",
    "cfg",
    "cjs",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "dart",
    "db",
    "diff",
    "enc",
    "erl",
    "ex",
    "exs",
    "go",
    "gradle",
    "gz",
    "h",
    "hpp",
    "hs",
    "htm",
    "html",
    "in",
    "ini",
    "ipynb",
    "java",
    "jpg",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "lock",
    "log",
    "lua",
    "m",
    "md",
    "mjs",
    "ml",
    "out",
    "patch",
    "pcap",
    "pdf",
    "php",
    "pl",
    "png",
    "po",
    "properties",
    "proto",
    "ps1",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "rst",
    "sage",
    "scala",
    "scss",
    "sh",
    "snap",
    "sql",
    "sqlite",
    "svelte",
    "svg",
    "swift",
    "tar",
    "tex",
    "tf",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "wasm",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zip",
    "zsh",
];
/// Words that look like names and come from nowhere in particular; sorted.
const COMMON_NAMES: &[&str] = &[
    "__init__",
    "__main__",
    "__name__",
    "amd64",
    "arm64",
    "base64",
    "dist_info",
    "http2",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "java11",
    "latin1",
    "node_modules",
    "pip3",
    "py3k",
    "python2",
    "python3",
    "sha1",
    "sha256",
    "sha512",
    "site_packages",
    "uint32",
    "uint64",
    "uint8",
    "utf16",
    "utf8",
    "x86_64",
];

/// What kind of thing a call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TermKind {
    Path,
    /// An identifier, a hash, a long number.
    Name,
    /// A whole line.
    Line,
    /// A text in quotes: what is searched for, an error message.
    Quote,
}

/// Something that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) kind: TermKind,
    pub(super) text: String,
}

/// The index of a text in a conversation.
type TextId = u32;

/// Which text showed a term first.
#[derive(Debug, Default)]
pub(super) struct TermIndex {
    /// By hash: 64 bits tell all terms of a conversation apart.
    first: HashMap<u64, TextId>,
}

/// What the index knows of a text.
#[derive(Hash)]
enum Key<'a> {
    Path(&'a [&'a str]),
    /// A component of a path, or a word between blanks.
    Component(&'a str),
    Name(&'a str),
    Line(&'a str),
}

impl TermIndex {
    /// The terms of one text.
    pub(super) fn of_text(text: &str) -> Self {
        let mut index = Self::default();
        index.add(text, 0);
        index
    }

    /// Adds the terms of a text that no earlier one showed.
    pub(super) fn add(&mut self, text: &str, id: TextId) {
        for line in text.lines() {
            for whole in [line, without_prefix(line)] {
                if let Some(line) = comparable_line(whole) {
                    self.insert(&Key::Line(line), id);
                }
            }
            for token in tokens(line) {
                self.add_token(token, id);
            }
        }
    }

    fn add_token(&mut self, token: &str, id: TextId) {
        let components = components(token);
        for component in &components {
            self.insert(&Key::Component(component), id);
        }
        if components.len() > 1 || components.first().is_some_and(|name| has_extension(name)) {
            for start in 0..components.len() {
                // A single component is a path only as the last one.
                let shortest = if start + 1 == components.len() { start + 1 } else { start + 2 };
                for end in shortest..=components.len() {
                    self.insert(&Key::Path(&components[start..end]), id);
                }
            }
        }
        for name in names(token) {
            self.insert(&Key::Name(name), id);
        }
    }

    fn insert(&mut self, key: &Key<'_>, id: TextId) {
        if let Entry::Vacant(entry) = self.first.entry(hash(key)) {
            entry.insert(id);
        }
    }

    fn get(&self, key: &Key<'_>) -> Option<TextId> {
        self.first.get(&hash(key)).copied()
    }

    /// Returns the text that showed a path, a name or a line first. Quotes are not indexed.
    pub(super) fn origin(&self, term: &Term) -> Option<TextId> {
        match term.kind {
            TermKind::Path => self.get(&Key::Path(&components(&term.text))),
            TermKind::Name => self.get(&Key::Name(&term.text)),
            TermKind::Line => self.get(&Key::Line(comparable_line(&term.text)?)),
            TermKind::Quote => None,
        }
    }

    /// Whether a text shows a term; of a path, also its components apart from each other, as in a tree of files.
    pub(super) fn shows(&self, term: &Term, text: &str) -> bool {
        let is_shown_apart = || {
            let components = components(&term.text);
            components.len() > 1
                && components.iter().all(|name| self.get(&Key::Component(name)).is_some())
        };
        match term.kind {
            TermKind::Quote => contains(text, &term.text),
            TermKind::Line => self.origin(term).is_some() || contains(text, &term.text),
            TermKind::Path => self.origin(term).is_some() || is_shown_apart(),
            TermKind::Name => self.origin(term).is_some(),
        }
    }
}

fn contains(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

/// Deterministic, unlike the hasher of a map.
fn hash(key: &Key<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Lists what the texts of a call name, the larger first: a line that `is_known` or a quote stands for its names.
pub(super) fn mentions(
    texts: &str,
    cwd: Option<&str>,
    is_known: &mut dyn FnMut(&Term) -> bool,
) -> Vec<Term> {
    let mut found = Vec::new();
    for line in texts.lines() {
        let whole = comparable_line(line).map(|text| Term::new(TermKind::Line, text));
        match whole.filter(|term| is_known(term)) {
            Some(term) => found.push(term),
            None => mentions_in_line(line, cwd, is_known, &mut found),
        }
    }
    found
}

fn mentions_in_line(
    line: &str,
    cwd: Option<&str>,
    is_known: &mut dyn FnMut(&Term) -> bool,
    found: &mut Vec<Term>,
) {
    let mut rest = line.to_owned();
    for quote in quotes(line).into_iter().take(MAX_QUOTES) {
        let term = Term::new(TermKind::Quote, quote);
        if is_known(&term) {
            rest = rest.replacen(quote, " ", 1);
            found.push(term);
        }
    }
    for token in tokens(&rest) {
        if let Some(path) = path_in(token, cwd, is_known) {
            found.push(path);
            continue;
        }
        found.extend(names(token).map(|name| Term::new(TermKind::Name, name)));
    }
}

impl Term {
    fn new(kind: TermKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The path that a token is: below the working folder, relative to it. An absolute path that is not known as such
/// counts as what is known of its end.
fn path_in(
    token: &str,
    cwd: Option<&str>,
    is_known: &mut dyn FnMut(&Term) -> bool,
) -> Option<Term> {
    let relative = cwd.and_then(|cwd| token.strip_prefix(cwd)).filter(|rest| rest.starts_with('/'));
    let components = components(relative.unwrap_or(token));
    let has_letters = components.iter().flat_map(|name| name.chars()).any(char::is_alphabetic);
    let is_path = match components.as_slice() {
        [] => false,
        [name] => has_extension(name),
        _ => has_letters,
    };
    if !is_path {
        return None;
    }
    let whole = Term::new(TermKind::Path, components.join("/"));
    let is_absolute = relative.is_none() && token.starts_with('/');
    if !is_absolute || is_known(&whole) {
        return Some(whole);
    }
    let ends = (1..components.len().saturating_sub(1)).map(|start| components[start..].join("/"));
    ends.map(|end| Term::new(TermKind::Path, end)).find(|term| is_known(term)).or(Some(whole))
}

/// The parts of a line that may be paths, or contain names.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./~+@".contains(c);
    line.split(move |c: char| !is_part(c))
        .map(|token| token.trim_end_matches(['.', '-', '+', '@', '~']))
        .filter(|token| !token.is_empty())
}

/// The components of a path, without `.`, `..` and `~`.
fn components(token: &str) -> Vec<&str> {
    let parts = token.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~"));
    let mut components: Vec<&str> = parts.collect();
    components.drain(..components.len().saturating_sub(MAX_COMPONENTS));
    components
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && EXTENSIONS.binary_search(&extension).is_ok()
    })
}

/// The names in a token.
fn names(token: &str) -> impl Iterator<Item = &str> {
    token.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_name(word))
}

/// Whether a word is a name rather than a word of a language: it is spelled like an identifier, a hash or an id.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches('_');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 {
        return digits >= MIN_NUMBER_DIGITS;
    }
    let is_spelled = word.contains('_') || digits > 0 || is_camel_case(word);
    word.chars().count() >= MIN_NAME_CHARS
        && is_spelled
        && COMMON_NAMES.binary_search(&word).is_err()
}

fn is_camel_case(word: &str) -> bool {
    let mut pairs = word.chars().zip(word.chars().skip(1));
    pairs.any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

/// A line without what stands around its text, if it is long enough not to recur by coincidence.
fn comparable_line(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => &line[..end],
        None => line,
    };
    let is_long = line.chars().count() >= MIN_LINE_CHARS;
    (is_long && line.contains(char::is_whitespace)).then_some(line)
}

/// A line without what tools write before it: its number, or its file and number.
fn without_prefix(line: &str) -> &str {
    let rest = line.trim_start();
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let after = |text: &'_ str| -> Option<usize> {
        let digits = number(text);
        let mark = text[digits..].chars().next().filter(|mark| ":|-\t→".contains(*mark))?;
        (digits > 0).then_some(digits + mark.len_utf8())
    };
    if let Some(end) = after(rest) {
        return &rest[end..];
    }
    let Some((file, numbered)) = rest.split_once([':', '-']) else { return rest };
    match after(numbered).filter(|_| !file.contains(char::is_whitespace)) {
        Some(end) => &numbered[end..],
        None => rest,
    }
}

/// The texts in quotes of several words.
fn quotes(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for mark in ['"', '\'', '`'] {
        let inner = line.split(mark).skip(1).step_by(2);
        found.extend(inner.filter_map(comparable_line));
    }
    found
}

#[cfg(test)]
mod tests;
