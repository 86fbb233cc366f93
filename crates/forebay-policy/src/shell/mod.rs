//! A reader for shell text that says what the text may run.
//!
//! It is a parser of its own: the rules must see every command wherever it is hidden, must end in
//! bounded time and depth on any text, and need no tree. The crates that were tried overflow the stack
//! on nested braces, know no `select`, or bring dozens of dependencies into the innermost crate.
//! What it cannot read it calls broken, and nobody approves what is broken.

mod ansi;
mod braces;
mod compound;
mod cursor;
mod expansions;
mod grammar;
mod hidden;
mod redirects;
mod script;
mod words;

use self::cursor::Parser;
pub(crate) use self::expansions::{hides_substitution, printed};
use self::grammar::Stop;
pub use self::hidden::found_in as hidden_in;
pub use self::script::{Assignment, Command, Doubt, Redirect, RedirectKind, Script, Word};
pub(crate) use self::script::{Hole, Piece, join};

/// Reads a text as bash would, and keeps what was read even where it breaks off.
pub fn read(text: &str) -> Script {
    let mut parser = Parser::new(text);
    let outcome = parser.list(Stop::End);
    parser.into_script(outcome)
}

#[cfg(test)]
mod tests;
