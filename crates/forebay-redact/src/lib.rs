//! Redaction: replaces secrets in bytes before they are stored.
//!
//! The path of a byte through a [`Redactor`]:
//!
//! 1. complete lines are scanned in place, an incomplete one is buffered (`redactor`);
//! 2. `scanner` finds the literals that secrets have in common, all in one pass (`literals`), in the bytes and in what a
//!    terminal would show of them (`shown`);
//! 3. around each literal, its row of the table (`rows`) decides where the secret is, given the rest of the line
//!    (`match_context`); `key_blocks` follows private keys across lines;
//! 4. the spans found (`secret_span`) are replaced by `[redacted:<kind>]`, everything else passes unchanged.
//!
//! Only private keys span lines, and each of their lines is replaced separately, so line numbers stay true. A row sees a
//! bounded part of its line, so results do not depend on how the bytes are split, and memory is bounded.

#![forbid(unsafe_code)]

mod class;
mod key_blocks;
mod literals;
mod login;
mod match_context;
mod names;
mod random;
mod redactions;
mod redactor;
mod rows;
mod scanner;
mod secret_span;
mod shown;
mod values;

pub use names::is_secret as is_secret_name;
pub use redactions::Redactions;
pub use redactor::Redactor;

#[cfg(test)]
mod tests;
