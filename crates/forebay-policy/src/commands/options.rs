//! How a word gives an option, in every spelling that `getopt_long` and its kin accept.
//!
//! What is found only serves deny and ask rules, so an abbreviation counts for every option that it may mean: the
//! program itself would refuse an ambiguous one.

use crate::shell::Word;

/// Where the value of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Attached(&'a str),
    /// The next word, for an option that takes a value.
    Next,
}

impl<'a> Value<'a> {
    fn after(attached: &'a str) -> Self {
        match attached.trim_start_matches('=') {
            "" => Self::Next,
            value => Self::Attached(value),
        }
    }
}

/// How a word gives an option, if it does.
///
/// `--name` is also given by its start and with `=value`, `-n` also in a cluster and with its value behind it. A final
/// `*` stands for any ending. Anything else (`-exec`, `--`, `run`) is the whole word or its start.
pub(crate) fn given<'a>(word: &'a str, option: &str) -> Option<Value<'a>> {
    if let Some(name) = option.strip_prefix("--").filter(|name| !name.is_empty()) {
        return long(word.strip_prefix("--")?, name);
    }
    match option.strip_prefix('-').map(|letters| letters.chars().collect::<Vec<_>>()).as_deref() {
        Some([letter]) => after_letter(word, *letter).map(Value::after),
        _ => word.strip_prefix(option).map(Value::after),
    }
}

fn long<'a>(word: &'a str, name: &str) -> Option<Value<'a>> {
    let (written, value) = match word.split_once('=') {
        Some((written, value)) => (written, Value::Attached(value.trim_start_matches('='))),
        None => (word, Value::Next),
    };
    let is_family = |start: &str| written.starts_with(start) || start.starts_with(written);
    let is_name = name.strip_suffix('*').map_or_else(|| name.starts_with(written), is_family);
    (is_name && !written.is_empty()).then_some(value)
}

/// What stands behind a letter of a cluster of short options.
fn after_letter(word: &str, letter: char) -> Option<&str> {
    let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    cluster.split_once(letter).map(|(_, attached)| attached)
}

/// Whether a word gives one of some options.
pub(crate) fn gives_any(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| given(word, option).is_some())
}

/// Whether a word is a name or an abbreviation of it that has at least as many letters as `least`.
pub(crate) fn abbreviates(word: &str, name: &str, least: usize) -> bool {
    word.len() >= least && name.starts_with(word)
}

/// The values that an option is given.
pub(crate) fn values(words: &[Word], option: &str) -> Vec<Word> {
    values_of_any(words, &[option])
}

/// The values that some options are given, in the order of the words.
pub(crate) fn values_of_any(words: &[Word], options: &[&str]) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.marked();
        let ways: Vec<Value<'_>> =
            options.iter().filter_map(|option| given(&text, option)).collect();
        let next = words.get(at + 1).cloned();
        // `--file=<(echo)` is parsed as two words.
        let is_cut = |next: &Word| next.source.starts_with("<(");
        if ways.contains(&Value::Next) {
            values.extend(next);
        } else if ways.contains(&Value::Attached("")) {
            values.extend(next.filter(is_cut));
        }
        values.extend(ways.iter().filter_map(|way| match way {
            Value::Attached(value) => Some(Word::literal(*value)),
            Value::Next => None,
        }));
    }
    values
}

/// Short options of tar with a value: each takes one of the words behind an old-style bundle.
const VALUED_BY_TAR: &str = "bCfFgHIKLNTVX";

/// The words of tar with options in place of an old-style bundle: `tar cfI x gzip` is `tar -c -f x -I gzip`.
pub(crate) fn unbundled(program: &str, words: &[Word]) -> Vec<Word> {
    let is_tar = matches!(program, "tar" | "gtar" | "bsdtar");
    let bundle = words.first().filter(|_| is_tar).and_then(Word::known);
    let Some(bundle) = bundle.filter(|text| text.chars().all(|c| c.is_ascii_alphanumeric())) else {
        return words.to_vec();
    };
    let mut rest = words[1..].iter();
    let mut unbundled = Vec::new();
    for letter in bundle.chars() {
        unbundled.push(Word::literal(format!("-{letter}")));
        if VALUED_BY_TAR.contains(letter) {
            unbundled.extend(rest.next().cloned());
        }
    }
    unbundled.extend(rest.cloned());
    unbundled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn an_option_is_given_in_every_spelling() {
        for (word, option, expect) in [
            ("--filter", "--filter", Some(Value::Next)),
            ("--filter=x", "--filter", Some(Value::Attached("x"))),
            ("--filter=", "--filter", Some(Value::Attached(""))),
            ("--filter==x", "--filter", Some(Value::Attached("x"))),
            ("--fi=x y", "--filter", Some(Value::Attached("x y"))),
            ("--f", "--filter", Some(Value::Next)),
            ("--filters", "--filter", None),
            ("--", "--filter", None),
            ("--=x", "--filter", None),
            ("-filter", "--filter", None),
            ("filter", "--filter", None),
            ("--on-stop=x", "--on-*", Some(Value::Attached("x"))),
            ("--o", "--on-*", Some(Value::Next)),
            ("-I", "-I", Some(Value::Next)),
            ("-xI", "-I", Some(Value::Next)),
            ("-xIcat", "-I", Some(Value::Attached("cat"))),
            ("-I=cat", "-I", Some(Value::Attached("cat"))),
            ("--I", "-I", None),
            ("-exec=x", "-exec", Some(Value::Attached("x"))),
            ("-ex", "-exec", None),
            ("run", "run", Some(Value::Next)),
        ] {
            assert_eq!(given(word, option), expect, "{word} {option}");
        }
    }

    #[test]
    fn values_follow_or_are_attached() {
        for (line, expect) in [
            ("tar -xI cat --use=gzip -If y", "cat gzip f"),
            ("tar cfI b cat y", "cat"),
            ("tar cIf cat b y", "cat"),
            ("tar xf I", ""),
            ("tar -- xI cat", ""),
        ] {
            let words = &shell::parse(line).commands[0].words;
            let words = unbundled("tar", &words[1..]);
            let found = values_of_any(&words, &["-I", "--use-compress-program"]);
            let found: Vec<String> = found.iter().map(Word::marked).collect();
            assert_eq!(found.join(" "), expect, "{line}");
        }
    }
}
