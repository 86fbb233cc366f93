//! What passages and questions mean, as the embedding model tells.

use forebay_store::Embedding;
use forebay_text::code;

/// What is known of a passage beside its words.
pub(crate) struct Sense {
    pub(crate) meaning: Option<Embedding>,
    pub(crate) is_code: bool,
}

/// The sense of a passage. Of code the name and what is said about it count more than its statements.
pub(crate) fn of_passage(title: &str, text: &str) -> Sense {
    // Where documentation is most of it, that counts enough as it is.
    let is_mostly_code = code::is_mostly(text);
    let about = is_mostly_code.then(|| code::comment(text)).flatten().unwrap_or_default();
    let again = if is_mostly_code { title } else { "" };
    // What matters most first: of a long text only the beginning counts.
    let meaning = of_together(&[title, about, text, again]);
    Sense { meaning, is_code: is_mostly_code || code::opens_definition(text) }
}

/// Whether a word is one that people use, and no slip for another.
pub(crate) fn knows(word: &str) -> bool {
    forebay_embed::is_vocabulary_word(word)
}

/// What a text means as it stands; none where it has no known word.
pub(crate) fn of(text: &str) -> Option<Embedding> {
    of_together(&[text])
}

fn of_together(texts: &[&str]) -> Option<Embedding> {
    let vector = forebay_embed::embed_concatenated(texts)?;
    Some(Embedding { model: forebay_embed::MODEL_NAME.into(), vector: vector.into_bytes() })
}
