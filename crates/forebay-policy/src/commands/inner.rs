//! What a command runs itself: through wrappers, script arguments, hooks and options.

use super::interpreters::{
    foreign_shell, interpreter, is_foreign_shell, is_interpreter, is_shell, other_group, shell,
    sourced,
};
use super::options::{self, Value};
use super::runners;
use super::subscripts;
use super::variables::{self, Effect};
use super::wrappers::Wrapper;
use crate::shell::{self, Assignment, Command, Doubt, Hole, Piece, Word};

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

const NAME_IS_DYNAMIC: Doubt = Doubt("the command name is only known at run time");
const ALIAS: Doubt = Doubt("an alias changes the meaning of a later word");
const BOUND_NAME: Doubt = Doubt("it binds a name to another program");

/// The command name without its directory, and without a mark of zsh (`=ls`) or Nushell (`^ls`).
pub(crate) fn base_name(word: &Word) -> String {
    let name = word.marked();
    let name = name.strip_prefix(['=', '^']).filter(|rest| !rest.is_empty()).unwrap_or(&name);
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Everything a command runs directly. `before` is the command whose output it reads.
pub(super) fn commands_run_by(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let made = variables::assignments(command).into_iter();
    let mut inner: Vec<Inner> = made.flat_map(obeyed).collect();
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
fn obeyed(assignment: Assignment) -> Vec<Inner> {
    // Old versions of bash import a function by its value alone.
    if assignment.name.starts_with("BASH_FUNC_") || assignment.value.marked().starts_with("() {") {
        return vec![Inner::Foreign(assignment.value)];
    }
    match variables::effect(&assignment.name) {
        Some(Effect::Options) => {
            // `-wrapper git,push`, and the lists of cmake
            let separated = Word::literal(assignment.value.as_script().replace([',', ';'], " "));
            vec![Inner::Code(assignment.value), Inner::Code(separated)]
        }
        Some(Effect::Runs) => vec![Inner::Text(assignment.value)],
        Some(Effect::Prompts) => vec![Inner::Text(expanded(&assignment.value))],
        Some(
            Effect::Loads
            | Effect::Imports
            | Effect::Settings
            | Effect::SearchPath
            | Effect::Splits,
        )
        | None => Vec::new(),
    }
}

/// A command that expands a prompt, in which `\044` is a dollar and `\140` a backtick.
fn expanded(prompt: &Word) -> Word {
    let text = prompt.as_script().replace("\\044", "$").replace("\\140", "`").replace('"', " ");
    Word::literal(format!(": \"{text}\""))
}

pub(super) fn is_nothing_but_holes(word: &Word) -> bool {
    !word.pieces.is_empty() && word.pieces.iter().all(|piece| matches!(piece, Piece::Hole(_)))
}

fn by_name(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let words = &command.words;
    match name {
        "eval" => vec![Inner::Text(joined(operands(words)))],
        "trap" => operands(words).first().cloned().map(Inner::Text).into_iter().collect(),
        "alias" => alias(words),
        "hash" | "enable" if has_option(words, "-p") || has_option(words, "-f") => {
            vec![Inner::Doubt(BOUND_NAME)]
        }
        "mapfile" | "readarray" => after_option(words, "-C").map(Inner::Text).into_iter().collect(),
        "source" | "." => words.get(1).map(sourced).unwrap_or_default(),
        "find" | "gfind" => find_exec(words),
        "git" => super::git::inner(words),
        "forebay" => super::forebay::inner(command, before),
        // It passes on what is not its own.
        "hub" => run([&[Word::literal("git")], &words[1..]].concat()),
        "command" if has_option(words, "-v") || has_option(words, "-V") => Vec::new(),
        "watch" => watch(words),
        "su" | "runuser" | "script" => {
            after_option(words, "-c").map(Inner::Text).into_iter().collect()
        }
        "sg" | "newgrp" => other_group(command, before),
        "env" => env(words),
        "xargs" | "parallel" => xargs(name, words),
        "flock" => flock(words),
        _ if name.starts_with("git-") => super::git::dashed(name, words),
        _ if is_foreign_shell(name) => foreign_shell(command, before),
        _ if is_shell(name) => shell(command, before),
        _ if is_interpreter(name) => interpreter(command, before),
        _ if subscripts::are_read_by(name) => subscripts::evaluated_now(words),
        _ => wrapped(name, words),
    }
}

fn wrapped(name: &str, words: &[Word]) -> Vec<Inner> {
    let Some(wrapper) = Wrapper::named(name) else { return Vec::new() };
    wrapper.candidates(words).into_iter().flat_map(|inner| run(inner.to_vec())).collect()
}

fn run(words: Vec<Word>) -> Vec<Inner> {
    if words.is_empty() { Vec::new() } else { vec![Inner::Words(words)] }
}

/// The words behind the name of a builtin and its `--`.
fn operands(words: &[Word]) -> &[Word] {
    let rest = words.get(1..).unwrap_or_default();
    let is_end = |word: &Word| word.marked() == "--";
    if rest.first().is_some_and(is_end) { &rest[1..] } else { rest }
}

/// Joins words into one text, as `eval` and `watch` do.
pub(super) fn joined(words: &[Word]) -> Word {
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
        let attached = match options::given(&text, "--command") {
            Some(Value::Attached(value)) => value,
            Some(Value::Next) => "",
            None => after_cluster(&text, letter)?,
        };
        if attached.is_empty() { words.get(at + 1).cloned() } else { Some(Word::literal(attached)) }
    })
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
    wrapper.candidates(words).into_iter().flat_map(|inner| fed(name, words, inner)).collect()
}

/// A command whose words are followed by words from the input, or have them in place of a placeholder.
fn fed(name: &str, words: &[Word], inner: &[Word]) -> Vec<Inner> {
    let ends = |word: &Word| word.marked().starts_with(":::");
    if inner.first().is_none_or(ends) {
        // Without a command, the arguments are commands.
        let given = words.iter().skip_while(|word| !ends(word)).filter(|word| !ends(word));
        return given.cloned().map(Inner::Code).collect();
    }
    let own: Vec<Word> = inner.iter().take_while(|word| !ends(word)).cloned().collect();
    let options = &words[..words.len() - inner.len()];
    let mut commands = vec![own.clone()];
    for placeholder in placeholders(options) {
        commands.push(own.iter().map(|word| with_hole(word, &placeholder)).collect());
    }
    if name == "parallel" {
        // `{.}`, `{1}`, `{= code =}`
        let filled = |word: &Word| {
            if word.marked().contains('{') { Word::unknown() } else { word.clone() }
        };
        commands.push(std::iter::once(own[0].clone()).chain(own[1..].iter().map(filled)).collect());
    }
    commands.dedup();
    let with_input = |words: Vec<Word>| Inner::Words([words, vec![Word::unknown()]].concat());
    commands.into_iter().map(with_input).collect()
}

/// What stands for the input: the default, and what `-I`, `-i` and `--replace` set.
fn placeholders(options: &[Word]) -> Vec<String> {
    let mut placeholders = options::values(options, "-I");
    let attached = options.iter().filter_map(|word| {
        let text = word.marked();
        match options::given(&text, "--replace").or_else(|| options::given(&text, "-i"))? {
            Value::Attached(value) => Some(Word::literal(value)),
            Value::Next => None,
        }
    });
    placeholders.extend(attached);
    let named = placeholders.iter().map(Word::marked).filter(|name| !name.is_empty());
    std::iter::once("{}".to_owned()).chain(named).collect()
}

fn watch(words: &[Word]) -> Vec<Inner> {
    let candidates = Wrapper::named("watch").map(|wrapper| wrapper.candidates(words));
    candidates.into_iter().flatten().map(|text| Inner::Text(joined(text))).collect()
}

/// `env -S 'git -C x' push` runs `env git -C x push`.
fn env(words: &[Word]) -> Vec<Inner> {
    let mut inner = wrapped("env", words);
    let Some(wrapper) = Wrapper::named("env") else { return inner };
    let shortest = wrapper.candidates(words).iter().map(|rest| rest.len()).min().unwrap_or(0);
    let split = (1..words.len() - shortest).find_map(|at| {
        let text = words[at].as_script();
        let attached = match options::given(&text, "--split-string") {
            Some(Value::Attached(value)) => value,
            Some(Value::Next) => "",
            None => after_cluster(&text, 'S')?,
        };
        match attached {
            "" => Some((words.get(at + 1)?.as_script(), &words[at + 2..])),
            _ => Some((attached.to_owned(), &words[at + 1..])),
        }
    });
    inner.extend(split.map(|(text, rest)| split_by_env(&text, rest)));
    inner
}

/// The command of a text that env splits, and the words behind it; `\_` stands for a blank.
fn split_by_env(text: &str, rest: &[Word]) -> Inner {
    const BLANKS: [&str; 6] = ["\\_", "\\t", "\\n", "\\v", "\\f", "\\r"];
    let text = BLANKS.iter().fold(text.to_owned(), |text, blank| text.replace(blank, " "));
    let text = Word::literal(format!("env {text}"));
    let script = shell::parse(&text.as_script());
    match script.commands.as_slice() {
        [command] if script.broken.is_none() => Inner::Words([&command.words, rest].concat()),
        _ => Inner::Text(joined(&[&[text], rest].concat())),
    }
}

/// The text attached to a short option, also in a cluster: `x` in `-vSx`.
pub(super) fn after_cluster(text: &str, option: char) -> Option<&str> {
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
