//! The numbers that a digest states, and whether they hold for the pieces of a text.
//!
//! A number holds if a piece states it, or if it is the sum over the pieces that have it. A digest
//! leaves out what says nothing, such as a list of one file; what a piece leaves out is counted in
//! its text (`recount`).

mod recount;

use std::collections::{BTreeMap, BTreeSet};

/// A number with the words that say what it counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    words: String,
    number: u64,
}

/// The words of `failing tests so far: 3`.
const SO_FAR: &str = "failing tests so far";

/// Stands before the name of a rule in the words of `F401: 3, a.py:1 message`.
const RULE_HEAD: &str = "rule|";

/// What the pieces of a text state.
pub(crate) struct StatedFacts {
    /// The numbers that each piece states, by their words.
    pieces: Vec<BTreeMap<String, BTreeSet<u64>>>,
    /// The number of lines of each piece.
    piece_lines: Vec<u64>,
    /// The number of findings in each piece about a single file, which has no list by file.
    single_files: BTreeSet<u64>,
    /// All items of facts of the pieces, as written.
    items: BTreeSet<String>,
    /// All numbers that occur in the text.
    written: BTreeSet<u64>,
    text: String,
    /// The text with runs of white space shortened.
    squeezed: String,
}

impl StatedFacts {
    /// Takes the facts and the text of each piece.
    pub(crate) fn new(pieces: Vec<(Vec<String>, String)>, whole: &str) -> Self {
        let mut known = Self {
            pieces: Vec::new(),
            piece_lines: Vec::new(),
            single_files: BTreeSet::new(),
            items: BTreeSet::new(),
            written: pieces.iter().flat_map(|(_, text)| numbers(text)).collect(),
            text: whole.to_owned(),
            squeezed: squeezed(whole),
        };
        for (facts, text) in pieces {
            let mut claimed = recount::unstated(&text);
            for fact in &facts {
                let fact = &without_grouping(without_range(fact));
                known.items.extend(items(fact).map(str::to_owned));
                known.single_files.extend(single_file(fact));
                for claim in items(fact).flat_map(|item| claims(fact, item)) {
                    claimed.entry(claim.words).or_default().insert(claim.number);
                }
            }
            add_totals(&mut claimed);
            known.pieces.push(claimed);
            known.piece_lines.push(text.lines().count() as u64);
        }
        known
    }

    /// Returns the numbers of a fact that do not hold.
    pub(crate) fn problems(&self, fact: &str) -> Vec<String> {
        if let Some((first, last, _)) = part_range(fact)
            && (first > last || last > self.lines())
        {
            return vec![format!("{fact:?}: no such lines")];
        }
        if self.is_quoted(fact) {
            return Vec::new();
        }
        let fact = &without_grouping(without_range(fact));
        if let Some((count, template)) = template(fact) {
            let holds = count <= self.lines_of(template);
            return if holds { Vec::new() } else { vec![format!("{fact:?}: too few lines")] };
        }
        items(fact)
            .filter(|item| !self.items.contains(*item) && !numbers(item).is_empty())
            .filter(|item| !self.holds(fact, item))
            .map(|item| format!("{item:?} in {fact:?}"))
            .collect()
    }

    /// Returns true if a fact repeats lines of the text.
    fn is_quoted(&self, fact: &str) -> bool {
        let fact = ["FAILED ", "heaviest: ", "once, "]
            .iter()
            .fold(fact, |fact, start| fact.strip_prefix(start).unwrap_or(fact));
        // A heading with its line.
        let heading = fact.split_once(": #").filter(|(line, _)| line.parse::<u64>().is_ok());
        let fact = heading.map_or(fact, |(_, heading)| heading.trim_start_matches('#'));
        let fact = match fact.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            Some((_, quoted)) => quoted,
            None => fact,
        };
        let is_in_text = |part: &str| {
            let start = squeezed(part.split('…').next().unwrap_or(part));
            self.squeezed.contains(start.trim())
        };
        fact.starts_with("… ") || fact.split("; ").flat_map(|part| part.split("  ")).all(is_in_text)
    }

    /// Counts the lines that may be of a template.
    fn lines_of(&self, template: &str) -> u64 {
        let lines = self.text.lines().map(squeezed);
        lines.filter(|line| recount::is_of_template(line, template)).count() as u64
    }

    fn lines(&self) -> u64 {
        self.text.lines().count() as u64
    }

    /// Counts the lines that contain a label, which may be the first value after its type.
    fn lines_with(&self, label: &str) -> u64 {
        let label = label.strip_prefix("text ").unwrap_or(label);
        let label = label.split('…').next().unwrap_or(label);
        self.text.lines().filter(|line| squeezed(line).contains(label)).count() as u64
    }

    fn holds(&self, fact: &str, item: &str) -> bool {
        if let Some(mean) = item.strip_prefix("mean ").and_then(|mean| mean.parse().ok()) {
            return self.mean_holds(mean);
        }
        if let Some((first, last)) = item.split_once(" .. ") {
            return self.squeezed.contains(first) && self.squeezed.contains(last);
        }
        let claims = claims(fact, item);
        if claims.is_empty() {
            return numbers(item).iter().all(|number| self.written.contains(number));
        }
        claims.iter().all(|claim| self.claim_holds(fact, item, claim))
    }

    fn claim_holds(&self, fact: &str, item: &str, Claim { words, number }: &Claim) -> bool {
        let number = *number;
        let noun = words.rsplit('|').next().unwrap_or_default();
        match noun {
            "other line" | "line after the header" | "line with a different number of field" => {
                return number <= self.lines();
            }
            "test" if number == sum_of_outcomes(fact) => return true,
            // The sum of the severities before it; a piece with only one of them does not state it.
            "finding" if number == sum_of_severities(fact) => return true,
            // Each piece is a run, if not more.
            "run" | "without a summary" => return number <= 2 * self.lines(),
            "more" => return true,
            // Each piece is a result, or the part of it before and after another.
            "result" => return number <= self.pieces.len() as u64,
            // Fewer than three are not counted.
            "WARNING line" => return number == recount::warnings(&self.text),
            // The runner itself prints it.
            "collected" if recount::has_collected(&self.text, number) => return true,
            // Left out where a piece has as many results as planned, or one response.
            "module" if number == recount::built_modules(&self.text) => return true,
            "goroutine" if number == recount::goroutines(&self.text) => return true,
            // A single command that prints all of a linter names no files.
            "file"
                if words.starts_with("lint|")
                    && number == recount::files_with_problems(&self.text) =>
            {
                return true;
            }
            "planned" => return number == recount::planned_tests(&self.text),
            "response" => return number == recount::responses(&self.text),
            // Lines of one layout and all others are the whole text.
            "row" if recount::are_all_lines(&self.text, fact) => return true,
            // What `go test` prints of each test and package.
            _ if words.starts_with("go test|")
                && recount::go_results(&self.text, noun) == number =>
            {
                return true;
            }
            "hunk" if number == recount::hunks(&self.text) => return true,
            "hunk" if recount::hunks_of_file(&self.text, fact) == Some(number) => return true,
            _ => {}
        }
        // A test that fails in several runs is one failing test.
        let known: Vec<&BTreeSet<u64>> = if let Some(head) = words.strip_suffix(SO_FAR) {
            self.failing(head)
        } else {
            let words = words.strip_suffix(" in total").unwrap_or(words);
            self.pieces.iter().filter_map(|piece| piece.get(words)).collect()
        };
        let values = || known.iter().copied().flatten();
        if known.is_empty() {
            // Pieces omit lists of one; each counted line contains the label.
            return number <= self.lines_with(noun)
                || self.is_of_single_files(words, 0, number)
                || words.starts_with("by file|")
                    && number == recount::problems_below(&self.text, noun);
        }
        let max = values().max().copied().unwrap_or(0);
        if fact.contains(" more") && (max..=self.lines_with(noun)).contains(&number) {
            // The lists of the pieces are shortened.
            return true;
        }
        // A piece may leave out a value that is alone there; each line with the label was counted.
        let is_label = item.ends_with(&format!(": {number}"));
        let sum: u64 = known.iter().filter_map(|numbers| numbers.last()).sum();
        values().any(|one| *one == number || values().any(|two| one + two == number))
            || number == sum
            || is_label && number == self.lines_with(noun)
            // A piece with one finding of a rule does not count it.
            || words.starts_with(RULE_HEAD) && values().any(|one| one + 1 == number)
            || counts_distinct(words) && (max..=sum).contains(&number)
            || noun == "distinct" && (max..=sum + self.lines_without(words)).contains(&number)
            || values().any(|one| self.is_of_single_files(words, *one, number))
            || words.starts_with("by file|") && number == recount::problems_below(&self.text, noun)
    }

    /// Returns the number of lines in pieces that do not state a number, as many values as they can have.
    fn lines_without(&self, words: &str) -> u64 {
        let pieces = self.pieces.iter().zip(&self.piece_lines);
        pieces.filter(|(piece, _)| !piece.contains_key(words)).map(|(_, lines)| lines).sum()
    }

    /// Returns true if the mean is between means of the pieces.
    fn mean_holds(&self, mean: f64) -> bool {
        let means = self.items.iter().filter_map(|item| item.strip_prefix("mean ")?.parse().ok());
        let means: Vec<f64> = means.collect();
        means.iter().any(|one| *one <= mean) && means.iter().any(|one| *one >= mean)
    }

    /// Returns the numbers of failing tests of each piece, whether it has a summary or not.
    fn failing(&self, head: &str) -> Vec<&BTreeSet<u64>> {
        let words = ["failed", "error", SO_FAR].map(|noun| format!("{head}{noun}"));
        let pieces = self.pieces.iter();
        pieces.flat_map(|piece| words.iter().filter_map(|words| piece.get(words))).collect()
    }

    /// Returns true if the findings of a piece about a single file are added to others of the file.
    fn is_of_single_files(&self, words: &str, others: u64, number: u64) -> bool {
        words.starts_with("by file|")
            && number.checked_sub(others).is_some_and(|rest| self.single_files.contains(&rest))
    }
}

/// Adds that `3 files` are 3 of 3, which only a piece in which they are fewer states.
fn add_totals(claimed: &mut BTreeMap<String, BTreeSet<u64>>) {
    let total = |words: &str| words.split_once('|').map(|(head, noun)| format!("{head}|of {noun}"));
    let all: Vec<_> = claimed
        .iter()
        .filter_map(|(words, numbers)| Some((total(words)?, numbers.clone())))
        .filter(|(words, _)| !claimed.contains_key(words))
        .collect();
    claimed.extend(all);
}

/// Parses `12× message with # words`.
fn template(fact: &str) -> Option<(u64, &str)> {
    let (count, template) = fact.split_once("× ")?;
    Some((count.parse().ok()?, template))
}

/// Returns the number of findings in `lint: 20 errors, 1 warning (21 findings) in 1 file`.
fn single_file(fact: &str) -> Option<u64> {
    fact.ends_with(" in 1 file").then(|| sum_of_severities(fact))
}

/// Returns the sum of the outcomes that a fact about tests lists first.
fn sum_of_outcomes(fact: &str) -> u64 {
    sum_of_leading(fact, &["passed", "failed", "error", "errors", "skipped"])
}

/// Returns the sum of the severities that a fact about findings lists first.
fn sum_of_severities(fact: &str) -> u64 {
    sum_of_leading(fact, &["error", "errors", "warning", "warnings", "note", "notes"])
}

/// Returns the sum of the first numbers in a row that count one of the nouns.
fn sum_of_leading(fact: &str, nouns: &[&str]) -> u64 {
    let counted = |item: &str| {
        let (number, noun) = item.rsplit(": ").next()?.split_once(' ')?;
        number.parse::<u64>().ok().filter(|_| nouns.contains(&noun))
    };
    items(fact).skip_while(|item| counted(item).is_none()).map_while(counted).sum()
}

/// Returns true if distinct values are counted, which both pieces may share.
fn counts_distinct(words: &str) -> bool {
    const NOUNS: &[&str] = &[
        "distinct",
        SO_FAR,
        "file",
        "folder",
        "path",
        "client",
        "author",
        "template",
        "package",
        "commit",
        "column",
        "key",
        "level",
        "process",
        "direct",
        "processes",
        "table",
        "branch",
        "by prefix",
        "local",
        "remote",
    ];
    NOUNS.iter().any(|noun| words.contains(noun))
}

/// Returns the items of a fact that lists several.
fn items(fact: &str) -> impl Iterator<Item = &str> {
    fact.split([',', ';', '(', ')'])
        .flat_map(|item| item.split(" in "))
        .flat_map(|item| item.split(" by "))
        .map(|item| item.trim().trim_start_matches('+').trim_start_matches("total "))
        .filter(|item| !item.is_empty())
}

/// Parses `12 words`, `12× words`, `words: 12` and `words +12 -3`; the start of the fact says what it is about.
fn claims(fact: &str, item: &str) -> Vec<Claim> {
    let head = fact.split(": ").next().filter(|head| head.len() < fact.len()).unwrap_or_default();
    let about = match head {
        // The changes of several commits are those of the patches.
        "over all commits" => "diff".to_owned(),
        // `14 rows, 5 columns: id, name`
        _ if head.starts_with(|c: char| c.is_ascii_digit()) => String::new(),
        _ => masked(head),
    };
    if let Some((rule, number)) = findings_of_rule(fact, item) {
        return vec![Claim { words: format!("{RULE_HEAD}{rule}"), number }];
    }
    let item = item.strip_prefix(head).unwrap_or(item).trim_start_matches(": ");
    let item = item.strip_prefix("of ").unwrap_or(item);
    if let Some((words, [added, removed])) = changed_lines(item) {
        let claim = |what: &str, number| Claim { words: format!("{about}|{words} {what}"), number };
        return vec![claim("added", added), claim("removed", removed)];
    }
    if let Some((some, all, noun)) = some_of_all(item) {
        let noun = singular(noun);
        let claim = |what: &str, number| Claim { words: format!("{about}|{what}{noun}"), number };
        return vec![claim("", some), claim("of ", all)];
    }
    let named = || {
        item.split_once(' ').and_then(|(number, words)| {
            let number = number.trim_end_matches('×').parse().ok()?;
            // Examples follow.
            let words = if words.starts_with("distinct") { "distinct" } else { words };
            let words = words.split(": ").next().unwrap_or(words);
            Some((number, words.split(' ').map(singular).collect::<Vec<_>>().join(" ")))
        })
    };
    let labelled = || {
        let (label, number) = item.rsplit_once(": ")?;
        Some((number.parse().ok()?, label.to_owned()))
    };
    let claim = |(number, words): (u64, String)| {
        let words = words.rsplit(": ").next().unwrap_or(&words);
        Claim { words: format!("{about}|{words}"), number }
    };
    let alone = || Some((item.parse().ok()?, String::new()));
    labelled().or_else(named).or_else(alone).map(claim).into_iter().collect()
}

/// Parses `F401: 3` at the start of `F401: 3, a.py:1 message`.
fn findings_of_rule<'a>(fact: &str, item: &'a str) -> Option<(&'a str, u64)> {
    let (rule, number) = item.split_once(": ")?;
    let place = fact.strip_prefix(item)?.strip_prefix(", ")?.split(' ').next()?;
    let is_place = place.split_once([':', '(']).is_some_and(|(path, line)| {
        !path.is_empty() && line.starts_with(|c: char| c.is_ascii_digit())
    });
    Some((rule, number.parse().ok().filter(|_| is_place)?))
}

fn singular(words: &str) -> &str {
    words.strip_suffix('s').unwrap_or(words)
}

/// Parses `3 of 5 files`.
fn some_of_all(item: &str) -> Option<(u64, u64, &str)> {
    let (some, rest) = item.split_once(" of ")?;
    let (all, noun) = rest.split_once(' ')?;
    Some((some.parse().ok()?, all.parse().ok()?, noun))
}

/// Parses `words +12 -3` and `12 -3`.
fn changed_lines(item: &str) -> Option<(&str, [u64; 2])> {
    let (rest, removed) = item.rsplit_once(" -")?;
    let (words, added) = rest.rsplit_once(' ').unwrap_or(("", rest));
    let added = added.trim_start_matches('+').parse().ok()?;
    Some((words, [added, removed.parse().ok()?]))
}

/// Strips the lines and the number of the result that a fact is about.
fn without_range(fact: &str) -> &str {
    let fact = part_range(fact).map_or(fact, |(_, _, rest)| rest);
    let Some(rest) = fact.strip_prefix("result ") else { return fact };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(": ").or_else(|| rest.strip_prefix(' ')).unwrap_or(fact)
}

/// Parses `lines 3-40: rest`.
pub(crate) fn part_range(fact: &str) -> Option<(u64, u64, &str)> {
    let (range, rest) = fact.strip_prefix("lines ")?.split_once(": ")?;
    let (first, last) = range.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?, rest))
}

fn masked(text: &str) -> String {
    let mut masked = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            _ => masked.push(c),
        }
    }
    masked
}

fn numbers(text: &str) -> Vec<u64> {
    let text = without_grouping(text);
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Turns `1,500` into `1500`.
fn without_grouping(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_grouping = |at: usize| {
        bytes[at] == b','
            && at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1..at + 4).is_some_and(|next| next.iter().all(u8::is_ascii_digit))
    };
    text.char_indices().filter(|(at, _)| !is_grouping(*at)).map(|(_, c)| c).collect()
}

/// Shortens runs of white space to one space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
