//! What a command prints, where its words tell.

use super::ansi;
use super::script::{Command, RedirectKind, Word};

/// The output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) text: String,
    /// Whether every shell prints exactly this.
    pub(crate) is_exact: bool,
}

/// The output of a single command with known words.
pub(crate) fn printed(commands: &[Command]) -> Option<Printed> {
    let [command] = commands else { return None };
    let texts: Vec<String> = command.words.iter().map(Word::known).collect::<Option<_>>()?;
    let (name, arguments) = texts.split_first()?;
    let writes = |kind| matches!(kind, RedirectKind::Write | RedirectKind::ReadWrite);
    if command.redirects.iter().any(|each| writes(each.kind)) {
        return None;
    }
    match name.as_str() {
        "echo" => Some(echoed(arguments)),
        "printf" => formatted(without_options(arguments)),
        "cat" if arguments.is_empty() => document(command),
        "which" | "command" | "type" | "realpath" | "readlink" => located(arguments),
        _ => None,
    }
}

fn without_options(mut arguments: &[String]) -> &[String] {
    while arguments.first().is_some_and(|word| word.starts_with('-') && word.len() == 2) {
        arguments = &arguments[1..];
    }
    arguments
}

/// Some shells resolve escapes without being told.
fn echoed(arguments: &[String]) -> Printed {
    let words = without_options(arguments);
    let options = &arguments[..arguments.len() - words.len()];
    let text = words.join(" ");
    let is_exact = !text.contains('\\') && options.iter().all(|option| option == "-n");
    Printed { text: if is_exact { text } else { ansi::unescape(&text) }, is_exact }
}

/// `printf` with no format, or with one `%s` for each word.
fn formatted(words: &[String]) -> Option<Printed> {
    let (format, values) = words.split_first()?;
    let directives = format.matches('%').count();
    let plain = format.matches("%s").count();
    let is_exact = directives == plain && plain == values.len() && has_plain_escapes(format);
    if values.is_empty() {
        return Some(Printed { text: ansi::unescape(format), is_exact });
    }
    let mut text = ansi::unescape(format);
    for value in values {
        text = if text.contains("%s") { text.replacen("%s", value, 1) } else { text + value };
    }
    Some(Printed { text: if is_exact { text } else { ansi::unescape(&text) }, is_exact })
}

/// Whether a format has only escapes that mean the same everywhere.
fn has_plain_escapes(format: &str) -> bool {
    format.split('\\').skip(1).all(|rest| rest.starts_with(['n', 't']))
}

/// The here-documents that `cat` passes on.
fn document(command: &Command) -> Option<Printed> {
    let texts: Option<Vec<String>> = command
        .redirects
        .iter()
        .map(|each| each.target.known().filter(|_| each.kind == RedirectKind::Text))
        .collect();
    let text = texts.filter(|texts| !texts.is_empty())?.concat();
    Some(Printed { text, is_exact: true })
}

/// `$(which git)` is a path of `git`.
fn located(arguments: &[String]) -> Option<Printed> {
    let name = arguments.last().filter(|name| !name.starts_with('-'))?;
    Some(Printed { text: name.clone(), is_exact: false })
}
