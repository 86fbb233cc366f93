//! A language: one small table and one query.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryError};
use tree_sitter_language::LanguageFn;

use crate::captures::Captures;
use crate::imports::Imports;
use crate::kind::Kind;

/// A language that skeletons can be made of.
pub struct Language {
    pub(crate) table: &'static Table,
    compiled: OnceLock<Result<Compiled, QueryError>>,
}

/// What is to be known about a language besides its query.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Endings of file names, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// Whole file names, in lower case.
    pub(crate) files: &'static [&'static str],
    /// Programs that a first line `#!` may name.
    pub(crate) interpreters: &'static [&'static str],
    pub(crate) grammar: LanguageFn,
    pub(crate) query: &'static str,
    /// Whether others may use an item.
    pub(crate) public: fn(&Facts<'_>) -> bool,
    /// The plain name in what the query captured as `@name`.
    pub(crate) name_of: fn(&str) -> String,
    /// Whether an attribute matters to those who use the item.
    pub(crate) attribute: fn(&str) -> bool,
    /// Whether it matters so much that it is shown where signatures stand alone.
    pub(crate) vital: fn(&str) -> bool,
    /// How it imports, where that is known.
    pub(crate) imports: Option<Imports>,
    /// A copy of a text in which what the grammar does not know is spelled so that it does; of the same
    /// length, but for a newline at the end.
    pub(crate) masked: fn(&str) -> Option<String>,
    pub(crate) notation: Notation,
    /// Words that items of a kind begin with, also where a group has the word once for all.
    pub(crate) leads: &'static [(Kind, &'static str)],
    /// Kinds of items that are one where they follow each other by the same name.
    pub(crate) joined: &'static [Kind],
    /// What ends a block that has no closing bracket.
    pub(crate) block_end: &'static str,
    /// What ends the mark of a section, in languages where the marks are shown.
    pub(crate) section_end: &'static str,
    /// What a text must begin with to be read as code.
    pub(crate) prologue: &'static str,
    /// What closes a block that was cut after its first line.
    pub(crate) closer: &'static str,
    /// What opens and closes blocks that members need around them to parse on their own.
    pub(crate) member_blocks: &'static [(&'static str, &'static str)],
    /// Whether an attribute says that an item is no part of the product.
    pub(crate) hides: fn(&str) -> bool,
    /// Members further in than this are left out.
    pub(crate) depth: usize,
    /// Data has no bodies to leave out, and long lines mean nothing there.
    pub(crate) is_data: bool,
    /// Bodies end where the indentation does.
    pub(crate) is_indented: bool,
    /// Items are not indented under those they stand in.
    pub(crate) is_flat: bool,
}

/// How comments are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notation {
    pub(crate) remark: (&'static str, &'static str),
    pub(crate) doc: (&'static str, &'static str),
    /// Comments that begin like this document what follows.
    pub(crate) doc_marks: &'static [&'static str],
    /// Comments that begin like this document the file.
    pub(crate) file_marks: &'static [&'static str],
    /// Docs stand inside, as the first thing of the block.
    pub(crate) doc_inside: bool,
}

/// What is known about an item when it is asked whether others may use it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) kind: Kind,
    pub(crate) name: &'a str,
    /// The text before the name, from the outermost wrapper on.
    pub(crate) before: &'a str,
    /// Wrapped in something that exports, or listed among the exports.
    pub(crate) exported: bool,
    /// Something in this file is exported.
    pub(crate) file_exports: bool,
    /// What the last `private` or `public` section in this block says.
    pub(crate) section: Option<bool>,
    pub(crate) parent: Option<(Kind, bool)>,
}

/// A query with the captures it knows.
pub(crate) struct Compiled {
    pub(crate) query: Query,
    pub(crate) captures: Captures,
}

impl Language {
    pub(crate) const fn of(table: &'static Table) -> Self {
        Self { table, compiled: OnceLock::new() }
    }

    pub fn name(&self) -> &'static str {
        self.table.name
    }

    pub(crate) fn grammar(&self) -> tree_sitter::Language {
        self.table.grammar.into()
    }

    /// The query, compiled when it is first needed.
    pub(crate) fn compiled(&self) -> Result<&Compiled, &QueryError> {
        self.compiled.get_or_init(|| Compiled::new(self)).as_ref()
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.table.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.table.name == other.table.name
    }
}

impl Compiled {
    fn new(language: &Language) -> Result<Self, QueryError> {
        let query = Query::new(&language.grammar(), language.table.query)?;
        let captures = Captures::of(&query);
        Ok(Self { query, captures })
    }
}

/// All languages, those asked for most first.
pub fn languages() -> &'static [Language] {
    &crate::languages::ALL
}

/// The language with this name, in any case.
pub fn language_named(name: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.name().eq_ignore_ascii_case(name))
}

/// The language of a file, by its name, else by its first line.
pub fn language_of(path: &str, first_bytes: &[u8]) -> Option<&'static Language> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    by_file(&file).or_else(|| by_extension(&file)).or_else(|| by_interpreter(first_bytes))
}

fn by_file(file: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.table.files.contains(&file))
}

fn by_extension(file: &str) -> Option<&'static Language> {
    let knows = |ending: &str| {
        languages().iter().find(|language| language.table.extensions.contains(&ending))
    };
    // `.d.ts` before `.ts`, `Dockerfile.dev` by what stands before the dot.
    let endings = file.match_indices('.').map(|(dot, _)| &file[dot + 1..]);
    endings.into_iter().find_map(knows).or_else(|| by_file(file.split('.').next()?))
}

fn by_interpreter(first_bytes: &[u8]) -> Option<&'static Language> {
    let line = first_bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    languages().iter().find(|language| language.table.interpreters.contains(&program))
}

impl Table {
    /// Whether blocks are written in braces.
    pub(crate) fn has_braces(&self) -> bool {
        self.closer.starts_with('}') && !self.is_data
    }

    /// A language with braces where everything is public; tables tell what differs.
    pub(crate) const fn new(name: &'static str, grammar: LanguageFn, query: &'static str) -> Self {
        Self {
            name,
            extensions: &[],
            files: &[],
            interpreters: &[],
            grammar,
            query,
            public: |_| true,
            name_of: str::to_owned,
            attribute: |_| true,
            vital: |_| false,
            imports: None,
            masked: |_| None,
            notation: Notation::SLASHES,
            leads: &[],
            joined: &[],
            block_end: "",
            section_end: "",
            prologue: "",
            closer: "}",
            member_blocks: &[],
            hides: |_| false,
            depth: usize::MAX,
            is_data: false,
            is_flat: false,
            is_indented: false,
        }
    }
}

impl Notation {
    /// `//` and `/* */`, docs in `/** */`.
    pub(crate) const SLASHES: Self = Self {
        remark: ("// ", ""),
        doc: ("/** ", " */"),
        doc_marks: &["/**", "///"],
        file_marks: &[],
        doc_inside: false,
    };
    /// `//`, where every comment before an item documents it.
    pub(crate) const PLAIN_SLASHES: Self =
        Self { doc: ("// ", ""), doc_marks: &["//", "/*"], ..Self::SLASHES };
    /// `#`, where every comment before an item documents it.
    pub(crate) const HASH: Self =
        Self { remark: ("# ", ""), doc: ("# ", ""), doc_marks: &["#"], ..Self::SLASHES };
    /// `--`, where every comment before an item documents it.
    pub(crate) const DASHES: Self = Self {
        remark: ("-- ", ""),
        doc: ("-- ", ""),
        doc_marks: &["--", "{-", "/*"],
        ..Self::SLASHES
    };
    /// `<!-- -->`.
    pub(crate) const ANGLES: Self = Self {
        remark: ("<!-- ", " -->"),
        doc: ("<!-- ", " -->"),
        doc_marks: &["<!--"],
        ..Self::SLASHES
    };
}

impl Facts<'_> {
    /// Whether a word stands before the name.
    pub(crate) fn says(&self, word: &str) -> bool {
        let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
        self.before.split(is_part).any(|part| part == word)
    }

    /// Whether it stands in something whose members are all as public as itself.
    pub(crate) fn is_in(&self, kinds: &[Kind]) -> bool {
        self.parent.is_some_and(|(kind, _)| kinds.contains(&kind))
    }
}
