//! Finds which of the user's sentences speak of the same thing.
//!
//! Most people change a value without a word like "instead". So a sentence is quoted with the latest one that says
//! something else of its subject; which of them holds is left to the reader. A wrong guess costs some bytes only.

use std::collections::BTreeMap;

use super::cues::Hint;
use super::meaning;
use super::supersession::Statement;
use super::terms::{Terms, is_unspaced};

/// A word in this many sentences, or in one of so many, is telling in any conversation.
const MAX_TELLING: usize = 3;
const TELLING_SHARE: usize = 16;

/// A unit in this many sentences measures one thing.
const MAX_RARE: usize = 2;

/// From it on a relation is plain, and nothing else is looked for.
pub(super) const PLAIN: usize = 3;

/// Of sentences with more words, two that tell something have to be shared.
const MAX_SHORT_WORDS: usize = 3;

/// The statements of a conversation by their words.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    by_word: BTreeMap<String, Vec<usize>>,
    by_unit: BTreeMap<String, Vec<usize>>,
    count: usize,
}

impl Subjects {
    pub(super) fn new(statements: &[Statement]) -> Self {
        let mut subjects = Self { count: statements.len(), ..Self::default() };
        for (at, statement) in statements.iter().enumerate() {
            for word in &statement.terms.words {
                match subjects.by_word.get_mut(word) {
                    Some(found) => found.push(at),
                    None => drop(subjects.by_word.insert(word.clone(), vec![at])),
                }
            }
            for unit in statement.terms.units() {
                let found = subjects.by_unit.entry(unit.to_owned()).or_default();
                if found.last() != Some(&at) {
                    found.push(at);
                }
            }
        }
        subjects
    }

    /// Returns the statements that share a word with a sentence, in order.
    pub(super) fn sharing(&self, terms: &Terms) -> Vec<usize> {
        let found = terms.words.iter().filter_map(|word| self.by_word.get(word));
        let mut found: Vec<usize> = found.flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the statement that says most plainly something else of the subject of a sentence, of equals the latest,
    /// and how plainly.
    pub(super) fn later_about(
        &self,
        older: &Statement,
        all: &[Statement],
    ) -> Option<(usize, usize)> {
        if !is_said(older) {
            return None;
        }
        let mut found = self.sharing(&older.terms);
        found.extend(older.terms.units().filter_map(|unit| self.rare_unit(unit)).flatten());
        found.extend(of_next_turn(older, all));
        found.sort_unstable();
        // What was replaced itself is no news.
        found.retain(|&at| !all[at].is_replaced);
        let rated = found.into_iter().map(|at| (self.relation(&all[at], older), at));
        rated.max().filter(|(relation, _)| *relation > 0)
    }

    /// Returns the first statement of the prompt that, as a whole, says most plainly something else of a subject.
    pub(super) fn later_prompt(
        &self,
        older: &Statement,
        all: &[Statement],
        prompts: &BTreeMap<usize, Statement>,
    ) -> Option<usize> {
        if !is_said(older) {
            return None;
        }
        let mut found = self.sharing(&older.terms);
        found.extend(of_next_turn(older, all));
        let start = |at: usize| prompts.range(..=at).next_back();
        let prompts = found.into_iter().filter_map(|at| {
            let (first, prompt) = start(at).filter(|(_, prompt)| prompt.turn == all[at].turn)?;
            let is_news = !all[*first].is_replaced && all[*first].superseded_by.is_none();
            is_news.then(|| (self.relation(prompt, older), *first))
        });
        prompts.max().filter(|(relation, _)| *relation > 0).map(|(_, at)| at)
    }

    /// Rates how plainly a later statement speaks of the same as a sentence, but not in the same words.
    fn relation(&self, newer: &Statement, older: &Statement) -> usize {
        if !is_news_after(newer, older) {
            return 0;
        }
        let signs = [
            (4, newer.terms.has_same_key(&older.terms)),
            (4, self.has_other_value(newer, older)),
            (3, self.has_same_words(newer, older)),
            (2, self.has_same_lead(newer, older)),
            (1, self.own_words(newer, older) >= if older.has(Hint::Standing) { 1 } else { 2 }),
        ];
        let all: usize = signs.iter().filter(|(_, has)| *has).map(|(points, _)| points).sum();
        let more = self.telling(newer, older) + usize::from(newer.has(Hint::Revoking));
        if all == 0 { 0 } else { all + more }
    }

    /// Counts the shared words that hardly another sentence has. One is enough for a rule, which does harm once it is
    /// lifted.
    fn own_words(&self, newer: &Statement, older: &Statement) -> usize {
        if newer.terms.has_other_names(&older.terms) {
            return 0;
        }
        let is_own =
            |word: &&String| self.by_word.get(*word).is_none_or(|all| all.len() <= MAX_TELLING);
        newer.terms.words.intersection(&older.terms.words).filter(is_own).count()
    }

    /// Whether the newer one gives another value than the older one.
    pub(super) fn has_other_value(&self, newer: &Statement, older: &Statement) -> bool {
        self.has_new_measure(newer, older)
            || newer.terms.rejects_value(&older.terms)
            || newer.terms.has_bare_value(&older.terms) && self.telling(newer, older) > 0
    }

    /// Whether both give a value of one kind, and of one subject: they share a word, or the unit is used for nothing
    /// else, or the newer one comes next.
    pub(super) fn has_new_measure(&self, newer: &Statement, older: &Statement) -> bool {
        let is_same_subject = |unit: &str| {
            let is_own_unit = newer.terms.units().any(|other| other == unit);
            is_own_unit && (newer.turn == older.turn + 1 || self.rare_unit(unit).is_some())
                || self.telling(newer, older) > 0
        };
        older.terms.replaced_units(&newer.terms).any(is_same_subject)
    }

    /// Whether both begin with one thing of which little is said.
    fn has_same_lead(&self, newer: &Statement, older: &Statement) -> bool {
        let is_telling =
            |lead: &str| self.by_word.get(lead).is_none_or(|all| self.is_few(all.len()));
        newer.terms.shared_lead(&older.terms).is_some_and(is_telling)
    }

    /// Whether half of the shorter sentence is in the other one.
    fn has_same_words(&self, newer: &Statement, older: &Statement) -> bool {
        if newer.terms.has_other_names(&older.terms) {
            return false;
        }
        let shared = newer.terms.shared(&older.terms);
        let smaller = newer.terms.words.len().min(older.terms.words.len());
        // A word of an unspaced script is several pairs of characters.
        let part =
            if older.has(Hint::Standing) || older.text.contains(is_unspaced) { 3 } else { 2 };
        let least = if smaller <= MAX_SHORT_WORDS { 1 } else { 2 };
        shared * part >= smaller && self.telling(newer, older) >= least
    }

    /// Counts the shared words that few other sentences have.
    fn telling(&self, newer: &Statement, older: &Statement) -> usize {
        let is_telling =
            |word: &&String| self.by_word.get(*word).is_none_or(|all| self.is_few(all.len()));
        newer.terms.words.intersection(&older.terms.words).filter(is_telling).count()
    }

    fn is_few(&self, count: usize) -> bool {
        count <= MAX_TELLING || count * TELLING_SHARE <= self.count
    }

    /// Returns the statements with values of a unit if they are few.
    fn rare_unit(&self, unit: &str) -> Option<&Vec<usize>> {
        self.by_unit.get(unit).filter(|found| found.len() <= MAX_RARE)
    }
}

/// Whether a statement says something that a later one can replace, or that can replace an older one.
pub(super) fn is_said(statement: &Statement) -> bool {
    !statement.is_question && !statement.has(Hint::SmallTalk)
}

/// Whether a statement comes later and says something else than an older one.
fn is_news_after(newer: &Statement, older: &Statement) -> bool {
    newer.turn > older.turn
        && is_said(newer)
        && !older.terms.is_within(&newer.terms)
        && !is_copy(newer, older)
}

/// Returns the later statement that is closest in meaning, if it is close and no copy for another thing.
pub(super) fn closest_later(older: &Statement, all: &[Statement]) -> Option<usize> {
    // One word has too little meaning.
    if !is_said(older) || older.terms.words.len() < 2 {
        return None;
    }
    let is_news = |(_, newer): &(usize, &Statement)| {
        is_news_after(newer, older)
            && !newer.is_replaced
            && newer.superseded_by.is_none()
            && !is_about_others(newer, older)
    };
    let later = all.iter().enumerate().filter(is_news);
    meaning::closest(older.sentence(), later.map(|(at, newer)| (at, newer.sentence())))
}

/// Whether a longer sentence asks the same for another thing, and with no other value, which replaces nothing.
fn is_copy(newer: &Statement, older: &Statement) -> bool {
    if newer.terms.has_same_key(&older.terms)
        || older.terms.replaced_units(&newer.terms).next().is_some()
    {
        return false;
    }
    let smaller = newer.terms.words.len().min(older.terms.words.len());
    smaller > MAX_SHORT_WORDS && newer.terms.shared(&older.terms) + 1 >= smaller
}

/// Whether two sentences say the same of different things.
fn is_about_others(newer: &Statement, older: &Statement) -> bool {
    newer.terms.words == older.terms.words
        && older.terms.replaced_units(&newer.terms).next().is_none()
}

/// Returns the statements of the turn after a sentence.
fn of_next_turn(older: &Statement, all: &[Statement]) -> std::ops::Range<usize> {
    let start = all.partition_point(|one| one.turn <= older.turn);
    let end = all.partition_point(|one| one.turn <= older.turn + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::super::supersession::{prompts_of_one_sentence, resolve};
    use super::*;

    /// Whether the first of two prompts is shown with the second one, with others between them.
    fn is_shown_with(older: &str, newer: &str) -> bool {
        let others = ["Look at the parser first.", "thanks", "Run the linter on src/lib.rs."];
        let texts = [&["Fix the importer.", older], &others[..], &[newer]].concat();
        let mut all = prompts_of_one_sentence(&texts);
        let subjects = Subjects::new(&all);
        resolve(&mut all, &subjects);
        all[1].superseded_by == Some(5) || all[1].later.as_deref() == Some(newer)
    }

    #[test]
    fn a_sentence_is_shown_with_a_later_one_about_the_same() {
        for (older, newer) in [
            (
                "The raw data stays for seven days.",
                "raw data for 90 days please, the auditor asks for it",
            ),
            ("Deploy goes to eu-west-1.", "we deploy to eu-north-1"),
            ("port is 8080", "let the server listen on port 9191"),
            ("Use Postgres for the queue.", "the queue runs on Redis"),
            ("compress with gzip", "compression: zstd level 3"),
            ("The release is on Thursday.", "release is Monday, marketing needs the weekend"),
            ("answer me in English", "von hier an auf Deutsch antworten"),
            ("branch name: dsp/try-ramp", "the branch is fix/preset-click"),
            ("Never touch the migrations folder.", "add a migration for the new column"),
            ("no toast on sort", "keep the toast"),
            ("max upload 20 MB", "customers upload 2 GB files, allow that"),
            ("node 18 in CI", "CI runs node 22"),
            ("Log level is debug.", "log level: info"),
            ("We retry three times.", "five retries are enough"),
            ("Das Archiv liegt in Frankfurt.", "das Archiv kommt nach Dublin"),
            ("Die Sitzung läuft nach 30 Minuten ab.", "Sitzungen laufen nach 2 Stunden ab"),
            ("Farbe der Schaltfläche: blau", "die Schaltfläche wird grün"),
            ("Der Bericht geht an Frau Kern.", "Bericht bitte an Herrn Adler schicken"),
            ("Einzug am 5. des Monats", "Einzug am 10."),
            ("El informe se manda los lunes.", "el informe se manda los jueves"),
            ("La moneda por defecto es el euro.", "la moneda por defecto es el dólar"),
            ("Guarda las copias 15 días.", "las copias se guardan dos meses"),
            ("usa la cola larga", "la cola es bigmem"),
            ("预约保留三天。", "预约保留 5 天。"),
            ("日志级别是 debug。", "日志级别用 info。"),
            ("默认货币是欧元。", "默认货币是美元。"),
            ("周五上线。", "上线时间是下周二,因为要等审核。"),
            ("保存期間は7年です。", "保存期間は10年です。"),
            ("競合したら、サーバー側を優先。", "競合時は端末側を優先。"),
            ("カメラの解像度は1080pです。", "解像度は720pで十分です。"),
            ("Le rapport part le lundi.", "le rapport part le vendredi"),
            ("Les sauvegardes restent 7 jours.", "garde les sauvegardes trente jours"),
            ("Dave is incident lead", "Rosalind is running the incident from here"),
            ("put the legend bottom left", "legend top right, the zoom buttons cover it otherwise"),
            (
                "you may push to origin when tests are green",
                "stay local please, origin has a freeze",
            ),
            ("Submit to the short queue.", "the cluster team asked us to use the long queue"),
        ] {
            assert!(is_shown_with(older, newer), "{older} / {newer}");
        }
    }

    #[test]
    fn other_subjects_stay_apart() {
        for (older, newer) in [
            ("Never push to main.", "write the docs for the importer"),
            ("The port is 8080.", "retry 3 times"),
            ("Use library-1 for the feature-1.", "Use library-2 for the feature-2."),
            ("return early in a.rs instead of nesting", "return early in b.rs instead of nesting"),
            (
                "rename the helper in Queue so that it says what it returns",
                "rename the helper in Parser so that it says what it returns",
            ),
            ("fix ABC-12", "now ABC-13"),
            ("The export needs a header row and a date column.", "the login form must trim blanks"),
            ("締め日は25日です。", "画面の色を直してください。"),
            ("Der Zeitraum ist falsch berechnet.", "Schreib einen Test für die Anmeldung."),
            ("arregla el filtro de categorías", "documenta la instalación"),
            ("搜索太慢了。", "登录页面的按钮要大一点。"),
            ("wait 5 seconds between calls of the payment API", "the build takes 40 minutes"),
        ] {
            assert!(!is_shown_with(older, newer), "{older} / {newer}");
        }
    }
}
