//! Log template mining: messages that differ only in numbers, names and ids share a template.

use forebay_text::cut;
use forebay_text::number::grouped;

use crate::hash::HashMap;
use crate::salience;

/// Maximum number of templates tracked.
const MAX_TEMPLATES: usize = 2_000;

/// Number of words of a message that make up its template.
const MAX_WORDS: usize = 14;

/// Bytes shown of a template.
const MAX_SHOWN_BYTES: usize = 110;

#[derive(Debug)]
struct Template {
    text: String,
    count: u64,
    order: usize,
    first_line: u64,
    sample: String,
}

/// Message templates with their counts.
#[derive(Debug, Default)]
pub(crate) struct MessageTemplates {
    /// By template text.
    by_text: HashMap<Box<[u8]>, Template>,
    others: u64,
    /// Reused buffer for the template of a message.
    buffer: Vec<u8>,
}

impl MessageTemplates {
    /// Counts a message; returns how often its template occurred before.
    pub(crate) fn add(&mut self, message: &str, line: u64) -> u64 {
        let key = write_template(message, &mut self.buffer);
        let order = self.by_text.len();
        if let Some(template) = self.by_text.get_mut(key) {
            template.count += 1;
            return template.count - 1;
        }
        if order >= MAX_TEMPLATES {
            self.others += 1;
            return 1;
        }
        let sample = cut::one_line(message, 160);
        let text = String::from_utf8_lossy(key).into_owned();
        self.by_text
            .insert(key.into(), Template { text, count: 1, order, first_line: line, sample });
        0
    }

    pub(crate) fn distinct(&self) -> String {
        format!("{}{}", grouped(self.by_text.len() as u64), self.minimum_mark())
    }

    /// Returns what follows a count that messages of further templates may belong to.
    fn minimum_mark(&self) -> &'static str {
        if self.others > 0 { "+" } else { "" }
    }

    /// Lists `850× request # served`, the most frequent first; templates that differ in one word
    /// are merged.
    pub(crate) fn frequent(&self, max: usize) -> Vec<String> {
        let mut all: Vec<&Template> = self.by_text.values().collect();
        all.sort_by_key(|template| template.order);
        let mut ranked = merge_similar(&all);
        ranked.retain(|(count, ..)| *count > 1);
        ranked.sort_by_key(|(count, order, _)| (std::cmp::Reverse(*count), *order));
        let shown = ranked.into_iter().take(max);
        let line = |(count, _, text): (u64, usize, String)| {
            // A message of a further template may differ in this word as well.
            let mark =
                if text.split(' ').any(|word| word == "*") { self.minimum_mark() } else { "" };
            // Further words of the messages are not compared.
            let is_start = text.len() <= MAX_SHOWN_BYTES && text.split(' ').count() == MAX_WORDS;
            let more = if is_start { " …" } else { "" };
            format!("{}{mark}× {}{more}", grouped(count), cut::one_line(&text, MAX_SHOWN_BYTES))
        };
        shown.map(line).collect()
    }

    /// Lists messages whose template occurred once, with line numbers; suspicious ones first, then
    /// the latest.
    pub(crate) fn seen_once(&self, max: usize) -> Vec<String> {
        let mut rare: Vec<&Template> =
            self.by_text.values().filter(|template| template.count == 1).collect();
        let is_suspicious = |template: &Template| salience::weigh(&template.sample).0.weight > 0;
        rare.sort_by_key(|template| std::cmp::Reverse((is_suspicious(template), template.order)));
        rare.iter()
            .take(max)
            .map(|template| format!("line {}: {}", template.first_line, template.sample))
            .collect()
    }
}

/// Minimum number of templates, differing in one word, that are merged.
const MIN_MERGED: usize = 3;

/// Returns count, order and text of templates; those that differ in one word are merged, with `*`
/// for it.
fn merge_similar(all: &[&Template]) -> Vec<(u64, usize, String)> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::default();
    for (index, template) in all.iter().enumerate() {
        for key in wildcard_variants(&template.text) {
            groups.entry(key).or_default().push(index);
        }
    }
    let mut groups: Vec<(String, Vec<usize>)> =
        groups.into_iter().filter(|(_, members)| members.len() >= MIN_MERGED).collect();
    groups.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(&other.0)));
    let mut taken = vec![false; all.len()];
    let mut merged = Vec::new();
    for (key, members) in groups {
        let free: Vec<usize> = members.into_iter().filter(|index| !taken[*index]).collect();
        if free.len() >= MIN_MERGED {
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

/// Returns the template with each word replaced by `*` in turn, except for the first two, which
/// identify it.
fn wildcard_variants(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let with_wildcard = |at: usize| {
        let mut words = words.clone();
        words[at] = "*";
        words.join(" ")
    };
    (2..words.len()).filter(|at| words[*at] != "#").map(with_wildcard).collect()
}

/// Writes the message with `#` for each part of a word that contains a digit.
pub(crate) fn write_template<'a>(message: &str, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    // A template is never longer than its message.
    buffer.resize(buffer.len().max(message.len()), 0);
    let mut writer = TemplateWriter {
        text: buffer,
        written: 0,
        part: 0,
        has_digit: false,
        is_masked: false,
        words: 0,
    };
    for byte in message.bytes() {
        match ROLES[usize::from(byte)] {
            // One arm for both, because digits among letters are hard to predict.
            role @ (Role::Other | Role::Digit) => {
                writer.has_digit |= role == Role::Digit;
                writer.write(byte);
            }
            Role::EndsPart => {
                writer.write(byte);
                writer.end_part();
            }
            Role::EndsWord if writer.end_word() => break,
            Role::EndsWord => {}
        }
    }
    writer.end_part();
    let written = writer.written;
    &buffer[..written]
}

/// The effect of a byte on the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Other,
    Digit,
    EndsPart,
    EndsWord,
}

const ROLES: [Role; 256] = {
    let mut roles = [Role::Other; 256];
    let mut byte = 0;
    while byte < roles.len() {
        roles[byte] = match byte as u8 {
            b'0'..=b'9' => Role::Digit,
            b' ' | b'\t' => Role::EndsWord,
            b'=' | b':' | b'/' | b',' | b'(' | b'[' | b'"' | b'\'' => Role::EndsPart,
            _ => Role::Other,
        };
        byte += 1;
    }
    roles
};

/// A template being written.
struct TemplateWriter<'a> {
    text: &'a mut [u8],
    written: usize,
    /// Start of the current part.
    part: usize,
    has_digit: bool,
    /// The previous part is a `#` that also covers this one.
    is_masked: bool,
    words: usize,
}

impl TemplateWriter<'_> {
    fn write(&mut self, byte: u8) {
        self.text[self.written] = byte;
        self.written += 1;
    }

    fn end_part(&mut self) {
        if self.has_digit {
            self.written = self.part;
            if !self.is_masked {
                self.write(b'#');
            }
        }
        self.is_masked = self.has_digit;
        self.part = self.written;
        self.has_digit = false;
    }

    /// Ends a word; returns true if it was the last one that counts.
    fn end_word(&mut self) -> bool {
        self.end_part();
        self.is_masked = false;
        if self.written > 0 && self.text[self.written - 1] != b' ' {
            self.words += 1;
            if self.words == MAX_WORDS {
                return true;
            }
            self.write(b' ');
            self.part = self.written;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_numbers_in_messages() {
        let mut templates = MessageTemplates::default();
        for (line, message) in
            (1..).zip(["took 3 ms for id=7f3", "took 12 ms for id=99", "lost peer"])
        {
            templates.add(message, line);
        }
        assert_eq!(templates.frequent(5), ["2× took # ms for id=#"]);
        assert_eq!(templates.seen_once(5), ["line 3: lost peer"]);
    }

    #[test]
    fn a_count_of_what_was_not_all_tracked_is_a_minimum() {
        let mut templates = MessageTemplates::default();
        let word = |number: usize| -> String {
            let letter = |digit: usize| char::from(b'a' + digit as u8);
            [number / 676, number / 26 % 26, number % 26].into_iter().map(letter).collect()
        };
        (0..MAX_TEMPLATES).for_each(|number| {
            templates.add(&format!("lost peer {}", word(number)), 1);
        });
        assert_eq!(templates.frequent(1), ["2,000× lost peer *"]);
        templates.add("lost peer zzzz", 1);
        assert_eq!(templates.frequent(1), ["2,000+× lost peer *"]);
    }

    #[test]
    fn a_template_of_the_first_words_says_that_more_follow() {
        let mut templates = MessageTemplates::default();
        let words = vec!["w"; MAX_WORDS].join(" ");
        for end in ["x", "y"] {
            templates.add(&format!("{words} {end}"), 1);
        }
        assert_eq!(templates.frequent(1), [format!("2× {words} …")]);
    }
}
