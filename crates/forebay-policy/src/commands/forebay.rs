//! What `forebay` runs itself: a command, code, the input of a job, a server, or a tool called with JSON.
//!
//! It asks the rules too, but those of the folder that it is started in or given, which need not be these.

use super::inner::Inner;
use super::interpreters::{SCRIPT_FROM_OUTSIDE, input_texts};
use crate::shell::{Command, Doubt, Word};

const LISTED_PROGRAMS: Doubt = Doubt("it starts programs that a file lists");

/// Options before the subcommand, and after it, with their value as the next word.
const COMMON_VALUED: &[&str] = &["-C", "--directory", "--session", "--set"];
const RUN_VALUED: &[&str] = &[
    "--language",
    "--file",
    "--env",
    "--intent",
    "--timeout-ms",
    "--budget",
    "--cwd",
    "--isolation",
    "--raw-up-to",
];

pub(super) fn inner(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = Rest::after_options(&command.words[1..], &[COMMON_VALUED]).words;
    let Some((subcommand, rest)) = rest.split_first() else { return Vec::new() };
    match &*subcommand.marked() {
        "run" => run(rest),
        "wrap" => vec![Inner::Tails(rest.to_vec())],
        "gateway" => vec![Inner::Doubt(LISTED_PROGRAMS)],
        "job" => rest.iter().cloned().map(Inner::Code).collect(),
        "call" => called_tool(rest, command, before),
        _ => Vec::new(),
    }
}

/// Words after options, and the values of those that matter here.
struct Rest<'a> {
    words: &'a [Word],
    language: Option<Word>,
    variables: Vec<Word>,
}

impl<'a> Rest<'a> {
    fn after_options(words: &'a [Word], valued: &[&[&str]]) -> Self {
        let mut rest = Self { words, language: None, variables: Vec::new() };
        while let Some(option) = rest.words.first().map(Word::marked)
            && option.starts_with('-')
        {
            rest.words = &rest.words[1..];
            if option == "--" {
                break;
            }
            let value = match option.split_once('=') {
                Some((_, value)) => Some(Word::literal(value)),
                None if valued.iter().any(|names| names.contains(&&*option)) => rest.take(),
                None => None,
            };
            match option.split('=').next() {
                Some("--language") => rest.language = value,
                Some("--env") => rest.variables.extend(value),
                _ => {}
            }
        }
        rest
    }

    fn take(&mut self) -> Option<Word> {
        let (value, rest) = self.words.split_first()?;
        self.words = rest;
        Some(value.clone())
    }
}

/// A program and its arguments, a line for the shell, or code in a language.
fn run(words: &[Word]) -> Vec<Inner> {
    let Rest { words, language, variables } =
        Rest::after_options(words, &[COMMON_VALUED, RUN_VALUED]);
    if let Some(language) = language {
        // Its name for a shell and its interpreter are the same, and what reads other code finds commands of a shell too.
        let interpreted = [language, Word::literal("-c")].into_iter().chain(words.iter().cloned());
        let mut inner: Vec<Inner> = words.iter().cloned().map(Inner::Program).collect();
        inner.push(Inner::Words(with_variables(variables, interpreted.collect())));
        return inner;
    }
    let is_name = |word: &Word| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        word.known().is_some_and(|name| name.bytes().all(is_plain))
    };
    let command = match words {
        [line] if !is_name(line) => vec![Word::literal("sh"), Word::literal("-c"), line.clone()],
        words => words.to_vec(),
    };
    if command.is_empty() {
        return Vec::new();
    }
    vec![Inner::Words(with_variables(variables, command))]
}

fn with_variables(variables: Vec<Word>, command: Vec<Word>) -> Vec<Word> {
    if variables.is_empty() {
        return command;
    }
    [vec![Word::literal("env")], variables, command].concat()
}

/// `forebay call ctx_execute JSON`: any text in the input may be a command.
fn called_tool(words: &[Word], command: &Command, before: Option<&Command>) -> Vec<Inner> {
    const RUNNING: &[&str] = &["ctx_execute", "ctx_execute_file", "ctx_batch_execute", "ctx_job"];
    let is_running = |word: &Word| word.known().is_none_or(|tool| RUNNING.contains(&&*tool));
    let Some((_, given)) = words.split_first().filter(|(tool, _)| is_running(tool)) else {
        return Vec::new();
    };
    let read = input_texts(command, before);
    let reads_input = given.iter().any(|word| word.marked() == "-");
    let inputs: Vec<Word> = given.iter().cloned().chain(read.iter().cloned()).collect();
    let mut inner: Vec<Inner> = inputs.into_iter().map(Inner::Code).collect();
    inner.extend((reads_input && read.is_empty()).then_some(Inner::Doubt(SCRIPT_FROM_OUTSIDE)));
    inner
}
