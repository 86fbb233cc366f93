//! Redaction: takes secrets out of bytes before they are stored.
//!
//! The path of a byte through a [`Redactor`]:
//!
//! 1. whole lines are looked at where they lie, an unfinished one is held back (`redactor`);
//! 2. `scanner` finds the literals that secrets have in common, all of them in one pass;
//! 3. around each, the row of the table (`rows`) that named the literal decides where a secret stands;
//!    keys that cover several lines are followed by `key_blocks`;
//! 4. what was found (`found`) is replaced by `[redacted:<kind>]`, everything else passes untouched.
//!
//! No secret spans lines except private keys, and of these each line is replaced apart: line numbers
//! stay true. A row sees a bounded part of its line, so what is found never depends on how the bytes
//! were split, and memory stays bounded however long a line is.

mod base64;
mod class;
mod found;
mod key_blocks;
mod literals;
mod names;
mod random;
mod redactions;
mod redactor;
mod rows;
mod scanner;
mod spot;
mod values;

pub use names::is_secret as is_secret_name;
pub use redactions::Redactions;
pub use redactor::Redactor;

#[cfg(test)]
mod tests;
