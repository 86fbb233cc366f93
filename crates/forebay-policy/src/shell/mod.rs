//! A shell parser that lists every command a text may run.
//!
//! Hand-written: rules must see every command wherever it is hidden, parsing must end in bounded time and depth on any
//! text, and no tree is needed. The crates that were tried overflow the stack on nested braces, lack `select`, or bring
//! dozens of dependencies. Text that does not parse is reported as broken and never approved.

mod ansi;
mod braces;
mod compound;
mod cursor;
mod expansions;
mod grammar;
mod hidden;
mod output;
mod redirects;
mod script;
mod words;

pub(crate) use self::ansi::unescape;
use self::cursor::Parser;
pub(crate) use self::expansions::hides_substitution;
use self::grammar::Stop;
pub use self::hidden::describe_invisible as hidden_in;
pub(crate) use self::output::printed;
pub use self::script::{Assignment, Command, Doubt, Redirect, RedirectKind, Script, Word};
pub(crate) use self::script::{Hole, Piece, join};

/// Parses a text like bash, keeping what was parsed before an error.
pub fn parse(text: &str) -> Script {
    let mut parser = Parser::new(text);
    let outcome = parser.list(Stop::End);
    parser.into_script(outcome)
}

#[cfg(test)]
mod tests;
