//! Text to measure with: the same in every run, and spread as real words are.

use std::io::Write;
use std::sync::LazyLock;

/// Words of a vocabulary, as they come.
pub(super) struct Words {
    numbers: Numbers,
    vocabulary: &'static Vocabulary,
}

/// Words of which the n-th is n times rarer than the first.
struct Vocabulary {
    words: Vec<String>,
    /// For each word, the weight of it and all before it.
    weights: Vec<f64>,
}

/// Made once: a load has many clients, and what each of them makes is time that the server lacks.
static SHARED: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);

const VOCABULARY: usize = 20_000;
/// The commonest words of a language carry no meaning, and searches know that.
const COMMONEST: &[&str] = &[
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "with", "as", "on",
    "be", "at", "by", "this", "are", "from", "or", "an", "we", "not", "can", "which", "all", "if",
    "when", "will", "should", "there", "what", "then", "into", "these", "its", "do", "so", "you",
];

impl Vocabulary {
    fn new() -> Self {
        let rare = (0..VOCABULARY - COMMONEST.len()).map(word);
        let mut sum = 0.0;
        let weight = |rank| {
            sum += 1.0 / f64::from(rank);
            sum
        };
        Self {
            words: COMMONEST.iter().map(|&word| word.to_owned()).chain(rare).collect(),
            weights: (1..=VOCABULARY as u32).map(weight).collect(),
        }
    }

    /// The word that a share of all there is leads to.
    fn word(&self, share: f64) -> &str {
        let aim = share * self.weights.last().copied().unwrap_or_default();
        let place = self.weights.partition_point(|weight| *weight < aim);
        &self.words[place.min(self.words.len() - 1)]
    }
}

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self { numbers: Numbers(seed), vocabulary: &SHARED }
    }

    /// So many words, as they come.
    pub(super) fn phrase(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// Sentences of about so many bytes.
    pub(super) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 100);
        while text.len() < bytes {
            let length = 6 + self.below(12);
            text.push_str(&self.phrase(length));
            text.push_str(".\n");
        }
        text
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.numbers.below(limit)
    }

    fn word(&mut self) -> &'static str {
        self.vocabulary.word(self.numbers.share())
    }
}

/// A word that can be spoken, different for each number.
fn word(number: usize) -> String {
    const SYLLABLES: &[&str] = &[
        "ba", "cor", "de", "fin", "gra", "hel", "jo", "kem", "lu", "mar", "ne", "os", "pir", "qua",
        "ren", "sto", "tal", "und", "vec", "wi", "xen", "yar", "zo", "chi", "ther", "plo", "bri",
        "ack",
    ];
    // Spread over the vocabulary, so that neighbours in frequency are no neighbours in spelling.
    let mut rest = (number * 7_919) % VOCABULARY;
    let mut word = String::new();
    for _ in 0..4 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
        if rest == 0 {
            break;
        }
    }
    word
}

/// A log of a service, of so many megabytes: lines of a few shapes, a failure now and then.
pub(super) fn log(megabytes: usize) -> Vec<u8> {
    const PARTS: &[&str] = &["api", "auth", "billing", "cache", "db.pool", "queue", "scheduler"];
    let size = megabytes * 1_000_000;
    let mut numbers = Numbers(42);
    let mut log = Vec::with_capacity(size + 200);
    let mut millis = 0;
    while log.len() < size {
        millis += numbers.below(40);
        let (minute, second) = (millis / 60_000 % 60, millis / 1000 % 60);
        let part = PARTS[numbers.below(PARTS.len())];
        let stamp = format!("2026-08-01T12:{minute:02}:{second:02}.{:03}Z", millis % 1000);
        let (id, took) = (numbers.below(1 << 30), numbers.below(900));
        let _ = match numbers.below(1_000) {
            0 => writeln!(
                log,
                "{stamp} ERROR {part} request {id:08x} failed: connection reset by peer (attempt 3)"
            ),
            1..20 => {
                writeln!(log, "{stamp} WARN  {part} slow query took {took} ms, threshold 200 ms")
            }
            20..400 => writeln!(
                log,
                "{stamp} INFO  {part} GET /v1/items/{} 200 {took} ms request={id:08x}",
                id % 5_000
            ),
            _ => writeln!(
                log,
                "{stamp} DEBUG {part} worker {} finished job {id} in {took} ms",
                id % 16
            ),
        };
    }
    log
}

/// Numbers that look random and are the same in every run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    fn share(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(1_u32 << 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn words_are_the_same_in_every_run_and_differ_by_seed() {
        assert_eq!(Words::new(1).text(500), Words::new(1).text(500));
        assert_ne!(Words::new(1).text(500), Words::new(2).text(500));
    }

    #[test]
    fn the_vocabulary_has_no_word_twice() {
        assert_eq!(SHARED.words.iter().collect::<HashSet<_>>().len(), VOCABULARY);
    }

    #[test]
    fn common_words_are_common_and_rare_ones_rare() {
        let mut words = Words::new(1);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in words.phrase(100_000).split(' ') {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
        assert!((8_000..12_000).contains(&counts["the"]), "{}", counts["the"]);
        assert!(counts.len() > 5_000, "{}", counts.len());
    }

    #[test]
    fn a_log_has_the_size_asked_for() {
        let log = log(1);
        assert!((1_000_000..1_000_200).contains(&log.len()) && log.ends_with(b"\n"));
    }
}
