//! Text: cutting, counting and chunking without breaking a character.

pub mod chunk;
pub mod code;
pub mod cut;
pub mod inner;
pub mod line_range;
pub mod number;
pub mod quote;
pub mod runs;
pub mod short;
pub mod spelling;
pub mod stem;
pub mod words;
