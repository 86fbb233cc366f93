//! Reduces a source file to its public API, and ranks the definitions of a repository.
//!
//! Pure: the same input always gives the same output. The stages for one file:
//!
//! 1. `language` detects its language, one of `languages!`: a small spec and a tree-sitter query;
//! 2. `document` parses it, within bounds that do not depend on the machine;
//! 3. `outline` runs the query and nests the captured items; `captures` documents the capture names;
//! 4. `recover` parses a file with syntax errors block by block, `fallback` outlines one without a grammar;
//! 5. `render` writes the items as code without bodies.
//!
//! Across files, `imports` resolves the files that a file depends on, and `map` ranks definitions by PageRank over
//! the reference graph.

mod captures;
mod doc_text;
mod document;
mod elision;
mod errors;
mod fallback;
mod file_class;
mod imports;
mod language;
mod languages;
mod map;
mod module_doc;
mod outline;
mod recover;
mod render;
mod skeleton;
mod symbol_kind;
mod symbol_path;

pub use document::{Document, ParseError};
pub use errors::SyntaxError;
pub use file_class::{FileClass, classify};
pub use imports::{Import, ProjectFiles};
pub use language::{Language, detect_language, language_by_name, languages};
pub use map::{Definition, MapOptions, RepositoryMap, SymbolIndex, Tags, build_map};
pub use skeleton::{Skeleton, SkeletonOptions, SkeletonStatus, Symbol, Verbosity, skeleton};
pub use symbol_kind::SymbolKind;
pub use symbol_path::{SymbolLocation, last_segment};
