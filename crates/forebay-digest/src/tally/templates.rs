//! Messages that differ only in their numbers, names and ids are one template.

use std::collections::HashMap;

use forebay_domain::text::cut;
use forebay_domain::text::number::grouped;

/// Templates beyond so many are only counted together.
const TEMPLATES: usize = 2_000;

/// Words of a message that make up its template.
const WORDS: usize = 14;

#[derive(Debug)]
struct Template {
    text: String,
    count: u64,
    order: usize,
    first_line: u64,
    sample: String,
}

/// The templates of a log with their counts.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    seen: HashMap<u64, Template>,
    others: u64,
    key: String,
}

impl Templates {
    /// Counts a message; how often its template was seen before.
    pub(crate) fn add(&mut self, message: &str, line: u64) -> u64 {
        mask(message, &mut self.key);
        let key = hash(&self.key);
        let order = self.seen.len();
        if let Some(template) = self.seen.get_mut(&key) {
            template.count += 1;
            return template.count - 1;
        }
        if order >= TEMPLATES {
            self.others += 1;
            return 1;
        }
        let sample = cut::one_line(message, 160);
        self.seen.insert(
            key,
            Template { text: self.key.clone(), count: 1, order, first_line: line, sample },
        );
        0
    }

    pub(crate) fn distinct(&self) -> String {
        format!("{}{}", grouped(self.seen.len() as u64), if self.others > 0 { "+" } else { "" })
    }

    /// `850 × request # served`, the most frequent first.
    pub(crate) fn frequent(&self, most: usize) -> Vec<String> {
        let mut ranked: Vec<&Template> =
            self.seen.values().filter(|template| template.count > 1).collect();
        ranked.sort_by_key(|template| (std::cmp::Reverse(template.count), template.order));
        ranked
            .iter()
            .take(most)
            .map(|template| {
                format!("{}× {}", grouped(template.count), cut::one_line(&template.text, 110))
            })
            .collect()
    }

    /// Messages whose template was seen only once, with their lines; the last ones first.
    pub(crate) fn rare(&self, most: usize) -> Vec<String> {
        let mut rare: Vec<&Template> =
            self.seen.values().filter(|template| template.count == 1).collect();
        rare.sort_by_key(|template| std::cmp::Reverse(template.order));
        rare.iter()
            .take(most)
            .map(|template| format!("line {}: {}", template.first_line, template.sample))
            .collect()
    }
}

/// Writes the message with `#` for each word that has a digit.
fn mask(message: &str, key: &mut String) {
    key.clear();
    for word in message.split_ascii_whitespace().take(WORDS) {
        if !key.is_empty() {
            key.push(' ');
        }
        let mut masked = false;
        for part in word.split_inclusive(['=', ':', '/', ',', '(', '[', '"', '\'']) {
            let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
            match (has_digit, masked) {
                (true, true) => {}
                (true, false) => key.push('#'),
                (false, _) => key.push_str(part),
            }
            masked = has_digit;
        }
    }
}

/// A hash that is the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_make_no_difference() {
        let mut templates = Templates::default();
        for (line, message) in
            (1..).zip(["took 3 ms for id=7f3", "took 12 ms for id=99", "lost peer"])
        {
            templates.add(message, line);
        }
        assert_eq!(templates.frequent(5), ["2× took # ms for id=#"]);
        assert_eq!(templates.rare(5), ["line 3: lost peer"]);
    }
}
