//! What later calls took over from a result: paths, names, lines and quotes that it was the first to show.

use std::collections::{HashMap, HashSet};

use forebay_domain::hook::ToolKind;

use super::conversation::{Content, Conversation, PastCall, PastResult};
use super::replacement::{Outcome, Replacement};
use super::terms::{Term, TermIndex, TermKind, mentions};

/// A thing that a call names and that a result was the first to show. Each is counted once, where it is first named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) kind: TermKind,
    /// The call whose result showed it.
    pub(super) source: usize,
    /// The call that names it.
    pub(super) by: usize,
    pub(super) fate: Fate,
}

/// Where the model would have found a thing when it named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// In a result that stays as it is.
    Kept,
    /// In the digest.
    Visible,
    /// Not in the digest, but in what was shown of a later result before it was named.
    ShownAgain,
    /// In the stored text behind the digest's reference.
    OneCallAway,
    /// Nowhere: it is not in the stored text.
    Lost,
}

/// The first edit or command after a replaced result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NextAction {
    pub(super) source: usize,
    /// Things it names that the result was the first to show.
    pub(super) named: u64,
    /// Those of them that the digest shows.
    pub(super) visible: u64,
}

/// What was used of the results of a conversation.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) uses: Vec<Use>,
    pub(super) next_actions: Vec<NextAction>,
}

/// Finds what calls use of results; `outcomes` has one element per call.
pub(super) fn find(conversation: &Conversation, outcomes: &[Option<Outcome>]) -> Uses {
    let mut reader = Reader {
        conversation,
        outcomes,
        shown: TermIndex::default(),
        delivered: HashMap::new(),
        named: HashSet::new(),
        without_action: Vec::new(),
        found: Uses::default(),
    };
    (0..conversation.steps.len()).for_each(|step| reader.read(step));
    reader.found
}

/// Follows a conversation step by step.
struct Reader<'a> {
    conversation: &'a Conversation,
    outcomes: &'a [Option<Outcome>],
    /// What the conversation showed so far.
    shown: TermIndex,
    /// What the model would have been shown of results, by call.
    delivered: HashMap<usize, TermIndex>,
    /// Things that were named before.
    named: HashSet<(TermKind, String)>,
    /// Replaced results after which no edit and no command followed yet.
    without_action: Vec<usize>,
    found: Uses,
}

impl<'a> Reader<'a> {
    fn read(&mut self, step: usize) {
        match &self.conversation.steps[step].content {
            Content::Asked(text) | Content::Said(text) => self.shown.add(text, step as u32),
            Content::Compaction => {}
            Content::Call(index) => self.read_call(step, *index),
            Content::Result(index) => {
                if let Some(result) = &self.conversation.calls[*index].result {
                    self.shown.add(&result.text, step as u32);
                }
                if self.replacement(*index).is_some() {
                    self.without_action.push(*index);
                }
            }
        }
    }

    fn read_call(&mut self, step: usize, index: usize) {
        let conversation = self.conversation;
        let call = &conversation.calls[index];
        let named = self.named_by(call, step);
        for (term, source) in &named {
            if self.named.insert((term.kind, term.text.clone())) {
                let fate = self.fate(term, *source, step);
                self.found.uses.push(Use { kind: term.kind, source: *source, by: index, fate });
            }
        }
        if matches!(call.kind, ToolKind::Shell | ToolKind::Edit | ToolKind::Write) {
            self.act(step, &named);
        }
        self.shown.add(&call.texts, step as u32);
        if let Some(description) = &call.description {
            self.shown.add(description, step as u32);
        }
    }

    /// What a call names of results that the model had seen, each with the call whose result showed it first.
    fn named_by(&self, call: &PastCall, step: usize) -> Vec<(Term, usize)> {
        let cwd = self.conversation.cwd.as_deref();
        let mut is_known = |term: &Term| self.origin(term, step).is_some();
        let mut named: Vec<(Term, usize)> = Vec::new();
        for term in mentions(&call.texts, cwd, &mut is_known) {
            let origin = self.origin(&term, step);
            let Some(Content::Result(source)) =
                origin.map(|origin| &self.conversation.steps[origin].content)
            else {
                continue;
            };
            let is_new = !named.iter().any(|(known, _)| *known == term);
            if is_new && self.has_seen(*source, step) {
                named.push((term, *source));
            }
        }
        named
    }

    /// The step that showed a term first.
    fn origin(&self, term: &Term, before: usize) -> Option<usize> {
        if term.kind != TermKind::Quote {
            return self.shown.origin(term).map(|id| id as usize);
        }
        let shows = |step: &usize| {
            self.texts_of(*step).iter().any(|text| text.contains(term.text.as_str()))
        };
        (0..before).find(shows)
    }

    fn texts_of(&self, step: usize) -> [&'a str; 2] {
        let calls = &self.conversation.calls;
        match &self.conversation.steps[step].content {
            Content::Asked(text) | Content::Said(text) => [text, ""],
            Content::Call(index) => {
                let PastCall { texts, description, .. } = &calls[*index];
                [texts, description.as_deref().unwrap_or_default()]
            }
            Content::Result(index) => {
                [calls[*index].result.as_ref().map_or("", |result| &result.text), ""]
            }
            Content::Compaction => ["", ""],
        }
    }

    /// Whether the request that made the call of a step had read a result: not if both belong to one answer.
    fn has_seen(&self, source: usize, step: usize) -> bool {
        let result = self.conversation.calls[source].result.as_ref();
        result.is_some_and(|result| {
            self.conversation.steps[result.step].reader < self.conversation.steps[step].reader
        })
    }

    fn replacement(&self, index: usize) -> Option<&'a Replacement> {
        match self.outcomes.get(index)?.as_ref()? {
            Outcome::Replaced(replacement) => Some(replacement),
            Outcome::Kept(_) => None,
        }
    }

    fn fate(&mut self, term: &Term, source: usize, step: usize) -> Fate {
        let Some(replacement) = self.replacement(source) else { return Fate::Kept };
        if self.delivers(source, term) {
            return Fate::Visible;
        }
        let from = self.conversation.calls[source].result.as_ref().map_or(step, |one| one.step + 1);
        for between in from..step {
            if let Content::Result(later) = self.conversation.steps[between].content
                && self.has_seen(later, step)
                && self.delivers(later, term)
            {
                return Fate::ShownAgain;
            }
        }
        let is_stored = replacement
            .redacted
            .as_ref()
            .is_none_or(|text| TermIndex::of_text(text).shows(term, text));
        if is_stored { Fate::OneCallAway } else { Fate::Lost }
    }

    /// Whether the model would have been shown a term in the result of a call.
    fn delivers(&mut self, index: usize, term: &Term) -> bool {
        let raw = self.conversation.calls[index].result.as_ref();
        let raw = raw.map_or("", |PastResult { text, .. }| text.as_str());
        let text = self.replacement(index).map_or(raw, |replacement| replacement.text.as_str());
        self.delivered.entry(index).or_insert_with(|| TermIndex::of_text(text)).shows(term, text)
    }

    /// Takes a call as the next action after the replaced results that the model had seen.
    fn act(&mut self, step: usize, named: &[(Term, usize)]) {
        let waiting = std::mem::take(&mut self.without_action);
        for source in waiting {
            if !self.has_seen(source, step) {
                self.without_action.push(source);
                continue;
            }
            let own = named.iter().filter(|(_, from)| *from == source);
            let (mut count, mut visible) = (0, 0);
            for (term, _) in own {
                count += 1;
                visible += u64::from(self.delivers(source, term));
            }
            self.found.next_actions.push(NextAction { source, named: count, visible });
        }
    }
}
