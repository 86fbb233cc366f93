//! Messages that differ only in their numbers, names and ids are one template.

use std::collections::HashMap;

use forebay_domain::text::cut;
use forebay_domain::text::number::grouped;

use super::hasher::Fast;
use crate::salience;

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
    seen: HashMap<String, Template, Fast>,
    others: u64,
    key: String,
}

impl Templates {
    /// Counts a message; how often its template was seen before.
    pub(crate) fn add(&mut self, message: &str, line: u64) -> u64 {
        mask(message, &mut self.key);
        let order = self.seen.len();
        if let Some(template) = self.seen.get_mut(&self.key) {
            template.count += 1;
            return template.count - 1;
        }
        if order >= TEMPLATES {
            self.others += 1;
            return 1;
        }
        let sample = cut::one_line(message, 160);
        let text = self.key.clone();
        self.seen
            .insert(text.clone(), Template { text, count: 1, order, first_line: line, sample });
        0
    }

    pub(crate) fn distinct(&self) -> String {
        format!("{}{}", grouped(self.seen.len() as u64), if self.others > 0 { "+" } else { "" })
    }

    /// `850× request # served`, the most frequent first; those that differ in one word only are one.
    pub(crate) fn frequent(&self, most: usize) -> Vec<String> {
        let mut all: Vec<&Template> = self.seen.values().collect();
        all.sort_by_key(|template| template.order);
        let mut ranked = merged(&all);
        ranked.retain(|(count, ..)| *count > 1);
        ranked.sort_by_key(|(count, order, _)| (std::cmp::Reverse(*count), *order));
        let shown = ranked.into_iter().take(most);
        shown
            .map(|(count, _, text)| format!("{}× {}", grouped(count), cut::one_line(&text, 110)))
            .collect()
    }

    /// Messages whose template was seen only once, with their lines; those that complain first, then the last.
    pub(crate) fn rare(&self, most: usize) -> Vec<String> {
        let mut rare: Vec<&Template> =
            self.seen.values().filter(|template| template.count == 1).collect();
        let complains = |template: &Template| {
            salience::weigh(&template.sample, template.first_line).0.weight > 0
        };
        rare.sort_by_key(|template| std::cmp::Reverse((complains(template), template.order)));
        rare.iter()
            .take(most)
            .map(|template| format!("line {}: {}", template.first_line, template.sample))
            .collect()
    }
}

/// So many templates that differ in one word only become one.
const ALIKE: usize = 3;

/// Templates as count, order and text, those that differ in one word only merged into one with `*`.
fn merged(all: &[&Template]) -> Vec<(u64, usize, String)> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, template) in all.iter().enumerate() {
        for key in with_one_word_open(&template.text) {
            groups.entry(key).or_default().push(index);
        }
    }
    let mut groups: Vec<(String, Vec<usize>)> =
        groups.into_iter().filter(|(_, members)| members.len() >= ALIKE).collect();
    groups.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(&other.0)));
    let mut taken = vec![false; all.len()];
    let mut merged = Vec::new();
    for (key, members) in groups {
        let free: Vec<usize> = members.into_iter().filter(|index| !taken[*index]).collect();
        if free.len() >= ALIKE {
            merged.push((
                free.iter().map(|index| all[*index].count).sum(),
                all[free[0]].order,
                key,
            ));
            for index in free {
                taken[index] = true;
            }
        }
    }
    let alone = all.iter().enumerate().filter(|(index, _)| !taken[*index]);
    merged
        .extend(alone.map(|(_, template)| (template.count, template.order, template.text.clone())));
    merged
}

/// The template with each of its words in turn replaced by `*`; the first words say what it is.
fn with_one_word_open(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let open = |at: usize| {
        let mut words = words.clone();
        words[at] = "*";
        words.join(" ")
    };
    (2..words.len()).filter(|at| words[*at] != "#").map(open).collect()
}

/// Writes the message with `#` for each part of a word that has a digit.
fn mask(message: &str, key: &mut String) {
    key.clear();
    let (mut words, mut start, mut has_digit, mut masked) = (0, 0, false, false);
    let mut flush = |part: &str, has_digit: bool, key: &mut String| {
        match (has_digit, masked) {
            (true, true) => {}
            (true, false) => key.push('#'),
            (false, _) => key.push_str(part),
        }
        masked = has_digit && !part.is_empty();
    };
    for (at, byte) in message.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => has_digit = true,
            b' ' | b'\t' => {
                flush(&message[start..at], has_digit, key);
                flush("", false, key);
                (start, has_digit) = (at + 1, false);
                if !key.is_empty() && !key.ends_with(' ') {
                    words += 1;
                    if words == WORDS {
                        break;
                    }
                    key.push(' ');
                }
            }
            b'=' | b':' | b'/' | b',' | b'(' | b'[' | b'"' | b'\'' => {
                flush(&message[start..=at], has_digit, key);
                (start, has_digit) = (at + 1, false);
            }
            _ => {}
        }
    }
    if words < WORDS {
        flush(&message[start..], has_digit, key);
    }
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
