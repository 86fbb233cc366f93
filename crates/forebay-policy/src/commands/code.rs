//! Code in other languages: which commands its strings may be, and whether it computes what it runs.
//!
//! No grammar is used, because one text may be code of many languages: every quote is a boundary, so an unbalanced one
//! hides nothing. What is found only serves deny and ask rules, so it may be more than is really run.

use super::watched::WatchedCommands;
use crate::shell::{Word, unescape};

/// Words and signs by which code starts processes, or evaluates text that may.
const STARTING: &[&str] = &[
    "system",
    "popen",
    "exec",
    "spawn",
    "process",
    "qx",
    "passthru",
    "`",
    "%x",
    "run(",
    "run (",
    "shell",
    "command",
    "cmd",
    "fork",
    "pty",
    "|'",
    "|\"",
    "'|",
    "\"|",
    "-|",
    "eval",
    "__import__",
    "getattr",
    "ctypes",
    "dlopen",
    "ffi",
    "function(",
    "syscall",
    "import sh",
    "from sh",
    "plumbum",
    "open3",
    "__dict__",
    "vars(",
    "globals(",
    "builtins",
    "importlib",
    "compile(",
];
/// Functions whose argument is a command.
const CALLS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "popen2",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "execa",
    "execl",
    "execlp",
    "execv",
    "execvp",
    "execve",
    "execvpe",
    "spawn",
    "spawnSync",
    "spawnv",
    "spawnvp",
    "spawnlp",
    "posix_spawn",
    "posix_spawnp",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "shell_exec",
    "passthru",
    "proc_open",
    "execute",
    "system2",
    "shell",
    "cmd",
    "new",
    "Command",
    "CommandContext",
    "ProcessBuilder",
    "Start",
    "eval",
];
/// Signs that a text is decoded or put together from numbers.
const DECODING: &[&str] = &[
    "b64",
    "base64",
    "atob",
    "fromhex",
    "unhex",
    "chr(",
    "fromCharCode",
    "rot13",
    "rot_13",
    "bytes(",
    "bytearray(",
    "pack(",
    "[::-1]",
    "reverse",
    "unescape",
    "codecs",
    "Buffer.from",
    "xor",
    "ord(",
    "inflate",
    "zlib",
];
/// Names between two strings of one command: `.arg("push")`, `{args: ["push"]}`.
const LIST_NAMES: &[&str] = &[
    "args",
    "arg",
    "argv",
    "Arguments",
    "arguments",
    "new",
    "vec!",
    "of",
    "listOf",
    "asList",
    "arrayOf",
    "List",
    "Arrays",
    "String",
    "string",
    "char",
    "const",
    "NULL",
];
/// Longer gaps separate strings of different statements.
const MAX_GAP: usize = 48;

/// Whether code may start a process.
pub(super) fn starts_processes(code: &str) -> bool {
    let text = without_gaps(code, "", is_concatenation).to_lowercase();
    // A name that is decoded may be any of these.
    STARTING.iter().any(|mark| text.contains(mark)) || decodes(code)
}

fn decodes(code: &str) -> bool {
    DECODING.iter().any(|mark| code.contains(mark))
}

/// Whether code computes what it starts, and could make a watched command of what it names or decodes.
pub(super) fn computes_commands(code: &str, watched: &WatchedCommands) -> bool {
    let names = || views(code).iter().any(|view| watched.are_named_in(view));
    let computes = || has_computed_call(code, watched) || uses_programs_as_functions(code);
    (decodes(code) || names()) && computes()
}

/// Whether a module makes functions of programs: `from sh import git`.
fn uses_programs_as_functions(code: &str) -> bool {
    ["import sh", "from sh", "plumbum"].iter().any(|mark| code.contains(mark))
}

/// Whether a call that starts a process gets anything but plain strings.
pub(super) fn has_computed_call(code: &str, watched: &WatchedCommands) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_call = |name: &&str| {
        code.match_indices(*name).any(|(at, _)| {
            let behind = &code[at + name.len()..];
            let argument = behind.trim_start_matches(' ');
            let is_bare = argument.len() < behind.len() && argument.starts_with(['$', '@', '%']);
            !code[..at].ends_with(is_name)
                && (is_bare
                    || argument.strip_prefix('(').is_some_and(|text| is_computed(text, watched)))
        })
    };
    CALLS.iter().any(is_call) || has_filled_backticks(code)
}

fn has_filled_backticks(code: &str) -> bool {
    code.split('`').skip(1).step_by(2).any(|text| text.contains(['$', '#', '{']))
}

/// Whether the command at the start of an argument list is more than plain strings.
fn is_computed(arguments: &str, watched: &WatchedCommands) -> bool {
    let list = arguments.trim_start_matches(|c: char| c.is_whitespace() || "([{".contains(c));
    if list.starts_with([')', ']', '}']) {
        return false;
    }
    let Some((text, behind)) = plain_string(list) else { return true };
    let behind = behind.trim_start_matches([' ', '\t', ']']);
    if text.contains(['{', '$', '#', '%']) || is_edited(behind) {
        return true;
    }
    let mut words = text.split_whitespace();
    let is_bare_name = words.next().is_some_and(|name| watched.is_name(&Word::literal(name)))
        && words.next().is_none();
    is_bare_name && plain_string(next_argument(behind)).is_none()
}

/// The text from the next argument on, also in a builder: `.arg("push")`.
fn next_argument(behind: &str) -> &str {
    let next = behind.trim_start_matches([',', ')', ' ', '\n', '\t']);
    let next = next.strip_prefix(".args").or_else(|| next.strip_prefix(".arg")).unwrap_or(next);
    next.trim_start_matches(['(', '[', '{', '&', ' ', '\n', '\t'])
}

fn is_edited(behind: &str) -> bool {
    let is_method = behind.starts_with('.') && !behind.starts_with(".split(");
    is_method || behind.starts_with(['+', '%', '~', '&', '*', '"', '\'', '<'])
}

/// A string literal without escapes, and the text behind it.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(['r', 'b', 'u', 'L', '@']);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, behind) = text[1..].split_once(quote)?;
    (!inner.contains('\\')).then_some((inner, behind))
}

/// The commands that the strings of code may be, at every word that names a watched one.
pub(super) fn commands(code: &str, watched: &WatchedCommands) -> Vec<Vec<Word>> {
    let mut commands = Vec::new();
    for fragment in views(code).iter().flat_map(|view| fragments(view)) {
        let starts = (0..fragment.len()).filter(|&at| watched.is_name(&fragment[at]));
        commands.extend(starts.map(|at| fragment[at..].to_vec()));
    }
    commands
}

/// Code as it is, with its escapes resolved, its strings put together, and its lists joined.
fn views(code: &str) -> Vec<String> {
    let mut views = vec![code.to_owned()];
    if code.contains('\\') {
        views.push(unescape(code));
    }
    // In `"-C", ".", "push"` the dot is a string, which only the second reading sees.
    views.push(without_gaps(code, " ", is_list_gap));
    let concatenated = without_gaps(code, "", is_concatenation);
    views.push(without_gaps(&concatenated, " ", is_list_gap));
    views.push(concatenated);
    views
}

/// Replaces the text between two quotes, where `is_gap` accepts it, together with the quotes.
fn without_gaps(code: &str, replacement: &str, is_gap: fn(&str) -> bool) -> String {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let mut text = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(QUOTES) {
        let behind = &rest[at + 1..];
        let next = behind.find(QUOTES).filter(|&end| end <= MAX_GAP && is_gap(&behind[..end]));
        text.push_str(&rest[..at]);
        if let Some(end) = next {
            text.push_str(replacement);
            rest = &behind[end + 1..];
        } else {
            text.push_str(&rest[at..=at]);
            rest = behind;
        }
    }
    text + rest
}

/// Whether strings around a gap are one: `"a" "b"`, `"a" + "b"`, `"a" . "b"`, `"a" .. "b"`.
fn is_concatenation(gap: &str) -> bool {
    matches!(gap.trim(), "" | "+" | "." | ".." | "~" | "&" | "<>" | "\\" | "++")
}

/// Whether strings around a gap are elements of a list or arguments of one call.
fn is_list_gap(gap: &str) -> bool {
    let is_sign = |c: char| c.is_whitespace() || ",[](){}:=>.&*+".contains(c);
    !gap.trim().is_empty()
        && gap.split(is_sign).all(|name| name.is_empty() || LIST_NAMES.contains(&name))
}

/// The pieces of a text that may be commands, as words.
pub(super) fn fragments(text: &str) -> Vec<Vec<Word>> {
    let is_break = |c: char| "\n;|&(){}[]`\"'<>$=,\\^:!".contains(c);
    let is_break_or_slash = |c: char| is_break(c) || c == '/';
    let words = |fragment: &str| -> Vec<Word> {
        let fragment = fragment.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        fragment.split_whitespace().map(Word::literal).collect()
    };
    let whole = text.split(is_break).map(words);
    let parts = text.split(is_break_or_slash).map(words);
    whole.chain(parts).filter(|fragment: &Vec<Word>| !fragment.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> WatchedCommands {
        WatchedCommands::new([vec!["git".to_owned(), "push".to_owned()]])
    }

    #[test]
    fn strings_are_put_together_and_lists_joined() {
        for code in [
            r#"run(["git", "push"])"#,
            r#"spawn("git", ["push"])"#,
            r#"Command::new("git").arg("push")"#,
            r#"Command::new("git").args(["push"])"#,
            r#"new Deno.Command("git",{args:["push"]})"#,
            r#"FileName = "git", Arguments = "push""#,
            r#"exec.Command("git", "push")"#,
            r#"execlp("git", "git", "push", NULL)"#,
            r#"system("gi" "t pu" "sh")"#,
            "system('git ' . 'push')",
            r#"os.execute("git" .. " push")"#,
            r#"system("\x67it push")"#,
            r#"run(["git"] + ["push"])"#,
            r#"run(["git", "-C", ".", "push"])"#,
            "qw(git push)",
            "`git push`",
            "/usr/bin/git push",
            "# don't\nsystem('git push')",
        ] {
            let found = commands(code, &watched());
            let is_found = found.iter().any(|words| words.iter().any(|word| word.source == "push"));
            assert!(is_found, "{code}: {found:?}");
        }
    }

    #[test]
    fn a_computed_command_is_noticed() {
        for code in [
            "run(cmd)",
            "run(['git', x])",
            "run('git ' + x)",
            "run(f'git {x}')",
            "system($x)",
            "system $cmd",
            "execSync(`git ${x}`)",
            "run(['git'] + x)",
            "Command::new(\"git\").arg(x)",
            "Command::new(\"git\"); c.arg(x)",
            "spawn('git', words)",
            "os.system('git %s' % x)",
        ] {
            assert!(has_computed_call(code, &watched()), "{code}");
        }
        for code in [
            "run(['git', 'log', x])",
            "Command::new(\"git\").args([\"log\"])",
            "run('ls -l', shell=True)",
            "execSync('npm test')",
            "system(\"ls\")",
            "run()",
            "rerun(x)",
            "run(['ls', x])",
        ] {
            assert!(!has_computed_call(code, &watched()), "{code}");
        }
    }
}
