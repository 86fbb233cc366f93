//! Subscripts and texts that a shell evaluates again: arithmetic on `x='a[$(ls)]'` runs `ls`.

use super::inner::Inner;
use super::variables;
use crate::shell::{Command, Doubt, Word, hides_substitution};

/// Builtins that evaluate subscripts in their arguments, or print them for others.
const SUBSCRIPT_READERS: &[&str] = &[
    "test", "[", "printf", "echo", "read", "declare", "typeset", "local", "export", "unset", "let",
    "wait",
];

const SUBSCRIPT: Doubt = Doubt("a word with a substitution may be evaluated twice");

pub(super) fn are_read_by(name: &str) -> bool {
    SUBSCRIPT_READERS.contains(&name)
}

/// Words whose subscripts are evaluated, or are put together of parts.
pub(super) fn evaluated_now(words: &[Word]) -> Vec<Inner> {
    let is_evaluated = |word: &Word| {
        let text = word.marked();
        text.contains('[') && hides_substitution(word) || opens_subscript(&text)
    };
    if words.iter().any(is_evaluated) { vec![Inner::Doubt(SUBSCRIPT)] } else { Vec::new() }
}

/// Whether a text ends in the middle of a subscript that begins a substitution: `a[$%s]`, `a[x$%s]`.
fn opens_subscript(text: &str) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inside = text[at + 1..].split(']').next().unwrap_or_default();
        text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && (inside.contains("$%") || inside.contains("$\\"))
    })
}

/// Substitutions in texts that are evaluated later: values of variables, subscripts anywhere.
pub(super) fn evaluated_later(command: &Command) -> Vec<Inner> {
    let values = variables::assignments(command).into_iter().map(|each| each.value);
    let values = values.filter(hides_substitution);
    let documents = command.redirects.iter().map(|each| &each.target);
    let words = command.words.iter().chain(documents).filter(|word| has_hidden_subscript(word));
    let mut inner = Vec::new();
    for text in values.chain(words.cloned()) {
        if text.has_hole() {
            inner.push(Inner::Doubt(SUBSCRIPT));
        }
        let substitutions = text.as_script().replace(['"', '\''], " ");
        inner.push(Inner::Guess(Word::literal(format!(": \"{substitutions}\""))));
    }
    inner
}

/// Whether a literal has a subscript with a substitution: `a[$(ls)]`.
fn has_hidden_subscript(word: &Word) -> bool {
    let text = word.marked();
    hides_substitution(word)
        && text.match_indices('[').any(|(at, _)| {
            let inside = text[at + 1..].split(']').next().unwrap_or_default();
            text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                && (inside.contains("$(") || inside.contains('`'))
        })
}
