//! What a command runs itself: through wrappers, script arguments, hooks and options.

use super::runners;
use super::subscripts;
use super::variables::{self, Effect};
use super::wrappers::Wrapper;
use crate::shell::{Assignment, Command, Doubt, Hole, Piece, RedirectKind, Word, printed};

/// Something that a command runs.
pub(super) enum Inner {
    /// Another command, by its words.
    Words(Vec<Word>),
    /// A text interpreted by a shell.
    Text(Word),
    /// A text interpreted by a shell with another grammar.
    Foreign(Word),
    /// Words of which any may begin a command.
    Tails(Vec<Word>),
    /// A text in some language of which any part may be a command.
    Code(Word),
    /// A program in some language, which starts commands by calls.
    Program(Word),
    /// A text for a shell that may be evaluated.
    Guess(Word),
    /// Words of a program that is not known, of which any may begin a command.
    Suspects(Vec<Word>),
    Doubt(Doubt),
}

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
const FOREIGN_SHELLS: &[&str] = &["fish", "pwsh", "powershell", "nu", "elvish", "xonsh"];
const NAME_IS_DYNAMIC: Doubt = Doubt("the command name is only known at run time");
pub(super) const SCRIPT_FROM_OUTSIDE: Doubt =
    Doubt("it runs a script from its input, which cannot be analysed");
const ALIAS: Doubt = Doubt("an alias changes the meaning of a later word");
const BOUND_NAME: Doubt = Doubt("it binds a name to another program");

/// The command name without its directory, and without a mark of zsh (`=ls`) or Nushell (`^ls`).
pub(crate) fn base_name(word: &Word) -> String {
    let name = word.marked();
    let name = name.strip_prefix(['=', '^']).filter(|rest| !rest.is_empty()).unwrap_or(&name);
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name) || FOREIGN_SHELLS.contains(&name)
}

/// Whether a program interprets a language; `python3.12` is `python`.
pub(super) fn is_interpreter(name: &str) -> bool {
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&versionless)
}

/// Everything a command runs directly. `before` is the command whose output it reads.
pub(super) fn commands_run_by(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let made = variables::assignments(command).into_iter();
    let mut inner: Vec<Inner> = made.filter_map(obeyed).collect();
    let Some(first) = command.words.first() else {
        inner.extend(subscripts::evaluated_later(command));
        return inner;
    };
    if first.known().is_none() {
        inner.push(Inner::Doubt(NAME_IS_DYNAMIC));
    }
    if is_nothing_but_holes(first) {
        // An empty variable vanishes, so the next word may be the name.
        inner.extend(run(command.words[1..].to_vec()));
    }
    let name = base_name(first);
    inner.extend(by_name(&name, command, before));
    inner.extend(runners::inner(&name, command, before));
    inner.extend(subscripts::evaluated_later(command));
    inner
}

/// What a variable makes programs run.
fn obeyed(assignment: Assignment) -> Option<Inner> {
    // Old versions of bash import a function by its value alone.
    if assignment.name.starts_with("BASH_FUNC_") || assignment.value.marked().starts_with("() {") {
        return Some(Inner::Foreign(assignment.value));
    }
    match variables::effect(&assignment.name)? {
        Effect::Options => Some(Inner::Code(assignment.value)),
        Effect::Runs => Some(Inner::Text(assignment.value)),
        Effect::Loads | Effect::SearchPath | Effect::Splits => None,
    }
}

pub(super) fn is_nothing_but_holes(word: &Word) -> bool {
    !word.pieces.is_empty() && word.pieces.iter().all(|piece| matches!(piece, Piece::Hole(_)))
}

fn by_name(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let words = &command.words;
    match name {
        "eval" => vec![Inner::Text(joined(&words[1..]))],
        "trap" => words.get(1).cloned().map(Inner::Text).into_iter().collect(),
        "alias" => alias(words),
        "hash" | "enable" if has_option(words, "-p") || has_option(words, "-f") => {
            vec![Inner::Doubt(BOUND_NAME)]
        }
        "mapfile" | "readarray" => after_option(words, "-C").map(Inner::Text).into_iter().collect(),
        "source" | "." => words.get(1).map(sourced).unwrap_or_default(),
        "find" | "gfind" => find_exec(words),
        "git" => super::git::inner(words),
        "command" if has_option(words, "-v") || has_option(words, "-V") => Vec::new(),
        "watch" => vec![Inner::Text(joined(watch_command(words)))],
        "su" | "runuser" | "script" => {
            after_option(words, "-c").map(Inner::Text).into_iter().collect()
        }
        "sg" | "newgrp" => other_group(command, before),
        "env" => env(words),
        "xargs" | "parallel" => xargs(name, words),
        "flock" => flock(words),
        _ if SHELLS.contains(&name) => shell(command, before),
        _ if name.starts_with("git-") => super::git::dashed(name, words),
        _ if FOREIGN_SHELLS.contains(&name) => foreign_shell(command, before),
        _ if is_interpreter(name) => interpreter(command, before),
        _ if subscripts::are_read_by(name) => subscripts::evaluated_now(words),
        _ => wrapped(name, words),
    }
}

fn wrapped(name: &str, words: &[Word]) -> Vec<Inner> {
    let Some(wrapper) = Wrapper::named(name) else { return Vec::new() };
    let inner = wrapper.inner(words);
    let mut found = run(inner.to_vec());
    if wrapper.has_unknown_option(words) {
        // Its value may be the next word.
        found.extend(run(inner.get(1..).unwrap_or_default().to_vec()));
    }
    found
}

fn run(words: Vec<Word>) -> Vec<Inner> {
    if words.is_empty() { Vec::new() } else { vec![Inner::Words(words)] }
}

/// Joins words into one text, as `eval` and `watch` do.
fn joined(words: &[Word]) -> Word {
    let mut text = Word::default();
    for word in words {
        if !text.pieces.is_empty() {
            text.push_char(' ');
        }
        word.pieces.iter().cloned().for_each(|piece| text.push(piece));
    }
    text
}

fn has_option(words: &[Word], option: &str) -> bool {
    words.iter().any(|word| word.known().as_deref() == Some(option))
}

/// The value of an option: the next word (also after a cluster like `-lc`) or the attached text (`-cls`).
fn after_option(words: &[Word], option: &str) -> Option<Word> {
    let letter = option.chars().last()?;
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.marked();
        let attached = match text.strip_prefix("--command") {
            Some(rest) => rest.trim_start_matches('='),
            None => after_cluster(&text, letter)?,
        };
        if attached.is_empty() { words.get(at + 1).cloned() } else { Some(Word::literal(attached)) }
    })
}

/// The text that a shell runs with `-c`: the first operand behind it, because options may follow (`-c -x -- text`).
fn command_string(words: &[Word]) -> Option<&Word> {
    let is_cluster = |text: &str| {
        text.len() > 1 && text[1..].chars().all(|c| c.is_ascii_alphanumeric()) && text.contains('c')
    };
    let at = words.iter().skip(1).position(|word| {
        let text = word.marked();
        text == "--command" || (text.starts_with('-') && is_cluster(&text))
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

fn alias(words: &[Word]) -> Vec<Inner> {
    let definitions = words.iter().skip(1).filter_map(|word| {
        let text = word.as_script();
        text.split_once('=').map(|(_, value)| Inner::Text(Word::literal(value)))
    });
    let mut inner: Vec<Inner> = definitions.collect();
    if !inner.is_empty() {
        inner.push(Inner::Doubt(ALIAS));
    }
    inner
}

/// A script file; what a process substitution prints is known.
fn sourced(file: &Word) -> Vec<Inner> {
    let is_fed =
        file.known().is_none_or(|path| path.starts_with("/dev/") || path.starts_with("/proc/"));
    let guess = file.pieces.iter().find_map(|piece| match piece {
        Piece::Hole(Hole { guess: Some(guess), .. }) => Some(Inner::Text(Word::literal(guess))),
        _ => None,
    });
    guess.into_iter().chain(is_fed.then_some(Inner::Doubt(SCRIPT_FROM_OUTSIDE))).collect()
}

/// The commands after `-exec` and similar options.
fn find_exec(words: &[Word]) -> Vec<Inner> {
    const RUNNING: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
    let mut inner = Vec::new();
    let mut rest = words;
    while let Some(at) = rest.iter().position(|word| RUNNING.contains(&&*word.marked())) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|word| matches!(&*word.marked(), ";" | "+"));
        let (run_words, after) = rest.split_at(end.unwrap_or(rest.len()));
        inner.extend(run(run_words.iter().map(|word| with_hole(word, "{}")).collect()));
        rest = after;
    }
    inner
}

/// Replaces a placeholder for input by an unknown part.
fn with_hole(word: &Word, placeholder: &str) -> Word {
    let Some(text) = word.known().filter(|text| text.contains(placeholder)) else {
        return word.clone();
    };
    let mut filled = Word { source: word.source.clone(), ..Word::default() };
    for (number, part) in text.split(placeholder).enumerate() {
        if number > 0 {
            filled.push(Piece::Hole(Hole::default()));
        }
        if !part.is_empty() {
            filled.push(Piece::Text(part.to_owned()));
        }
    }
    filled
}

/// `xargs` and `parallel` append words from their input.
fn xargs(name: &str, words: &[Word]) -> Vec<Inner> {
    let Some(wrapper) = Wrapper::named(name) else { return Vec::new() };
    let inner = wrapper.inner(words);
    let ends = |word: &Word| word.marked().starts_with(":::");
    let placeholder = placeholder(words);
    if inner.first().is_none_or(ends) {
        // Without a command, the arguments are commands.
        let given = words.iter().skip_while(|word| !ends(word)).filter(|word| !ends(word));
        return given.cloned().map(Inner::Code).collect();
    }
    let own = inner.iter().take_while(|word| !ends(word)).map(|word| with_hole(word, &placeholder));
    if inner.is_empty() { Vec::new() } else { run(own.chain([Word::unknown()]).collect()) }
}

/// The placeholder set by `-I`, or the default.
fn placeholder(words: &[Word]) -> String {
    let named = words.iter().enumerate().find_map(|(at, word)| {
        let text = word.marked();
        let joined = text.strip_prefix("-I").or_else(|| text.strip_prefix("--replace="))?;
        if joined.is_empty() {
            words.get(at + 1).map(Word::marked)
        } else {
            Some(joined.to_owned())
        }
    });
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "{}".to_owned())
}

fn watch_command(words: &[Word]) -> &[Word] {
    let valued = |text: &str| matches!(text, "-n" | "--interval" | "-q" | "--equexit");
    let mut rest = &words[1..];
    while let Some(option) = rest.first().map(Word::marked)
        && option.starts_with('-')
    {
        rest = rest.get(1 + usize::from(valued(&option))..).unwrap_or_default();
    }
    rest
}

fn env(words: &[Word]) -> Vec<Inner> {
    let split = words.iter().enumerate().find_map(|(at, word)| {
        let text = word.marked();
        let value = text.strip_prefix("--split-string=").or_else(|| after_cluster(&text, 'S'))?;
        if value.is_empty() { Some(joined(&words[at + 1..])) } else { Some(Word::literal(value)) }
    });
    match split {
        Some(text) => vec![Inner::Text(text)],
        None => wrapped("env", words),
    }
}

/// The text attached to a short option, also in a cluster: `x` in `-vSx`.
fn after_cluster(text: &str, option: char) -> Option<&str> {
    let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let (others, attached) = cluster.split_once(option)?;
    others.chars().all(|c| c.is_ascii_alphanumeric()).then_some(attached)
}

fn flock(words: &[Word]) -> Vec<Inner> {
    match after_option(words, "-c") {
        Some(text) => vec![Inner::Text(text)],
        None => wrapped("flock", words),
    }
}

/// `sg group [-c] command`; `newgrp group` starts a shell.
fn other_group(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let operands = command.words.iter().skip(1).filter(|word| !word.marked().starts_with('-'));
    let text = operands.skip(1).last().cloned().map(Inner::Text);
    text.into_iter().chain(stdin_script(command, before)).collect()
}

/// A shell: `-c text`, a file, or standard input.
fn shell(command: &Command, before: Option<&Command>) -> Vec<Inner> {
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
    let start_files = ["--rcfile", "--init-file"].iter();
    let start_files = start_files.flat_map(|option| runners::option_values(words, option));
    let mut inner: Vec<Inner> = start_files.flat_map(|file| sourced(&file)).collect();
    inner.extend(match script_operand(words) {
        Some(script) if !is_stream(script) && !reads_input => sourced(script),
        _ => stdin_script(command, before),
    });
    inner
}

/// A shell with another grammar; PowerShell accepts any start of an option's name, in any case.
fn foreign_shell(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let is_text = |word: &Word| {
        let text = word.marked().to_ascii_lowercase();
        let option = text.trim_start_matches('-');
        text.starts_with('-') && !option.is_empty() && "commands".starts_with(option)
    };
    let is_encoded = |word: &Word| word.marked().to_ascii_lowercase().starts_with("-e");
    let words = &command.words;
    if let Some(at) = words.iter().position(is_text) {
        return vec![Inner::Foreign(joined(&words[at + 1..]))];
    }
    if words.iter().any(is_encoded) {
        return vec![Inner::Doubt(SCRIPT_FROM_OUTSIDE)];
    }
    shell(command, before)
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
    const VALUED: &[&str] = &["--rcfile", "--init-file", "-o", "-O", "+o", "+O"];
    let mut rest = words.get(1..)?;
    while let Some(option) = rest.first().map(Word::marked)
        && option.starts_with(['-', '+'])
        && option != "-"
    {
        if option == "--" {
            return rest.get(1);
        }
        rest = rest.get(1 + usize::from(VALUED.contains(&&*option))..)?;
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
fn interpreter(command: &Command, before: Option<&Command>) -> Vec<Inner> {
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
