//! Decides which of the user's sentences later ones take back or correct.
//!
//! A guess by shared words, values with the same unit, and hints of a correction. It never deletes: the older
//! sentence is quoted behind the newer one.

use std::collections::BTreeMap;

use super::cues::{Hint, HintSet};
use super::meaning::{Meaning, Sentence};
use super::reply;
use super::sentence::{cut, is_question};
use super::subjects::{self, Subjects};
use super::terms::Terms;
use super::values;

/// Statements that are compared with older ones, from the latest.
const MAX_COMPARED: usize = 400;

/// Statements that are quoted behind one that takes them back, from the latest.
const MAX_EARLIER: usize = 3;

/// Starts later words behind a quote.
pub(super) const LATER_MARK: &str = " (later: \"";
/// Bytes of a later statement behind an older one.
const MAX_LATER_BYTES: usize = 200;

/// A sentence of the user.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) turn: usize,
    pub(super) text: String,
    pub(super) is_question: bool,
    /// The user quotes a third party to ask about it.
    pub(super) is_reported: bool,
    /// The later statement beside which it is quoted.
    pub(super) superseded_by: Option<usize>,
    /// Statements that this one takes back or corrects.
    pub(super) earlier: Vec<String>,
    /// The latest statement that says something else of the same subject, if it takes nothing back for sure.
    pub(super) later: Option<String>,
    /// That statement replaces it, as far as its words tell.
    pub(super) is_replaced: bool,
    pub(super) position: StatementPosition,
    pub(super) terms: Terms,
    hints: HintSet,
    meaning: Meaning,
}

/// Where a statement stands.
#[derive(Debug, Default)]
pub(super) struct StatementPosition {
    /// It is the first, or the last, of its prompt.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    pub(super) answers: AnsweredWords,
}

/// What the model said just before a statement that opens a prompt.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum AnsweredWords {
    #[default]
    Nothing,
    Proposal,
    /// Options, of which the prompt only picks one.
    Options,
}

impl Statement {
    pub(super) fn new(turn: usize, text: &str) -> Self {
        Self {
            turn,
            text: text.to_owned(),
            is_question: is_question(text),
            is_reported: false,
            superseded_by: None,
            earlier: Vec::new(),
            later: None,
            is_replaced: false,
            position: StatementPosition::default(),
            terms: Terms::new(text),
            hints: HintSet::new(text),
            meaning: Meaning::default(),
        }
    }

    pub(super) fn has(&self, hint: Hint) -> bool {
        self.hints.has(hint)
    }

    /// Whether it reads like a rule that is in force.
    pub(super) fn is_rule(&self) -> bool {
        self.hints.has(Hint::Standing)
            && !self.hints.has(Hint::Personal)
            && !self.is_question
            && !self.is_reported
            && !self.is_bare_rejection()
            && self.superseded_by.is_none()
    }

    /// Whether it opens a prompt by turning down what the model did.
    pub(super) fn is_bare_rejection(&self) -> bool {
        self.position.is_first && self.has(Hint::BareRejection)
    }

    /// Returns its words, with those that it corrects.
    pub(super) fn quote(&self, bytes: usize) -> String {
        let mut text = cut(without_bullet(&self.text), bytes);
        for earlier in &self.earlier {
            text.push_str(&format!(" (earlier: \"{}\")", cut(earlier, bytes)));
        }
        text.push_str(&self.later.as_deref().map(mark_later).unwrap_or_default());
        text
    }

    pub(super) fn sentence(&self) -> Sentence<'_> {
        Sentence { text: &self.text, meaning: &self.meaning }
    }

    /// Whether it has words of a correction.
    fn is_correcting(&self) -> bool {
        self.has(Hint::Contrast) || self.has(Hint::Revoking) || self.has(Hint::Correction)
    }
}

/// Returns a quote with later words about the same.
pub(super) fn with_later(text: &str, later: Option<&str>) -> String {
    later.map_or_else(|| text.to_owned(), |later| format!("{text}{}", mark_later(later)))
}

fn mark_later(text: &str) -> String {
    format!("{LATER_MARK}{}\")", cut(without_bullet(text), MAX_LATER_BYTES))
}

/// Returns a line without the mark of the user's own list.
fn without_bullet(text: &str) -> &str {
    let marks = ["- ", "* ", "• ", "– "];
    marks.iter().find_map(|mark| text.strip_prefix(mark)).map_or(text, str::trim_start)
}

/// Moves each statement that was taken back beside the latest one that did so, and marks those whose subject
/// later ones speak of.
pub(super) fn resolve(statements: &mut [Statement], subjects: &Subjects) {
    let first = statements.len().saturating_sub(MAX_COMPARED);
    for newer in (first..statements.len()).rev() {
        // What a statement took back stays so if it is itself taken back.
        let shown = statements[newer].superseded_by.unwrap_or(newer);
        let mut may_correct = true;
        for older in candidates(statements, subjects, newer).into_iter().rev() {
            let (one, other) = (&statements[newer], &statements[older]);
            // A correction without other hints means the nearest words about the same.
            let is_corrected = may_correct && corrects(one, other);
            may_correct &= !is_corrected;
            if other.superseded_by.is_none() && (is_corrected || supersedes(one, other)) {
                statements[older].superseded_by = Some(shown);
                let text = statements[older].text.clone();
                if statements[shown].earlier.len() < MAX_EARLIER {
                    statements[shown].earlier.push(text);
                }
            }
        }
    }
    let prompts = short_prompts(statements);
    for older in (first..statements.len()).rev() {
        if statements[older].superseded_by.is_none() {
            let one = &statements[older];
            let by_words = subjects.later_about(one, statements);
            let plain = by_words.filter(|(relation, _)| *relation >= subjects::PLAIN);
            let later = plain
                .map(|(_, at)| at)
                .or_else(|| subjects::closest_later(one, statements))
                .or(by_words.map(|(_, at)| at))
                .or_else(|| subjects.later_prompt(one, statements, &prompts));
            statements[older].is_replaced = plain.is_some();
            let shown = later.map(|at| statements[at].superseded_by.unwrap_or(at));
            statements[older].later = shown.map(|at| words_from(statements, at));
        }
    }
}

/// Returns short prompts of several sentences as one each, by the first of them: often one says what is wrong, and
/// the next one what shall be.
fn short_prompts(statements: &[Statement]) -> BTreeMap<usize, Statement> {
    const MAX_SENTENCES: usize = 3;
    let mut found = BTreeMap::new();
    let mut start = 0;
    for all in statements.chunk_by(|one, other| one.turn == other.turn) {
        let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        let text = texts.join(" ");
        if (2..=MAX_SENTENCES).contains(&all.len()) && text.len() <= MAX_LATER_BYTES {
            found.insert(start, Statement::new(all[0].turn, &text));
        }
        start += all.len();
    }
    found
}

/// Returns a statement with what its prompt goes on to say, as far as that is short.
pub(super) fn words_from(statements: &[Statement], at: usize) -> String {
    let mut text = without_bullet(&statements[at].text).to_owned();
    for next in statements[at + 1..].iter().take_while(|one| one.turn == statements[at].turn) {
        if text.len() + 1 + next.text.len() > MAX_LATER_BYTES {
            break;
        }
        text.push(' ');
        text.push_str(&next.text);
    }
    text
}

/// Returns the older statements that a statement may mean, in order: they share a word or stand just before it.
fn candidates(statements: &[Statement], subjects: &Subjects, newer: usize) -> Vec<usize> {
    let turn = statements[newer].turn;
    let start = statements[..newer].partition_point(|one| one.turn + 1 < turn);
    let mut found = subjects.sharing(&statements[newer].terms);
    found.retain(|&older| older < start);
    found.extend(start..newer);
    found
}

/// Whether the newer statement seems to take the older one back.
fn supersedes(newer: &Statement, older: &Statement) -> bool {
    if newer.is_question || older.is_question {
        return false;
    }
    if newer.turn == older.turn {
        return newer.hints.has(Hint::Reversal) && revokes(newer, older);
    }
    corrects_value(newer, older) || revokes(newer, older)
}

/// Whether the newer statement opens a prompt with a correction that may mean the older one.
fn corrects(newer: &Statement, older: &Statement) -> bool {
    let is_possible =
        newer.turn > older.turn && newer.hints.has(Hint::Correction) && newer.position.is_first;
    is_possible
        && subjects::is_said(older)
        && (follows(newer, older) || newer.terms.shared(&older.terms) > 0 && older.turn > 0)
}

/// Whether the newer statement gives another value than the older one.
pub(super) fn corrects_value(newer: &Statement, older: &Statement) -> bool {
    let shared = newer.terms.shared(&older.terms);
    let is_next = newer.turn == older.turn + 1;
    let is_correcting = newer.is_correcting();
    has_new_value(newer, older, is_next, is_correcting)
        || is_correcting && shared > 0 && rejects_value(newer, older)
}

/// Whether the newer statement follows the older one, and no proposal of the model stands between them.
fn follows(newer: &Statement, older: &Statement) -> bool {
    let is_other_choice = || reply::names_option(&newer.text);
    newer.position.answers == AnsweredWords::Nothing
        && older.position.is_last
        && newer.turn == older.turn + 1
        && (older.position.answers != AnsweredWords::Options || is_other_choice())
}

/// Whether the newer statement speaks of the same as the older one, with words that take it back.
fn revokes(newer: &Statement, older: &Statement) -> bool {
    let shared = newer.terms.shared(&older.terms);
    let smaller = newer.terms.words.len().min(older.terms.words.len()).max(1);
    let is_clear = older.hints.has(Hint::Standing)
        || newer.hints.has(Hint::Replacing) && shared * 2 >= smaller;
    let least = if is_clear { 1 } else { 2 };
    newer.hints.has(Hint::Revoking)
        && shared >= least
        && shared * 3 >= smaller
        && !newer.terms.has_other_names(&older.terms)
}

/// Whether both give a value in the same unit, and the values differ.
fn has_new_value(newer: &Statement, older: &Statement, is_next: bool, is_correcting: bool) -> bool {
    older.terms.values.iter().any(|(value, unit)| {
        let is_other = |(other, its_unit): (&String, &String)| other != value && its_unit == unit;
        !unit.is_empty()
            && (is_correcting || !values::is_named(unit))
            && newer.terms.values.iter().any(is_other)
            && (is_correcting || !newer.terms.values.contains_key(value))
            && (is_next && is_correcting || has_topic(newer, older, unit))
    })
}

/// Whether two statements share a word beside a unit.
fn has_topic(newer: &Statement, older: &Statement, unit: &str) -> bool {
    newer.terms.words.intersection(&older.terms.words).any(|word| !word.starts_with(unit))
}

/// Whether the newer names a value of the older beside another one.
fn rejects_value(newer: &Statement, older: &Statement) -> bool {
    let is_named = |value: &String| newer.terms.values.contains_key(value);
    older.terms.values.keys().any(is_named)
        && newer.terms.values.keys().any(|value| !older.terms.values.contains_key(value))
}

/// Statements of one turn each.
#[cfg(test)]
pub(super) fn prompts_of_one_sentence(texts: &[&str]) -> Vec<Statement> {
    let all = texts.iter().enumerate().map(|(turn, text)| {
        let position =
            StatementPosition { is_first: true, is_last: true, ..StatementPosition::default() };
        Statement { position, ..Statement::new(turn, text) }
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(older: &str, newer: &str, expect: bool) {
        let (older, newer) = (Statement::new(0, older), Statement::new(1, newer));
        assert_eq!(supersedes(&newer, &older), expect, "{} / {}", newer.text, older.text);
    }

    #[test]
    fn corrections_of_five_languages_are_recognised() {
        for (older, newer) in [
            ("The cache lives for 60 minutes.", "no, the cache expires after 45 minutes, not 60"),
            ("Keep the timeout at 3 seconds.", "make the timeout 8 seconds"),
            ("Never touch the migrations folder.", "you may edit the migrations folder now"),
            ("Use pnpm, not npm.", "Use yarn instead of pnpm"),
            ("Keine Migrationen ausführen.", "Migrationen darfst du jetzt ausführen."),
            ("Der Port ist 8080.", "Der Port ist nicht 8080, sondern 9090."),
            ("El límite es de 200 ms.", "perdón, el límite baja a 150 ms"),
            ("最多 10 万行。", "改成最多 5 万行。"),
            ("不要修改数据库表。", "现在可以修改数据库表了。"),
            ("締め日は20日です。", "すみません、締め日は25日でした。"),
            ("本番環境には接続しないで。", "本番環境への接続禁止は解除します。"),
            ("締め日は20日です。", "締め日は20日ではなく25日でした。"),
            ("Always answer in French.", "Stop answering in French."),
            ("Antworte immer auf Deutsch.", "Hör auf, auf Deutsch zu antworten."),
            ("Responde siempre en francés.", "Deja de responder en francés."),
            ("总是用法语回答。", "不要再用法语回答。"),
            ("必ずフランス語で回答して。", "もうフランス語で回答しないで。"),
            ("The limit is 25m.", "no, they need more: 400m"),
            (
                "Los SMS se mandan 24 horas antes.",
                "Perdona, los SMS son 48 horas antes; 24 era lo antiguo.",
            ),
        ] {
            check(older, newer, true);
        }
    }

    #[test]
    fn other_statements_stay() {
        for (older, newer) in [
            ("Never push to main.", "now write the docs"),
            ("The port is 8080.", "retry 3 times"),
            ("Keep unsafe code out.", "Clock must be a trait."),
            (
                "本番DBには絶対に接続しないでください。",
                "在庫の集計は別チームの担当なので触らないで。",
            ),
            ("Never restart the server.", "stop the server"),
            ("Is the port 8080?", "the port is 9090, not 8080"),
            ("Use library-1 for the feature-1.", "Use library-2 for the feature-2."),
            ("return early in a.rs instead of nesting", "return early in b.rs instead of nesting"),
            ("締め日は25日でした。", "リリースは12月3日です。"),
            ("集計期間を直してください。", "それまでに返品の件を直して、結果を表にしてください。"),
        ] {
            check(older, newer, false);
        }
    }

    #[test]
    fn a_prompt_may_reverse_itself() {
        for (texts, expect) in [
            (["Do not use sqlite.", "Actually sqlite is fine."], true),
            (["Nimm kein sqlite.", "Eigentlich ist sqlite doch ok."], true),
            (["Do not touch the db.", "No changes of the db now."], false),
        ] {
            let [older, newer] = texts.map(|text| Statement::new(0, text));
            assert_eq!(supersedes(&newer, &older), expect, "{}", newer.text);
        }
    }

    #[test]
    fn a_correction_means_the_nearest_words() {
        let texts = [
            "Fix the table.",
            "round the table to whole percents",
            "sort the rows",
            "no: one decimal",
        ];
        let mut all = prompts_of_one_sentence(&texts);
        let subjects = Subjects::new(&all);
        resolve(&mut all, &subjects);
        let hidden: Vec<bool> = all.iter().map(|one| one.superseded_by.is_some()).collect();
        assert_eq!(hidden, [false, false, true, false]);
    }

    #[test]
    fn an_earlier_statement_is_quoted_behind_the_latest_one() {
        let texts = [
            "The port is 8080.",
            "The port is 8081 now, not 8080.",
            "The port is 8082 now, not 8081.",
        ];
        let mut all: Vec<Statement> =
            texts.iter().enumerate().map(|(turn, text)| Statement::new(turn, text)).collect();
        let subjects = Subjects::new(&all);
        resolve(&mut all, &subjects);
        assert!(all[0].superseded_by == Some(2) && all[1].superseded_by == Some(2));
        assert!(all[2].quote(200).contains("(earlier: \"The port is 8081"));
    }
}
