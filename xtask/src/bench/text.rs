//! Generated text: equal in every run, with the word frequencies of natural language.

use std::io::Write;
use std::sync::LazyLock;

/// A source of random words from the shared vocabulary.
pub(super) struct Words {
    rng: Rng,
    vocabulary: &'static Vocabulary,
}

/// Words with Zipf's distribution: the n-th is n times rarer than the first.
struct Vocabulary {
    words: Vec<String>,
    /// Cumulative weights, in the order of `words`.
    cumulative_weights: Vec<f64>,
}

/// Shared by all clients of a load, so that generating it takes no time from the server.
static SHARED: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);

const VOCABULARY_SIZE: usize = 20_000;
/// The most common words are stop words, which searches ignore.
const STOP_WORDS: &[&str] = &[
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "with", "as", "on",
    "be", "at", "by", "this", "are", "from", "or", "an", "we", "not", "can", "which", "all", "if",
    "when", "will", "should", "there", "what", "then", "into", "these", "its", "do", "so", "you",
];

impl Vocabulary {
    fn new() -> Self {
        let rare = (0..VOCABULARY_SIZE - STOP_WORDS.len()).map(word);
        let mut sum = 0.0;
        let weight = |rank| {
            sum += 1.0 / f64::from(rank);
            sum
        };
        Self {
            words: STOP_WORDS.iter().map(|&word| word.to_owned()).chain(rare).collect(),
            cumulative_weights: (1..=VOCABULARY_SIZE as u32).map(weight).collect(),
        }
    }

    /// Returns the word at a fraction of the total weight.
    fn word(&self, fraction: f64) -> &str {
        let weight = fraction * self.cumulative_weights.last().copied().unwrap_or_default();
        let index = self.cumulative_weights.partition_point(|sum| *sum < weight);
        &self.words[index.min(self.words.len() - 1)]
    }
}

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng(seed), vocabulary: &SHARED }
    }

    /// Returns `count` random words.
    pub(super) fn phrase(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// Returns sentences of at least `bytes` bytes.
    pub(super) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 100);
        while text.len() < bytes {
            let length = 6 + self.below(12);
            text.push_str(&self.phrase(length));
            text.push_str(".\n");
        }
        text
    }

    /// Returns a number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.rng.below(limit)
    }

    fn word(&mut self) -> &'static str {
        self.vocabulary.word(self.rng.fraction())
    }
}

/// Returns a pronounceable word, different for each number.
fn word(number: usize) -> String {
    const SYLLABLES: &[&str] = &[
        "ba", "cor", "de", "fin", "gra", "hel", "jo", "kem", "lu", "mar", "ne", "os", "pir", "qua",
        "ren", "sto", "tal", "und", "vec", "wi", "xen", "yar", "zo", "chi", "ther", "plo", "bri",
        "ack",
    ];
    // Words of similar frequency must not have similar spelling.
    let mut rest = (number * 7_919) % VOCABULARY_SIZE;
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

/// Returns a service log: lines of a few formats, with occasional errors.
pub(super) fn log(megabytes: usize) -> Vec<u8> {
    const COMPONENTS: &[&str] =
        &["api", "auth", "billing", "cache", "db.pool", "queue", "scheduler"];
    let size = megabytes * 1_000_000;
    let mut rng = Rng(42);
    let mut log = Vec::with_capacity(size + 200);
    let mut millis = 0;
    while log.len() < size {
        millis += rng.below(40);
        let (minute, second) = (millis / 60_000 % 60, millis / 1000 % 60);
        let component = COMPONENTS[rng.below(COMPONENTS.len())];
        let stamp = format!("2026-08-01T12:{minute:02}:{second:02}.{:03}Z", millis % 1000);
        let (id, millis_taken) = (rng.below(1 << 30), rng.below(900));
        let _ = match rng.below(1_000) {
            0 => writeln!(
                log,
                "{stamp} ERROR {component} request {id:08x} failed: connection reset by peer (attempt 3)"
            ),
            1..20 => {
                writeln!(
                    log,
                    "{stamp} WARN  {component} slow query took {millis_taken} ms, threshold 200 ms"
                )
            }
            20..400 => writeln!(
                log,
                "{stamp} INFO  {component} GET /v1/items/{} 200 {millis_taken} ms request={id:08x}",
                id % 5_000
            ),
            _ => writeln!(
                log,
                "{stamp} DEBUG {component} worker {} finished job {id} in {millis_taken} ms",
                id % 16
            ),
        };
    }
    log
}

/// A deterministic pseudorandom number generator (linear congruential).
pub(super) struct Rng(pub(super) u64);

impl Rng {
    fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    fn fraction(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(1_u32 << 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn words_depend_on_the_seed_only() {
        assert_eq!(Words::new(1).text(500), Words::new(1).text(500));
        assert_ne!(Words::new(1).text(500), Words::new(2).text(500));
    }

    #[test]
    fn vocabulary_words_are_unique() {
        assert_eq!(SHARED.words.iter().collect::<HashSet<_>>().len(), VOCABULARY_SIZE);
    }

    #[test]
    fn words_follow_the_distribution() {
        let mut words = Words::new(1);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in words.phrase(100_000).split(' ') {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
        assert!((8_000..12_000).contains(&counts["the"]), "{}", counts["the"]);
        assert!(counts.len() > 5_000, "{}", counts.len());
    }

    #[test]
    fn log_has_the_requested_size() {
        let log = log(1);
        assert!((1_000_000..1_000_200).contains(&log.len()) && log.ends_with(b"\n"));
    }
}
