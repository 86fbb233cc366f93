//! A language: a spec and a tree-sitter query.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryError};
use tree_sitter_language::LanguageFn;

use crate::captures::Captures;
use crate::imports::ImportSyntax;
use crate::symbol_kind::SymbolKind;

/// A supported language.
pub struct Language {
    pub(crate) spec: &'static LanguageSpec,
    compiled: OnceLock<Result<CompiledQuery, QueryError>>,
}

/// The definition of a language: file names, grammar, query and conventions.
#[derive(Clone, Copy)]
pub(crate) struct LanguageSpec {
    pub(crate) name: &'static str,
    /// File name extensions, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// Complete file names, in lower case.
    pub(crate) file_names: &'static [&'static str],
    /// Interpreters that a shebang line may name.
    pub(crate) interpreters: &'static [&'static str],
    pub(crate) grammar: LanguageFn,
    pub(crate) query: &'static str,
    /// Returns whether other files may use an item.
    pub(crate) is_public: fn(&VisibilityContext<'_>) -> bool,
    /// Extracts the plain name from the text of `@name`.
    pub(crate) plain_name: fn(&str) -> String,
    /// Returns whether an attribute is relevant to users of the item.
    pub(crate) shows_attribute: fn(&str) -> bool,
    /// Returns whether an attribute is shown even at minimal verbosity.
    pub(crate) is_essential_attribute: fn(&str) -> bool,
    /// Import syntax and resolution, if supported.
    pub(crate) imports: Option<ImportSyntax>,
    /// Rewrites syntax that the grammar does not support into syntax that it does. The copy has the same length,
    /// except for an added newline at the end.
    pub(crate) normalize: fn(&str) -> Option<String>,
    pub(crate) comment_syntax: CommentSyntax,
    /// Keywords of items by kind; a group of declarations has the keyword only once.
    pub(crate) keywords: &'static [(SymbolKind, &'static str)],
    /// Kinds of adjacent items that are merged if they have the same name.
    pub(crate) merged_kinds: &'static [SymbolKind],
    /// Keyword that ends a block without closing bracket.
    pub(crate) block_end: &'static str,
    /// End of a section label, in languages whose labels are shown.
    pub(crate) section_end: &'static str,
    /// Text that code must start with to be parsed as code.
    pub(crate) prologue: &'static str,
    /// Text that closes a block that was cut after its first line.
    pub(crate) closer: &'static str,
    /// Blocks, as opening and closing text, in which a member parses on its own.
    pub(crate) member_contexts: &'static [(&'static str, &'static str)],
    /// Returns whether an attribute excludes an item from the public API, such as test code.
    pub(crate) hides_item: fn(&str) -> bool,
    /// Deeper members are omitted.
    pub(crate) max_depth: usize,
    /// Data format: has no bodies to omit, and long lines do not mean that it is minified.
    pub(crate) is_data: bool,
    /// Blocks end where the indentation does.
    pub(crate) is_indented: bool,
    /// Members are not indented below their parent.
    pub(crate) is_flat: bool,
}

/// Comment delimiters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentSyntax {
    pub(crate) comment: (&'static str, &'static str),
    pub(crate) doc: (&'static str, &'static str),
    /// Prefixes of comments that document the following item.
    pub(crate) doc_prefixes: &'static [&'static str],
    /// Prefixes of comments that document the file.
    pub(crate) module_doc_prefixes: &'static [&'static str],
    /// Docs are the first statement of the body.
    pub(crate) doc_in_body: bool,
}

/// An item and its surroundings, to decide whether it is public.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisibilityContext<'a> {
    pub(crate) kind: SymbolKind,
    pub(crate) name: &'a str,
    /// The text before the name, from the outermost wrapper on.
    pub(crate) modifiers: &'a str,
    /// Wrapped in an export, or listed among the exports.
    pub(crate) is_exported: bool,
    /// The file exports something.
    pub(crate) file_has_exports: bool,
    /// Visibility by the last `private` or `public` section of this block.
    pub(crate) section: Option<bool>,
    pub(crate) parent: Option<(SymbolKind, bool)>,
}

/// A compiled query with its captures.
pub(crate) struct CompiledQuery {
    pub(crate) query: Query,
    pub(crate) captures: Captures,
}

impl Language {
    pub(crate) const fn new(spec: &'static LanguageSpec) -> Self {
        Self { spec, compiled: OnceLock::new() }
    }

    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    pub(crate) fn grammar(&self) -> tree_sitter::Language {
        self.spec.grammar.into()
    }

    /// Returns the query, compiled on first use.
    pub(crate) fn compiled(&self) -> Result<&CompiledQuery, &QueryError> {
        self.compiled.get_or_init(|| CompiledQuery::new(self)).as_ref()
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.spec.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.spec.name == other.spec.name
    }
}

impl CompiledQuery {
    fn new(language: &Language) -> Result<Self, QueryError> {
        let query = Query::new(&language.grammar(), language.spec.query)?;
        let captures = Captures::new(&query);
        Ok(Self { query, captures })
    }
}

/// Returns all languages, the most common first.
pub fn languages() -> &'static [Language] {
    &crate::languages::ALL
}

/// Finds a language by its name, ignoring case.
pub fn language_by_name(name: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.name().eq_ignore_ascii_case(name))
}

/// Detects the language of a file by its name, else by its shebang line.
pub fn detect_language(path: &str, first_bytes: &[u8]) -> Option<&'static Language> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    by_file_name(&file).or_else(|| by_extension(&file)).or_else(|| by_interpreter(first_bytes))
}

fn by_file_name(file: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.spec.file_names.contains(&file))
}

fn by_extension(file: &str) -> Option<&'static Language> {
    let find = |extension: &str| {
        languages().iter().find(|language| language.spec.extensions.contains(&extension))
    };
    // `.d.ts` before `.ts`; `Dockerfile.dev` matches by the part before the dot.
    let extensions = file.match_indices('.').map(|(dot, _)| &file[dot + 1..]);
    extensions.into_iter().find_map(find).or_else(|| by_file_name(file.split('.').next()?))
}

fn by_interpreter(first_bytes: &[u8]) -> Option<&'static Language> {
    let line = first_bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    languages().iter().find(|language| language.spec.interpreters.contains(&program))
}

impl LanguageSpec {
    /// Returns whether blocks are delimited by braces.
    pub(crate) fn has_braces(&self) -> bool {
        self.closer.starts_with('}') && !self.is_data
    }

    /// Creates the spec of a language with braces where everything is public; specs override what differs.
    pub(crate) const fn new(name: &'static str, grammar: LanguageFn, query: &'static str) -> Self {
        Self {
            name,
            extensions: &[],
            file_names: &[],
            interpreters: &[],
            grammar,
            query,
            is_public: |_| true,
            plain_name: str::to_owned,
            shows_attribute: |_| true,
            is_essential_attribute: |_| false,
            imports: None,
            normalize: |_| None,
            comment_syntax: CommentSyntax::SLASHES,
            keywords: &[],
            merged_kinds: &[],
            block_end: "",
            section_end: "",
            prologue: "",
            closer: "}",
            member_contexts: &[],
            hides_item: |_| false,
            max_depth: usize::MAX,
            is_data: false,
            is_flat: false,
            is_indented: false,
        }
    }
}

impl CommentSyntax {
    /// `//` and `/* */`, docs in `/** */`.
    pub(crate) const SLASHES: Self = Self {
        comment: ("// ", ""),
        doc: ("/** ", " */"),
        doc_prefixes: &["/**", "///"],
        module_doc_prefixes: &[],
        doc_in_body: false,
    };
    /// `//`; every comment before an item documents it.
    pub(crate) const PLAIN_SLASHES: Self =
        Self { doc: ("// ", ""), doc_prefixes: &["//", "/*"], ..Self::SLASHES };
    /// `#`; every comment before an item documents it.
    pub(crate) const HASH: Self =
        Self { comment: ("# ", ""), doc: ("# ", ""), doc_prefixes: &["#"], ..Self::SLASHES };
    /// `--`; every comment before an item documents it.
    pub(crate) const DASHES: Self = Self {
        comment: ("-- ", ""),
        doc: ("-- ", ""),
        doc_prefixes: &["--", "{-", "/*"],
        ..Self::SLASHES
    };
    /// `<!-- -->`.
    pub(crate) const ANGLES: Self = Self {
        comment: ("<!-- ", " -->"),
        doc: ("<!-- ", " -->"),
        doc_prefixes: &["<!--"],
        ..Self::SLASHES
    };
}

impl VisibilityContext<'_> {
    /// Returns whether a word occurs before the name.
    pub(crate) fn has_modifier(&self, word: &str) -> bool {
        let is_separator = |c: char| !(c.is_alphanumeric() || c == '_');
        self.modifiers.split(is_separator).any(|part| part == word)
    }

    /// Returns whether the parent is of one of these kinds.
    pub(crate) fn has_parent_kind(&self, kinds: &[SymbolKind]) -> bool {
        self.parent.is_some_and(|(kind, _)| kinds.contains(&kind))
    }
}
