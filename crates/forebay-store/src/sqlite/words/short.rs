//! A table from short words to what is known of them.

use forebay_domain::text::short;

/// Places before the first word comes; always a power of two.
const FEWEST: usize = 1 << 10;

/// Open addressing: a word stands at its place, or at the next that was free.
pub(super) struct ShortWords {
    words: Vec<u128>,
    values: Vec<u32>,
    count: usize,
}

impl Default for ShortWords {
    fn default() -> Self {
        Self { words: vec![0; FEWEST], values: vec![0; FEWEST], count: 0 }
    }
}

impl ShortWords {
    #[inline]
    pub(super) fn get(&self, word: u128) -> Option<u32> {
        let place = self.place(word);
        (self.words[place] == word).then(|| self.values[place])
    }

    pub(super) fn insert(&mut self, word: u128, value: u32) {
        if 2 * self.count >= self.words.len() {
            self.grow();
        }
        let place = self.place(word);
        self.count += usize::from(self.words[place] != word);
        (self.words[place], self.values[place]) = (word, value);
    }

    /// Where a word stands, or would stand. A word has a length, so none is 0.
    #[inline]
    fn place(&self, word: u128) -> usize {
        let last = self.words.len() - 1;
        let mut place = (short::spread(word) >> 32) as usize & last;
        while self.words[place] != 0 && self.words[place] != word {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        let places = 2 * self.words.len();
        let words = std::mem::replace(&mut self.words, vec![0; places]);
        let values = std::mem::replace(&mut self.values, vec![0; places]);
        for (word, value) in words.into_iter().zip(values).filter(|(word, _)| *word != 0) {
            let place = self.place(word);
            (self.words[place], self.values[place]) = (word, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_many_there_are() {
        let mut table = ShortWords::default();
        let key = |number: u32| {
            let word = format!("word{number}");
            short::key(word.as_bytes(), 0, word.len()).unwrap()
        };
        for number in 0..5_000 {
            assert_eq!(table.get(key(number)), None);
            table.insert(key(number), number);
        }
        table.insert(key(7), 8);
        assert_eq!(table.get(key(7)), Some(8));
        assert!((8..5_000).all(|number| table.get(key(number)) == Some(number)));
    }
}
