//! Embeds chunks and queries with the built-in model.

use forebay_store::Embedding;
use forebay_text::code;

/// What is stored of a chunk in addition to its words.
pub(crate) struct ChunkVectors {
    pub(crate) meaning: Option<Embedding>,
    pub(crate) is_code: bool,
}

/// Embeds a chunk. In code, the name and documentation count more than the statements.
pub(crate) fn embed_chunk(title: &str, text: &str) -> ChunkVectors {
    if is_without_words(text) {
        return ChunkVectors { meaning: None, is_code: false };
    }
    // Text that is mostly documentation needs no extra weight.
    let is_mostly_code = code::is_mostly(text);
    let about = is_mostly_code.then(|| code::comment(text)).flatten().unwrap_or_default();
    let again = if is_mostly_code { title } else { "" };
    // The most important part comes first, because only the start of a long text is embedded.
    let meaning = embed_all(&[title, about, text, again]);
    ChunkVectors { meaning, is_code: is_mostly_code || code::opens_definition(text) }
}

/// Whether a text consists of numbers: it has no meaning, but its vector is near to that of any word.
fn is_without_words(text: &str) -> bool {
    let (mut letters, mut digits) = (0_usize, 0_usize);
    for c in text.chars() {
        letters += usize::from(c.is_alphabetic());
        digits += usize::from(c.is_ascii_digit());
    }
    digits > MIN_DIGITS && letters * MAX_DIGITS_PER_LETTER < digits
}

/// Fewer digits may be all that a short text has.
const MIN_DIGITS: usize = 40;
/// A text with more digits is a table of numbers.
const MAX_DIGITS_PER_LETTER: usize = 9;

/// Whether the model's vocabulary contains a word, so that it is probably not a typo.
pub(crate) fn knows(word: &str) -> bool {
    forebay_embed::is_vocabulary_word(word)
}

/// Embeds a text, or returns None if it contains no known word.
pub(crate) fn embed(text: &str) -> Option<Embedding> {
    embed_all(&[text])
}

fn embed_all(texts: &[&str]) -> Option<Embedding> {
    let vector = forebay_embed::embed_concatenated(texts)?;
    Some(Embedding { model: forebay_embed::MODEL_NAME.into(), vector: vector.into_bytes() })
}
