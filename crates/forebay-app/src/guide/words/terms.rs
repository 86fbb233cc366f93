//! The terms of a sentence in any language, for comparing two of them.

use std::collections::{BTreeMap, BTreeSet};

use super::values;

/// Characters of a word that are compared: enough to match inflections.
const STEM_CHARS: usize = 6;

/// Frequent words that say nothing of their own, in lower case.
const COMMON: &[&str] = &[
    // English
    "the", "a", "an", "and", "or", "of", "to", "in", "on", "at", "for", "with", "from", "by", "as",
    "is", "are", "was", "were", "be", "it", "its", "this", "that", "these", "those", "i", "you",
    "we", "he", "she", "they", "them", "my", "your", "our", "me", "us", "do", "does", "did",
    "done", "have", "has", "had", "can", "could", "will", "would", "should", "so", "if", "then",
    "than", "there", "here", "please", "just", "also", "only", "not", "no", "yes", "ok", "now",
    "all", "any", "use", "make", "set", "go", "get", "let", "it's", "don't", "but", "one", "out",
    "up", "after", "before", "never", "always", "must", "may", "each", "every", "when", "which",
    "what", "into", "new", // German
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und",
    "oder", "ist", "sind", "war", "im", "am", "auf", "aus", "bei", "mit", "nach", "von", "zu",
    "zum", "zur", "für", "es", "sie", "er", "wir", "ihr", "ich", "du", "nicht", "kein", "keine",
    "bitte", "nur", "auch", "noch", "jetzt", "soll", "sollen", "wird", "werden", "hat", "haben",
    "wenn", "dann", "aber", "als", "wie", "da", "doch", "nie", "immer", "muss", "darf", "alle",
    "jede", "beim", "über", // Spanish
    "el", "la", "los", "las", "un", "una", "y", "o", "de", "del", "al", "en", "con", "por", "para",
    "que", "es", "son", "se", "lo", "le", "su", "sus", "mi", "tu", "sí", "ya", "pero", "como",
    "más", "no", "favor", "nunca", "siempre", "debe", "cada", "este", "esta", "hay", // French
    "le", "les", "des", "du", "une", "et", "est", "sont", "pas", "ne", "pour", "dans", "sur",
    "avec", "au", "aux", "ce", "cette", "il", "elle", "nous", "vous", "je", "toujours", "jamais",
];

/// What stands between the name of a thing and what is said of it.
const SEPARATORS: &[&str] = &[
    ":", "：", "=", " is ", " are ", " be ", " stays ", " ist ", " sind ", " bleibt ", " es ",
    " son ", " será ", " est ", " sont ", "は", "是", "为",
];
/// Longer starts of a sentence name no single thing.
const MAX_KEY_WORDS: usize = 4;
/// Numbers before a unit, and articles elsewhere.
const ONE: &[&str] = &["one", "eine", "einer", "einem", "una", "une", "uma"];
/// Shorter numbers without a unit occur by chance.
const MIN_PLAIN_VALUE: usize = 3;

/// What a sentence is about.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// Words without common ones, and pairs of characters of unspaced scripts.
    pub(super) words: BTreeSet<String>,
    /// Numbers and other values with digits, each with what follows it: a unit, or nothing.
    pub(super) values: BTreeMap<String, String>,
    names: BTreeSet<String>,
    /// The words before what is said of them: in "the port is 80", "port". May be empty.
    key: BTreeSet<String>,
    lead: Lead,
}

/// The word with which a sentence begins, articles and the like aside.
#[derive(Debug, Default)]
struct Lead {
    word: String,
    /// An article or the like stands before it, so it is hardly an order to do something.
    is_thing: bool,
}

impl Lead {
    /// Characters of an unspaced script that are compared.
    const UNSPACED_CHARS: usize = 3;

    fn new(tokens: &[Token]) -> Self {
        let Some(at) = tokens.iter().position(|token| !is_common(&token.text)) else {
            return Self::default();
        };
        let token = &tokens[at];
        let start = token.text.char_indices().nth(Self::UNSPACED_CHARS).map(|(end, _)| end);
        match start {
            Some(end) if token.is_unspaced => {
                Self { word: token.text[..end].to_owned(), is_thing: true }
            }
            _ if token.is_unspaced || token.has_digit => Self::default(),
            _ => Self { word: stem(&token.text), is_thing: at > 0 },
        }
    }

    fn is_same_thing(&self, other: &Self) -> bool {
        !self.word.is_empty() && self.word == other.word && (self.is_thing || other.is_thing)
    }
}

impl Terms {
    pub(super) fn new(text: &str) -> Self {
        let lower = text.to_lowercase();
        let mut terms = Self { names: names(text), key: key(&lower), ..Self::default() };
        let tokens = tokens(&lower);
        terms.lead = Lead::new(&tokens);
        terms.read(tokens);
        terms
    }

    fn read(&mut self, tokens: Vec<Token>) {
        let mut last_value: Option<String> = None;
        let mut has_one = false;
        for mut token in tokens {
            let value = if token.has_digit { None } else { last_value.take() };
            if let Some(value) = value.filter(|_| !is_common(&token.text)) {
                self.values.insert(value, take_unit(&mut token));
            }
            if has_one && let Some(unit) = values::unit_of(&token.text) {
                self.values.insert("1".to_owned(), unit.to_owned());
            }
            has_one = ONE.contains(&token.text.as_str());
            if token.has_digit {
                last_value = self.add_number(&token.text);
            } else if token.is_unspaced {
                self.add_named(values::values_of_run(&token.text));
                self.words.extend(pairs(&token.text));
            } else if let Some(number) = values::number_of(&token.text) {
                last_value = self.add_number(number);
            } else if token.is_word() && !is_common(&token.text) {
                self.add_named(values::named_value(&token.text));
                // A file is the same with and without its folder.
                let name = token.text.rsplit('/').next().unwrap_or_default();
                self.words.insert(stem(name));
            }
        }
    }

    /// Adds a value with digits; returns it if the next word is its unit.
    fn add_number(&mut self, text: &str) -> Option<String> {
        if let Some((product, version)) = split_version(text) {
            self.values.insert(version.to_owned(), format!("{product}-"));
            return None;
        }
        let (value, unit) = split_unit(text);
        let unit = values::unit_of(unit).unwrap_or(unit);
        let unit = self.values.entry(value.to_owned()).or_insert_with(|| unit.to_owned());
        // A name like `p95` has no unit.
        let takes_unit = unit.is_empty() && value.starts_with(|c: char| c.is_ascii_digit());
        takes_unit.then(|| value.to_owned())
    }

    fn add_named(&mut self, found: impl IntoIterator<Item = (&'static str, &'static str)>) {
        let owned = |(value, unit): (&str, &str)| (value.to_owned(), unit.to_owned());
        self.values.extend(found.into_iter().map(owned));
    }

    /// Whether two sentences name things, but none in common.
    pub(super) fn has_other_names(&self, other: &Self) -> bool {
        !self.names.is_empty() && !other.names.is_empty() && self.names.is_disjoint(&other.names)
    }

    /// Returns the number of words that two sentences share.
    pub(super) fn shared(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }

    /// Whether both say something of one thing, by the words before a colon or an "is".
    pub(super) fn has_same_key(&self, other: &Self) -> bool {
        let smaller = self.key.len().min(other.key.len());
        smaller > 0 && self.key.intersection(&other.key).count() == smaller
    }

    /// Returns the thing with which both begin.
    pub(super) fn shared_lead(&self, other: &Self) -> Option<&str> {
        self.lead.is_same_thing(&other.lead).then_some(self.lead.word.as_str())
    }

    /// Returns the units of its values.
    pub(super) fn units(&self) -> impl Iterator<Item = &str> {
        self.values.values().map(String::as_str).filter(|unit| !unit.is_empty())
    }

    /// Returns the units of its values to which a newer sentence gives others that measure the same.
    pub(super) fn replaced_units<'a>(&'a self, newer: &'a Self) -> impl Iterator<Item = &'a str> {
        let is_replaced = |(value, unit): &(&String, &String)| {
            let is_other = |(other, its_unit): (&String, &String)| {
                other != *value && !unit.is_empty() && values::measure_the_same(its_unit, unit)
            };
            newer.values.iter().any(is_other)
        };
        self.values.iter().filter(move |one| is_replaced(one)).map(|(_, unit)| unit.as_str())
    }

    /// Whether it names a value of an older sentence, and gives another one of this kind or without a unit.
    pub(super) fn rejects_value(&self, older: &Self) -> bool {
        older.values.iter().any(|(value, unit)| {
            let is_other = |(other, its_unit): (&String, &String)| {
                !older.values.contains_key(other)
                    && is_number(other)
                    && (its_unit.is_empty() || values::measure_the_same(its_unit, unit))
            };
            let is_plain = value.len() >= MIN_PLAIN_VALUE || !unit.is_empty();
            is_plain && self.values.contains_key(value) && self.values.iter().any(is_other)
        })
    }

    /// Whether it gives a number without a unit, and the older sentence has another number.
    pub(super) fn has_bare_value(&self, older: &Self) -> bool {
        let is_bare = |(value, unit): &(&String, &String)| unit.is_empty() && is_number(value);
        self.values
            .iter()
            .filter(is_bare)
            .any(|(value, _)| older.values.keys().any(|other| other != value && is_number(other)))
    }

    /// Whether every word, value and name is in the other sentence as well.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.words.is_subset(&other.words)
            && self.names.is_subset(&other.names)
            && self.values.keys().all(|value| other.values.contains_key(value))
    }
}

fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the words of a sentence in lower case, without common ones.
pub(super) fn content_words(text: &str) -> Vec<String> {
    let tokens = tokens(&text.to_lowercase()).into_iter();
    tokens.filter(|token| !is_common(&token.text)).map(|token| token.text).collect()
}

fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// Returns the words before the first separator, if they are few.
fn key(lower: &str) -> BTreeSet<String> {
    let ends = SEPARATORS.iter().filter_map(|separator| lower.find(separator));
    let Some(end) = ends.min() else { return BTreeSet::new() };
    let mut words = BTreeSet::new();
    for token in tokens(&lower[..end]) {
        if token.is_unspaced {
            words.extend(pairs(&token.text));
        } else if token.is_word() && !is_common(&token.text) {
            words.insert(stem(&token.text));
        }
    }
    if words.len() > MAX_KEY_WORDS { BTreeSet::new() } else { words }
}

/// Returns the unit that the word behind a number is. A known one says nothing of the subject: it is taken away.
fn take_unit(token: &mut Token) -> String {
    let end = match token.text.chars().next() {
        Some(first) if token.is_unspaced => first.len_utf8(),
        _ => token.text.len(),
    };
    match values::unit_of(&token.text[..end]) {
        Some(unit) => {
            token.text.drain(..end);
            unit.to_owned()
        }
        None => stem(&token.text[..end]),
    }
}

#[derive(Debug)]
struct Token {
    text: String,
    has_digit: bool,
    is_unspaced: bool,
}

impl Token {
    fn is_word(&self) -> bool {
        !self.text.is_empty() && !self.text.starts_with(SYMBOLS)
    }
}

/// Units that are no letters.
const SYMBOLS: &[char] = &['%', '％', '€', '$', '¥'];

/// Splits a text in lower case into words, values, and runs of unspaced scripts.
fn tokens(lower: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut is_open = false;
    for c in lower.chars().map(plain_digit) {
        let is_unspaced = is_unspaced(c);
        // A point or a colon within a value belongs to it, and so does a hyphen within a name.
        let is_inner = matches!(c, '.' | ':' | '_' | '-' | '/') && is_open;
        if SYMBOLS.contains(&c) {
            found.push(Token { text: c.to_string(), has_digit: false, is_unspaced: false });
            is_open = false;
            continue;
        }
        if !c.is_alphanumeric() && !is_inner {
            is_open = false;
            continue;
        }
        let continues = is_open && found.last().is_some_and(|last| last.is_unspaced == is_unspaced);
        if continues && let Some(last) = found.last_mut() {
            last.text.push(c);
            last.has_digit |= c.is_ascii_digit();
        } else if c.is_alphanumeric() {
            let has_digit = c.is_ascii_digit();
            found.push(Token { text: c.to_string(), has_digit, is_unspaced });
        }
        is_open = true;
    }
    for token in &mut found {
        let bare = token.text.trim_end_matches(['.', ':', '_', '-', '/']).len();
        token.text.truncate(bare);
    }
    found.retain(|token| !token.text.is_empty());
    found
}

/// Whether a character belongs to a script that writes words without blanks.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x0e00..=0x0e7f)
}

/// Splits a value like `25m` into number and unit.
fn split_unit(value: &str) -> (&str, &str) {
    let number = value.trim_end_matches(|c: char| c.is_alphabetic());
    let is_number = number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ':'));
    if is_number && !number.is_empty() { value.split_at(number.len()) } else { (value, "") }
}

/// Splits `ubuntu-22.04` into name and version; a number alone may as well count things.
fn split_version(value: &str) -> Option<(&str, &str)> {
    let (product, version) = value.rsplit_once(['-', '@', ':'])?;
    let is_version = version.contains('.')
        && version.chars().all(|c| c.is_ascii_digit() || c == '.')
        && product.chars().all(char::is_alphabetic);
    (is_version && !product.is_empty()).then_some((product, version))
}

/// Returns an ASCII digit for one of full width.
fn plain_digit(c: char) -> char {
    let offset = u32::from(c).wrapping_sub(u32::from('０'));
    if offset < 10 { char::from_digit(offset, 10).unwrap_or(c) } else { c }
}

/// Endings of inflected words, the longest first.
const ENDINGS: &[&str] = &["ing", "ed", "es", "en", "er", "em", "e", "n", "s"];
const MIN_STEM_BYTES: usize = 3;

/// Returns the part of a word that its inflections share: "run" of "running".
fn stem(word: &str) -> String {
    let bare = without_ending(without_ending(word));
    let mut stem: Vec<char> = bare.chars().take(STEM_CHARS).collect();
    if let [.., before, last] = stem.as_mut_slice() {
        if *last == 'y' {
            *last = 'i';
        } else if before == last {
            stem.pop();
        }
    }
    stem.into_iter().collect()
}

fn without_ending(word: &str) -> &str {
    let shorter = |ending: &&str| {
        let rest = word.strip_suffix(*ending)?;
        let is_doubled = *ending == "s" && rest.ends_with('s');
        (rest.len() >= MIN_STEM_BYTES && !is_doubled).then_some(rest)
    };
    ENDINGS.iter().find_map(shorter).unwrap_or(word)
}

/// Returns the terms of a run without blanks: pairs of neighbouring characters, or a single one between
/// Hiragana, which are grammar.
fn pairs(text: &str) -> Vec<String> {
    let is_grammar = |c: char| matches!(u32::from(c), 0x3040..=0x309f);
    let mut found = Vec::new();
    for part in text.split(is_grammar).filter(|part| !part.is_empty()) {
        let chars: Vec<char> = part.chars().collect();
        match chars.as_slice() {
            [one] => found.push(one.to_string()),
            all => found.extend(all.windows(2).map(|pair| pair.iter().collect::<String>())),
        }
    }
    found
}

/// Whether a word looks like the name of a thing: a path, an identifier, a file.
pub(super) fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    inner.contains(['_', '/', '.', ':', '`'])
        || inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}

/// Returns the names in a sentence; among unspaced characters, words of another script are names.
fn names(text: &str) -> BTreeSet<String> {
    let is_mixed = text.contains(is_unspaced);
    text.split(|c: char| {
        c.is_whitespace() || is_unspaced(c) || matches!(c, '、' | '。' | ',' | ';')
    })
    .filter(|word| is_name(word) || is_mixed && word.starts_with(|c: char| c.is_ascii_alphabetic()))
    .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    .map(|word| word.rsplit('/').next().unwrap_or_default().to_owned())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_in_any_script() {
        let values = |text: &str| Terms::new(text).values.into_iter().collect::<Vec<_>>();
        let pair = |value: &str, unit: &str| (value.to_owned(), unit.to_owned());
        assert_eq!(values("Leases live for 60 seconds."), [pair("60", "s")]);
        assert_eq!(values("締め日は20日です"), [pair("20", "d")]);
        assert_eq!(values("at 14:30"), [pair("14:30", "")]);
        assert_eq!(values("limit 25m"), [pair("25", "m")]);
        assert_eq!(values("says 12 %"), [pair("12", "%")]);
        assert_eq!(values("sieben Tage"), [pair("7", "d")]);
        assert_eq!(
            values("ubuntu-22.04 and abc-12"),
            [pair("22.04", "ubuntu-"), pair("abc-12", "")]
        );
        assert_eq!(values("５秒"), [pair("5", "s")]);
        assert_eq!(values("the p95 of v1.2"), [pair("p95", ""), pair("v1.2", "")]);
    }

    #[test]
    fn inflections_share_a_term() {
        let shared = |one: &str, other: &str| Terms::new(one).shared(&Terms::new(other));
        assert_eq!(shared("keine Migrationen ausführen", "Migrationen darfst du ausführen"), 2);
        assert_eq!(shared("不要改数据库", "可以改数据库了"), 3);
        assert!(shared("締め日は", "締め日を") > 0);
        assert_eq!(shared("use tabs", "write the docs"), 0);
        for (one, other) in [
            ("run", "running"),
            ("test", "tests"),
            ("retry", "retries"),
            ("class", "classes"),
            ("Tabelle", "Tabellen"),
            ("server", "servers"),
        ] {
            assert_eq!(shared(one, other), 1, "{one} {other}");
        }
    }
}
