//! Brace expansion: `{a,b}` yields two words, `{a..c}` an unknown piece.

use super::cursor::plain_braces;
use super::script::{Hole, Piece, Word};

/// Maximum number of expanded words; beyond it an unknown word is used.
const MAX_WORDS: usize = 1_024;

/// Expands a word.
pub(super) fn expand(word: Word) -> Vec<Word> {
    if !word.pieces.contains(&Piece::Brace('{')) {
        return vec![finished(word)];
    }
    let mut words = Vec::new();
    expand_into(word.pieces, &word.source, &mut words);
    if words.len() >= MAX_WORDS {
        words.push(Word::unknown());
    }
    words
}

fn expand_into(pieces: Vec<Piece>, source: &str, words: &mut Vec<Word>) {
    if words.len() >= MAX_WORDS {
        return;
    }
    let Some(group) = first_group(&pieces) else {
        words.push(finished(Word { pieces, source: source.to_owned() }));
        return;
    };
    for choice in group.choices {
        let before = pieces[..group.start].iter().cloned();
        let after = pieces[group.end + 1..].iter().cloned();
        expand_into(before.chain(choice).chain(after).collect(), source, words);
    }
}

fn finished(word: Word) -> Word {
    Word { pieces: plain_braces(word.pieces), source: word.source }
}

struct Group {
    start: usize,
    end: usize,
    choices: Vec<Vec<Piece>>,
}

/// The first brace group that expands.
fn first_group(pieces: &[Piece]) -> Option<Group> {
    let starts = (0..pieces.len()).filter(|&at| pieces[at] == Piece::Brace('{'));
    starts.into_iter().find_map(|start| group_at(pieces, start))
}

fn group_at(pieces: &[Piece], start: usize) -> Option<Group> {
    let mut open = 0_u32;
    let mut choices = vec![Vec::new()];
    for (offset, piece) in pieces[start..].iter().enumerate() {
        match piece {
            Piece::Brace('{') if offset == 0 => open = 1,
            Piece::Brace('}') if open == 1 => {
                let end = start + offset;
                return Some(Group { start, end, choices: spelled(choices)? });
            }
            Piece::Brace(',') if open == 1 => choices.push(Vec::new()),
            other => {
                open = match other {
                    Piece::Brace('{') => open + 1,
                    Piece::Brace('}') => open - 1,
                    _ => open,
                };
                choices.last_mut()?.push(other.clone());
            }
        }
    }
    None
}

/// Several alternatives expand; a single one only if it is a sequence.
fn spelled(choices: Vec<Vec<Piece>>) -> Option<Vec<Vec<Piece>>> {
    if choices.len() > 1 {
        return Some(choices);
    }
    let is_sequence =
        matches!(choices.first()?.as_slice(), [Piece::Text(text)] if text.contains(".."));
    is_sequence.then(|| vec![vec![Piece::Hole(Hole::default())]])
}
