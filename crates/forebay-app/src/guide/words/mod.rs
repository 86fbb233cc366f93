//! What the user and the model said in a session, as far as the guide quotes it.
//!
//! Nothing is summarized: sentences are quoted, cut and placed. A sentence that later words seem to take back is
//! shown beside them only, so that nothing revoked reads as if it were in force.

mod cues;
mod meaning;
mod paste;
mod paste_kinds;
mod phrases;
mod reply;
mod sentence;
mod subjects;
mod supersession;
mod terms;
mod values;

use std::collections::HashSet;

use self::cues::Hints;
pub(crate) use self::paste::condense;
use self::sentence::{cut, digest, digest_shown, is_question, sentences};
use self::subjects::Subjects;
use self::supersession::{AnsweredWords, Statement};
use self::terms::is_name;

/// One message, in the order of the session.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    Prompt(String),
    Answer(String),
}

/// A prompt and the answers to it.
#[derive(Debug, Default)]
pub(super) struct Turn {
    prompt: String,
    answers: Vec<String>,
    /// Positions of its sentences among the statements.
    statements: Vec<usize>,
}

/// A conversation, oldest turn first.
#[derive(Debug, Default)]
pub(super) struct Talk {
    turns: Vec<Turn>,
    statements: Vec<Statement>,
    subjects: Subjects,
    /// The bytes of the whole guide, by which the lengths of quotes scale.
    bytes: usize,
}

/// A quote with its place when there is no room for all: the lowest ranks stay.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) text: String,
    pub(super) rank: usize,
}

const MAX_REQUEST_BYTES: usize = 800;
const MAX_STOOD_BYTES: usize = 560;
const MAX_RULE_BYTES: usize = 300;
const MAX_PROMPT_BYTES: usize = 420;
/// Bytes of all quoted answers, and of each.
const ALL_ANSWERS_BYTES: usize = 2_000;
const MIN_ANSWER_BYTES: usize = 200;
const MAX_ANSWER_BYTES: usize = 500;
const MAX_PROPOSAL_BYTES: usize = 300;
/// Answers and questions that are quoted beside the user's statements.
const MAX_ANSWERS: usize = 14;
const MAX_QUESTIONS: usize = 8;

/// An answer that tells less is not quoted, unless it is longer than this.
const MIN_SALIENCE: i32 = 2;
const MIN_TELLING_BYTES: usize = 50;

/// The guide's size for which these lengths are meant.
const FULL_BYTES: usize = 4_000;

/// Ranks above all statements.
const ANSWER_RANK: usize = 10_000;
const QUESTION_RANK: usize = 20_000;

impl Talk {
    /// Reads messages, given oldest first.
    pub(super) fn new(messages: Vec<Message>, bytes: usize) -> Self {
        let mut talk = Self { bytes, ..Self::default() };
        for message in messages {
            match message {
                Message::Prompt(text) => {
                    talk.turns.push(Turn { prompt: condense(&text), ..Turn::default() });
                }
                Message::Answer(text) => match talk.turns.last_mut() {
                    Some(turn) => turn.answers.push(text),
                    None => talk.turns.push(Turn { answers: vec![text], ..Turn::default() }),
                },
            }
        }
        for at in 0..talk.turns.len() {
            let own = talk.read_statements(at);
            let start = talk.statements.len();
            talk.statements.extend(own);
            talk.turns[at].statements = (start..talk.statements.len()).collect();
        }
        talk.subjects = Subjects::new(&talk.statements);
        supersession::resolve(&mut talk.statements, &talk.subjects);
        talk.mark_agreed_values();
        talk
    }

    /// Marks statements to whose values the user agreed to give others: "yes" to "shall I raise it to 5?".
    fn mark_agreed_values(&mut self) {
        for at in (0..self.turns.len()).rev() {
            if !self.is_reply(at) || reply::rejects(&self.turns[at].prompt) {
                continue;
            }
            let Some(proposal) = self.proposal_before(at) else { continue };
            let agreed = Statement::new(at, &proposal);
            for older in self.subjects.sharing(&agreed.terms) {
                let one = &mut self.statements[older];
                let is_open = one.superseded_by.is_none() && one.later.is_none();
                if is_open && one.turn < at && self.subjects.has_other_value(&agreed, one) {
                    one.later = Some(proposal.clone());
                }
            }
        }
    }

    /// Returns what a short reply answers: the option that it names, or the end of the answer before.
    fn proposal_before(&self, at: usize) -> Option<String> {
        let answer = self.answer_before(at)?;
        let bytes = self.scaled(MAX_PROPOSAL_BYTES);
        let option = reply::chosen_option(&self.turns[at].prompt, answer);
        Some(cut(&option.unwrap_or_else(|| reply::end_of(answer, bytes)), bytes))
    }

    /// Returns the sentences of a prompt.
    fn read_statements(&self, at: usize) -> Vec<Statement> {
        let texts = sentences(&self.turns[at].prompt);
        let ends_with_question = texts.last().is_some_and(|last| is_question(last));
        let mut own: Vec<Statement> =
            texts.into_iter().map(|text| Statement::new(at, text)).collect();
        for one in &mut own {
            one.is_reported = ends_with_question && cues::quotes_others(&one.text);
        }
        if let Some(first) = own.first_mut() {
            first.position.is_first = true;
            first.position.answers = self.answered_words(at);
        }
        if let Some(last) = own.last_mut() {
            last.position.is_last = true;
        }
        own
    }

    /// Returns what the model said just before a prompt.
    fn answered_words(&self, at: usize) -> AnsweredWords {
        let before = at.checked_sub(1).and_then(|before| self.turns[before].answers.last());
        match before {
            Some(answer) if reply::chosen_option(&self.turns[at].prompt, answer).is_some() => {
                AnsweredWords::Options
            }
            Some(answer) if reply::is_proposal(answer) => AnsweredWords::Proposal,
            _ => AnsweredWords::Nothing,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.iter().all(|turn| turn.prompt.is_empty() && turn.answers.is_empty())
    }

    /// Returns the user's last words; when short, with what they answer.
    pub(super) fn last_request(&self) -> Option<String> {
        let (at, turn) = self.last_prompt()?;
        let mut text = if turn.prompt.len() <= self.scaled(MAX_REQUEST_BYTES) {
            turn.prompt.clone()
        } else {
            let own = sentences(&turn.prompt);
            digest(&own, self.scaled(MAX_REQUEST_BYTES), |at, text| salience(at, own.len(), text))
        };
        for earlier in turn.statements.iter().flat_map(|&one| &self.statements[one].earlier) {
            text.push_str(&format!(
                " (earlier: \"{}\")",
                cut(earlier, self.scaled(MAX_RULE_BYTES))
            ));
        }
        if reply::is_short(&turn.prompt)
            && let Some(answer) = self.answer_before(at)
        {
            // The end of an answer follows in its own section.
            match reply::chosen_option(&turn.prompt, answer) {
                Some(option) => text
                    .push_str(&format!(" (to: {})", cut(&option, self.scaled(MAX_PROPOSAL_BYTES)))),
                None if !turn.answers.is_empty() => {
                    let proposal = reply::end_of(answer, self.scaled(MAX_PROPOSAL_BYTES));
                    text.push_str(&format!(" (to: {proposal})"));
                }
                None => {}
            }
        }
        Some(text)
    }

    /// Returns the end of the last answer, and whether the last request came after it.
    pub(super) fn where_it_stood(&self) -> Option<(String, bool)> {
        let answer = self.turns.iter().rev().find_map(|turn| turn.answers.last())?;
        let is_open = self.turns.last().is_some_and(|turn| turn.answers.is_empty());
        Some((reply::end_of(answer, self.scaled(MAX_STOOD_BYTES)), is_open))
    }

    /// Returns the user's rules in force, oldest first.
    pub(super) fn rules(&self) -> Vec<Quote> {
        let last = self.last_prompt().map(|(at, _)| at);
        let is_earlier_rule = |one: &&Statement| one.is_rule() && Some(one.turn) != last;
        let mut seen = HashSet::new();
        let mut rules: Vec<&Statement> = self.statements.iter().filter(is_earlier_rule).collect();
        rules.retain(|rule| seen.insert(rule.text.as_str()));
        let count = rules.len();
        let line = |(at, rule): (usize, &&Statement)| Quote {
            text: format!("- {}", rule.quote(self.scaled(MAX_RULE_BYTES))),
            // From both ends: the first rules and the latest ones matter most.
            rank: at.min(count - at),
        };
        rules.iter().enumerate().map(line).collect()
    }

    /// Returns the user's words and what they were answered, newest first.
    pub(super) fn words(&self) -> Vec<Quote> {
        let Some((last, _)) = self.last_prompt() else { return Vec::new() };
        let first = self.turns.iter().position(|turn| !turn.prompt.is_empty());
        let mut quotes = Vec::new();
        let mut questions = 0;
        let quoted_answers = self.best_answers();
        for (age, (at, turn)) in self.turns.iter().enumerate().rev().enumerate() {
            let is_first = Some(at) == first;
            if at != last && (is_first || !self.is_reply(at)) {
                let (text, asks) = self.own_words(turn, is_first);
                questions += usize::from(asks);
                let asks = asks || reply::is_short(&turn.prompt);
                let line = format!("- {text}");
                let is_new = !quotes.iter().any(|quote: &Quote| quote.text == line);
                if !text.is_empty() && is_new && (is_first || !asks || questions <= MAX_QUESTIONS) {
                    let rank = match (is_first, asks) {
                        (true, _) => 0,
                        (_, false) => age + 1,
                        (_, true) => QUESTION_RANK + age,
                    };
                    quotes.push(Quote { text: line, rank });
                }
            }
            let answer = quoted_answers.iter().find(|(turn, _)| *turn == at);
            quotes.extend(answer.map(|(_, quote)| Quote {
                text: format!("  answer: {}", quote.text),
                rank: ANSWER_RANK + quote.rank,
            }));
        }
        quotes
    }

    /// Returns short replies and rejections with what they answer, newest first.
    pub(super) fn replies(&self) -> Vec<Quote> {
        let replies = (0..self.turns.len()).rev().filter(|at| self.is_reply(*at));
        let line = |(rank, at): (usize, usize)| {
            let turn = &self.turns[at];
            let proposal = self.proposal_before(at)?;
            let words: Vec<String> = turn
                .statements
                .iter()
                .map(|&one| &self.statements[one])
                .filter(|one| one.superseded_by.is_none())
                .map(|one| one.quote(self.scaled(MAX_RULE_BYTES)))
                .collect();
            let proposal = self.with_later_value(at, &proposal);
            let text = format!("- \"{}\" to: {proposal}", words.join(" "));
            Some(Quote { text, rank })
        };
        replies.enumerate().filter_map(line).collect()
    }

    fn last_prompt(&self) -> Option<(usize, &Turn)> {
        self.turns.iter().enumerate().rev().find(|(_, turn)| !turn.prompt.is_empty())
    }

    fn answer_before(&self, at: usize) -> Option<&String> {
        self.turns[..at].iter().rev().find_map(|turn| turn.answers.last())
    }

    /// Whether a prompt is shown with the answer that it replies to.
    fn is_reply(&self, at: usize) -> bool {
        let turn = &self.turns[at];
        let is_last = self.last_prompt().is_some_and(|(last, _)| last == at);
        let answer = at.checked_sub(1).and_then(|before| self.turns[before].answers.last());
        let Some(answer) = answer.filter(|_| !is_last && !turn.prompt.is_empty()) else {
            return false;
        };
        let first = turn.statements.first().map(|&one| &self.statements[one]);
        if first.is_some_and(Statement::is_bare_rejection) {
            return true;
        }
        let is_short = reply::is_short(&turn.prompt);
        if !is_short && !reply::rejects(&turn.prompt) {
            return false;
        }
        reply::chosen_option(&turn.prompt, answer).is_some() || reply::is_proposal(answer)
    }

    /// Returns what the user said in a turn beside rules and what was taken back, and whether it only asks.
    fn own_words(&self, turn: &Turn, is_first: bool) -> (String, bool) {
        let all: Vec<&Statement> =
            turn.statements.iter().map(|&one| &self.statements[one]).collect();
        let stays = |one: &&&Statement| one.superseded_by.is_none() && !one.is_rule();
        let own: Vec<&&Statement> = all.iter().filter(stays).collect();
        let is_small_talk = Hints::new(&turn.prompt).is_small_talk();
        if own.is_empty() || (is_small_talk && !is_first) {
            return (String::new(), false);
        }
        let asks = own.iter().all(|one| one.is_question);
        let texts: Vec<&str> = own.iter().map(|one| one.text.as_str()).collect();
        let shown = |at: usize| own[at].quote(self.scaled(MAX_PROMPT_BYTES));
        let bytes =
            if is_first { self.scaled(MAX_REQUEST_BYTES) } else { self.scaled(MAX_PROMPT_BYTES) };
        (digest_shown(&texts, shown, bytes, |at, text| salience(at, texts.len(), text)), asks)
    }

    /// Returns the answers that say most, with the turn of each; the last answer has its own section.
    fn best_answers(&self) -> Vec<(usize, Quote)> {
        let last = self.turns.iter().rposition(|turn| !turn.answers.is_empty());
        let mut found: Vec<(i32, usize, String)> = Vec::new();
        let count = self.turns.iter().map(|turn| turn.answers.len()).sum::<usize>().max(1);
        let bytes =
            self.scaled((ALL_ANSWERS_BYTES / count).clamp(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES));
        for (at, turn) in self.turns.iter().enumerate() {
            let said: Vec<&String> = match turn.answers.split_last() {
                Some((_, others)) if Some(at) == last => others.iter().collect(),
                _ => turn.answers.iter().collect(),
            };
            let text = said.iter().map(|text| condense(text)).collect::<Vec<_>>().join("\n");
            let texts: Vec<&str> =
                sentences(&text).into_iter().filter(|text| !is_question(text)).collect();
            let scores: Vec<i32> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| salience(at, texts.len(), text))
                .collect();
            let best = scores.iter().max().copied();
            let shown = |one: usize| self.with_later_value(at, texts[one]);
            let quote = digest_shown(&texts, shown, bytes, |at, _| scores[at]);
            let is_new = !found.iter().any(|(_, _, other)| *other == quote);
            let best =
                best.filter(|best| *best >= MIN_SALIENCE || quote.len() >= MIN_TELLING_BYTES);
            if let Some(best) = best.filter(|_| !quote.is_empty() && is_new) {
                let best = best - if quote.len() < MIN_TELLING_BYTES { 2 } else { 0 };
                found.push((best, at, quote));
            }
        }
        found.sort_by_key(|(best, at, _)| (std::cmp::Reverse(*best), std::cmp::Reverse(*at)));
        found.truncate(MAX_ANSWERS);
        let said: Vec<Statement> = {
            let mut said: Vec<_> = found.iter().map(|(_, at, text)| (*at, text)).collect();
            said.sort_unstable();
            said.into_iter().map(|(at, text)| Statement::new(at, text)).collect()
        };
        let subjects = Subjects::new(&said);
        let quote = |(rank, (_, at, text)): (usize, (i32, usize, String))| {
            let text = self.with_fate(at, text, &said, &subjects);
            (at, Quote { text, rank })
        };
        found.into_iter().enumerate().map(quote).collect()
    }

    /// Returns a quoted answer with what became of it: a later answer has another value, or what the user had asked
    /// for was replaced.
    fn with_fate(
        &self,
        at: usize,
        text: String,
        said: &[Statement],
        subjects: &Subjects,
    ) -> String {
        if text.contains(supersession::LATER_MARK) {
            return text;
        }
        let own = said.iter().find(|one| one.turn == at);
        let newer = own.and_then(|own| {
            said.iter().rev().find(|one| one.turn > at && subjects.has_new_measure(one, own))
        });
        let asked = self.turns[at].statements.iter().rev().map(|&one| &self.statements[one]);
        let mut replaced = asked.filter_map(|one| match one.superseded_by {
            Some(shown) => Some(supersession::words_from(&self.statements, shown)),
            None => one.later.clone(),
        });
        let newer = replaced.next().or_else(|| newer.map(|one| one.text.clone()));
        supersession::with_later(&text, newer.as_deref())
    }

    /// Returns words of the model with the user's latest ones that give another value.
    fn with_later_value(&self, turn: usize, text: &str) -> String {
        let said = Statement::new(turn, text);
        if said.terms.values.is_empty() {
            return text.to_owned();
        }
        let start = self.statements.partition_point(|one| one.turn <= turn);
        let next = self.statements.partition_point(|one| one.turn <= turn + 1);
        let mut found = self.subjects.sharing(&said.terms);
        found.retain(|&at| at >= next);
        let mut later = (start..next).chain(found).rev();
        let later = later.find(|&at| supersession::corrects_value(&self.statements[at], &said));
        let shown = later.map(|at| self.statements[at].superseded_by.unwrap_or(at));
        let words = shown.map(|at| supersession::words_from(&self.statements, at));
        supersession::with_later(text, words.as_deref())
    }

    /// Returns a length for the guide's size.
    fn scaled(&self, bytes: usize) -> usize {
        bytes * self.bytes.min(FULL_BYTES) / FULL_BYTES
    }
}

/// Rates how much a sentence tells that cannot be guessed: values, names, rules, reasons.
fn salience(at: usize, count: usize, text: &str) -> i32 {
    let hints = Hints::new(text);
    3 * i32::from(text.contains(|c: char| c.is_ascii_digit()))
        + 2 * i32::from(text.split_whitespace().any(is_name))
        + 2 * i32::from(hints.is_standing())
        + i32::from(hints.is_contrast())
        + i32::from(at == 0 || at + 1 == count)
        - 2 * i32::from(is_question(text))
}
