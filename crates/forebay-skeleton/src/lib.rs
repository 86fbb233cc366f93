//! Reduces a source file to its public surface, and ranks files by what others use of them.
//!
//! Pure: text in, text out, the same for the same input. The path of a file:
//!
//! 1. `language_of` finds its language, a row of `languages!`: one small table and one query;
//! 2. `document` parses it, within bounds that do not depend on the machine;
//! 3. `outline` runs the query and nests what it found; `captures` says what a query can say;
//! 4. `recover` reads a text that does not parse block by block, `fallback` one without a grammar;
//! 5. `render` writes the items as code without bodies.
//!
//! Over several files, `imports` finds the files that a file depends on, and `map` ranks the
//! definitions of a repository by who uses them.

mod captures;
mod docs;
mod document;
mod errors;
mod fallback;
mod imports;
mod kind;
mod language;
mod languages;
mod map;
mod nature;
mod outline;
mod purpose;
mod recover;
mod render;
mod skeleton;
mod surface;
mod symbol;

pub use document::{Document, NotParsed};
pub use errors::SyntaxError;
pub use imports::{Import, Project};
pub use kind::Kind;
pub use language::{Language, language_named, language_of, languages};
pub use map::{Definition, MapOptions, RepositoryMap, RepositoryNames, Tags, map};
pub use nature::{Nature, nature};
pub use skeleton::{Options, Skeleton, State, Symbol, Verbosity, skeleton};
pub use symbol::{Located, last_name};
