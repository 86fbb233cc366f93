//! Shells and interpreters: what they run as an argument, as a file, and as their input.

use super::inner::{Inner, after_cluster, joined};
use super::options;
use crate::shell::{Command, Doubt, Hole, Piece, RedirectKind, Word, printed};

const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "yash", "rbash"];
/// Interpreters, without versions in their names.
const INTERPRETERS: &[&str] = &[
    "python",
    "pypy",
    "ipython",
    "jython",
    "perl",
    "raku",
    "ruby",
    "jruby",
    "irb",
    "node",
    "nodejs",
    "tsx",
    "ts-node",
    "bun",
    "deno",
    "qjs",
    "gjs",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "wish",
    "expect",
    "osascript",
    "R",
    "Rscript",
    "julia",
    "octave",
    "guile",
    "racket",
    "sbcl",
    "clisp",
    "ocaml",
    "elixir",
    "iex",
    "erl",
    "swift",
    "jshell",
    "groovy",
    "scala",
    "kotlin",
    "ghci",
    "runghc",
    "mongosh",
    "mongo",
];
/// Shells with a grammar of their own.
const FOREIGN_SHELLS: &[&str] = &[
    "fish",
    "pwsh",
    "powershell",
    "nu",
    "elvish",
    "xonsh",
    "csh",
    "tcsh",
    "osh",
    "oil",
    "ysh",
    "posh",
];
/// Options of bash that name a file it runs first; it accepts long options with one dash, too.
const START_FILES: &[&str] = &["--rcfile", "--init-file", "-rcfile", "-init-file"];
pub(super) const SCRIPT_FROM_OUTSIDE: Doubt =
    Doubt("it runs a script from its input, which cannot be analysed");
/// Whether a shell has a grammar of its own.
pub(super) fn is_foreign_shell(name: &str) -> bool {
    FOREIGN_SHELLS.contains(&name)
}

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name) || FOREIGN_SHELLS.contains(&name)
}

/// Whether a program interprets a language; `python3.12` is `python`.
pub(super) fn is_interpreter(name: &str) -> bool {
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&versionless)
}

/// The text that a shell runs with `-c`: the first operand behind it, because options may follow (`-c -x -- text`).
fn command_string(words: &[Word]) -> Option<&Word> {
    let is_cluster = |text: &str| {
        text.len() > 1 && text[1..].chars().all(|c| c.is_ascii_alphanumeric()) && text.contains('c')
    };
    let at = words.iter().skip(1).position(|word| {
        let text = word.marked();
        let is_short = text.starts_with('-') && !START_FILES.contains(&&*text) && is_cluster(&text);
        text == "--command" || is_short
    })? + 2;
    let mut rest = &words[at..];
    while let Some(option) = rest.first().map(Word::marked)
        && option.starts_with(['-', '+'])
        && option.len() > 1
    {
        if option == "--" {
            return rest.get(1);
        }
        let takes_next = option.ends_with(['o', 'O']) && !option.starts_with("--");
        rest = rest.get(1 + usize::from(takes_next)..).unwrap_or_default();
    }
    rest.first()
}

/// A script file; what a process substitution prints is known.
pub(super) fn sourced(file: &Word) -> Vec<Inner> {
    let is_fed =
        file.known().is_none_or(|path| path.starts_with("/dev/") || path.starts_with("/proc/"));
    let guess = file.pieces.iter().find_map(|piece| match piece {
        Piece::Hole(Hole { guess: Some(guess), .. }) => Some(Inner::Text(Word::literal(guess))),
        _ => None,
    });
    guess.into_iter().chain(is_fed.then_some(Inner::Doubt(SCRIPT_FROM_OUTSIDE))).collect()
}

/// `sg group [-c] command`; `newgrp group` starts a shell.
pub(super) fn other_group(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let operands = command.words.iter().skip(1).filter(|word| !word.marked().starts_with('-'));
    let text = operands.skip(1).last().cloned().map(Inner::Text);
    text.into_iter().chain(stdin_script(command, before)).collect()
}

/// A shell: `-c text`, a file, or standard input.
pub(super) fn shell(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let words = &command.words;
    if let Some(text) = command_string(words) {
        let mut inner = vec![Inner::Text(text.clone())];
        // `-c` may be an argument of a script from the input.
        if words.iter().skip(1).any(|word| is_stream(word) && word.marked() != "-") {
            inner.extend(stdin_script(command, before));
        }
        return inner;
    }
    // With `-s` the operands are arguments of a script from the input.
    let reads_input = words.iter().skip(1).any(|word| after_cluster(&word.marked(), 's').is_some());
    let start_files = options::values_of_any(words, START_FILES).into_iter();
    let mut inner: Vec<Inner> = start_files.flat_map(|file| sourced(&file)).collect();
    inner.extend(match script_operand(words) {
        Some(script) if !is_stream(script) && !reads_input => sourced(script),
        _ => stdin_script(command, before),
    });
    inner
}

/// A shell with another grammar; PowerShell accepts any start of an option's name, in any case.
pub(super) fn foreign_shell(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let is_text = |word: &Word| {
        let text = word.marked().to_ascii_lowercase();
        let option = text.trim_start_matches('-');
        text.starts_with('-') && !option.is_empty() && "commands".starts_with(option)
    };
    let is_encoded = |word: &Word| word.marked().to_ascii_lowercase().starts_with("-e");
    let words = &command.words;
    let mut inner: Vec<Inner> =
        words[1..].iter().filter_map(attached_text).map(Inner::Foreign).collect();
    if let Some(at) = words.iter().position(is_text) {
        inner.push(Inner::Foreign(joined(&words[at + 1..])));
    }
    // A text that runs first, another that follows: `fish -C x -c y`.
    let pairs = words.windows(2).filter(|pair| is_text(&pair[0]));
    inner.extend(pairs.skip(1).map(|pair| Inner::Foreign(pair[1].clone())));
    if !inner.is_empty() {
        return inner;
    }
    if words.iter().any(is_encoded) {
        return vec![Inner::Doubt(SCRIPT_FROM_OUTSIDE)];
    }
    shell(command, before)
}

/// The text in the same word as its option: `--command='git push'`, `-c'git push'`.
fn attached_text(word: &Word) -> Option<Word> {
    const OPTIONS: &[&str] = &["--command", "--commands", "--init-command", "--execute"];
    let text = word.as_script();
    let long = OPTIONS.iter().find_map(|option| match options::given(&text, option)? {
        options::Value::Attached(value) => Some(value),
        options::Value::Next => None,
    });
    let short = || text.strip_prefix("-c").or_else(|| text.strip_prefix("-C"));
    let attached = long.or_else(|| short().filter(|value| value.contains(' ')))?;
    Some(Word::literal(attached))
}

fn stdin_script(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let texts = input_texts(command, before);
    let is_known = is_known_input(&texts);
    let mut inner: Vec<Inner> = texts.into_iter().map(Inner::Text).collect();
    if !is_known {
        inner.push(Inner::Doubt(SCRIPT_FROM_OUTSIDE));
    }
    inner
}

/// The script that a shell runs, behind options and their values.
fn script_operand(words: &[Word]) -> Option<&Word> {
    const VALUED: &[&str] = &["-o", "-O", "+o", "+O"];
    let mut rest = words.get(1..)?;
    while let Some(option) = rest.first().map(Word::marked)
        && option.starts_with(['-', '+'])
        && option != "-"
    {
        if option == "--" {
            return rest.get(1);
        }
        rest = rest.get(
            1 + usize::from(VALUED.contains(&&*option) || START_FILES.contains(&&*option))..,
        )?;
    }
    rest.first()
}

fn first_operand(words: &[Word]) -> Option<&Word> {
    words.iter().skip(1).find(|word| {
        let text = word.marked();
        text == "-" || !text.starts_with(['-', '+'])
    })
}

pub(super) fn is_stream(word: &Word) -> bool {
    let text = word.marked();
    text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/")
}

/// An interpreter without a program runs its input.
pub(super) fn interpreter(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let is_fed = |operand: &Word| is_stream(operand) || operand.source.starts_with("<(");
    let has_program = match first_operand(&command.words) {
        Some(operand) => !is_fed(operand) || command.words.iter().any(gives_program),
        None => command.words.iter().any(gives_program),
    };
    if has_program || is_known_input(&input_texts(command, before)) {
        return Vec::new();
    }
    vec![Inner::Doubt(SCRIPT_FROM_OUTSIDE)]
}

/// Options that are followed by code or a module, or with which nothing is run.
fn gives_program(word: &Word) -> bool {
    const LONG: &[&str] =
        &["--eval", "--print", "--test", "--check", "--version", "--help", "--run", "--watch"];
    let text = word.marked();
    match text.strip_prefix("--") {
        Some(_) => LONG.iter().any(|option| text.starts_with(option)),
        None => text
            .strip_prefix('-')
            .is_some_and(|cluster| cluster.contains(['c', 'e', 'E', 'm', 'r', 'p', 'V', 'v', 'h'])),
    }
}

/// What is known of a command's input: here-documents, and what the command before it prints.
pub(super) fn input_texts(command: &Command, before: Option<&Command>) -> Vec<Word> {
    let documents = command.redirects.iter().filter(|each| each.kind == RedirectKind::Text);
    let mut texts: Vec<Word> = documents.map(|each| each.target.clone()).collect();
    let piped = before.filter(|_| command.piped);
    if let Some(printed) = piped.and_then(|before| printed(std::slice::from_ref(before))) {
        texts.push(Word::literal(printed.text));
        if !printed.is_exact {
            texts.push(Word::unknown());
        }
    }
    texts
}

fn is_known_input(texts: &[Word]) -> bool {
    !texts.is_empty() && texts.iter().all(|text| text.known().is_some())
}
