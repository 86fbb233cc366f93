//! Programs that run other commands in ways of their own: any word may begin one, or a word is code that starts one.
//!
//! What is found here only serves deny and ask rules, so it may be more than is really run.

use super::inner::{Inner, SCRIPT_FROM_OUTSIDE};
use crate::shell::{Command, Doubt, RedirectKind, Word, printed};

/// Programs of which any word may begin the command they run.
const RUNNERS: &[&str] = &[
    // Terminals and sessions
    "tmux",
    "screen",
    "dtach",
    "abduco",
    "zellij",
    "script",
    "scriptreplay",
    "expect",
    "unbuffer",
    "xterm",
    "socat",
    "nc",
    "ncat",
    // Other users, namespaces and machines
    "start-stop-daemon",
    "daemonize",
    "setpriv",
    "runcon",
    "chpst",
    "capsh",
    "bwrap",
    "proot",
    "pivot_root",
    "machinectl",
    "ssh",
    "sshpass",
    "autossh",
    "mosh",
    "su",
    "runuser",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "lxc",
    "lxc-attach",
    "vagrant",
    "flatpak-spawn",
    "distrobox",
    "toolbox",
    // Debuggers and measuring
    "gdb",
    "lldb",
    "rr",
    "perf",
    "hyperfine",
    "catchsegv",
    "eatmydata",
    "bpftrace",
    "uftrace",
    // Schedulers
    "at",
    "batch",
    "atq",
    "crontab",
    "fcrontab",
    "parallel",
    "sem",
    "entr",
    "watchexec",
    "nodemon",
    "inotifywait",
    "fswatch",
    "task-spooler",
    "tsp",
    // Package managers and environments
    "npx",
    "npm",
    "pnpm",
    "yarn",
    "bunx",
    "poetry",
    "pipenv",
    "uv",
    "uvx",
    "pipx",
    "bundle",
    "direnv",
    "dotenv",
    "nix-shell",
    "nix",
    "mise",
    "asdf",
    "conda",
    "mamba",
    "rustup",
    "op",
    "aws-vault",
    "doppler",
    "fd",
    "fdfind",
];

/// Programs that run what some options say.
const COMMAND_OPTIONS: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--checkpoint-action",
            "--to-command",
            "-I",
            "--use-compress-program",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
    ),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-o"]),
    ("sftp", &["-S", "-o"]),
    ("make", &["--eval", "-E"]),
    ("gmake", &["--eval", "-E"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("rg", &["--pre"]),
    ("less", &["-k"]),
    ("cargo", &["-x", "-s", "--exec", "--config"]),
    ("strace", &["-o"]),
    ("mapfile", &["-C"]),
    ("complete", &["-C"]),
    ("bind", &["-x"]),
];

/// Programs whose words may be code, and what in a word tells that it runs something.
const CODE: &[(&[&str], &[&str])] = &[
    (&["gdb", "lldb", "rr"], &["shell", "!", "python", "pipe", "exec", "script"]),
    (&["sqlite3", "psql", "mysql", "mariadb"], &["shell", "system", "!", "|"]),
    (&["ftp", "lftp", "ed", "red", "mutt", "mail", "less", "more"], &["!"]),
    (&["vim", "vi", "nvim", "ex", "view", "rvim"], &["!", "system", "term", "shell"]),
    (&["dc"], &["!"]),
    (&["m4"], &["syscmd"]),
    (&["emacs", "emacsclient"], &["shell", "process", "call"]),
    (&["awk", "gawk", "mawk", "nawk"], &["system", "|", "getline"]),
    (&["expect", "tclsh", "wish"], &["exec", "spawn", "system", "open"]),
    (
        &[
            "python",
            "python2",
            "python3",
            "pypy3",
            "perl",
            "ruby",
            "node",
            "nodejs",
            "bun",
            "deno",
            "php",
            "lua",
            "luajit",
            "osascript",
            "R",
            "Rscript",
            "julia",
        ],
        &[
            "system",
            "popen",
            "exec",
            "spawn",
            "subprocess",
            "qx",
            "passthru",
            "`",
            "%x",
            "run(",
            "shell",
        ],
    ),
];

/// Programs that read commands from their input.
const INPUT_RUNNERS: &[&str] = &["at", "batch", "crontab", "fcrontab", "parallel"];
/// Options with which those do not.
const LISTING: &[&str] = &["-l", "-r", "-V", "--version", "--help", "-c", "-d"];

const TYPED: Doubt = Doubt("it types into another terminal, which cannot be analysed");
const LOADED: Doubt = Doubt("the dynamic linker loads code that rules cannot see");
const MAKEFILE_FROM_OUTSIDE: Doubt = Doubt("it reads a makefile from its input");

/// What a command runs besides what is known of its wrappers and scripts.
pub(super) fn inner(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let mut inner = Vec::new();
    if RUNNERS.contains(&name) || is_linker(name) {
        inner.push(Inner::Tails(rest.to_vec()));
        inner.extend(input_texts(command, before).into_iter().map(Inner::Code));
    }
    if let Some((_, options)) = COMMAND_OPTIONS.iter().find(|(known, _)| *known == name) {
        inner.extend(options.iter().flat_map(|option| values(rest, option)).map(Inner::Code));
    }
    let marks = CODE.iter().filter(|(names, _)| names.contains(&name));
    for (_, marks) in marks {
        let is_code = |word: &&Word| {
            let text = word.marked();
            marks.iter().any(|mark| text.contains(mark))
        };
        inner.extend(rest.iter().filter(is_code).cloned().map(Inner::Code));
        let fed = input_texts(command, before).into_iter();
        inner.extend(fed.filter(|text| is_code(&text)).map(Inner::Code));
    }
    inner.extend(special(name, command, before));
    inner
}

fn special(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&&*word.marked()));
    match name {
        "sed" | "gsed" => rest.iter().filter(|word| runs(word)).cloned().map(Inner::Code).collect(),
        "tmux" if has(&["send-keys", "send", "paste-buffer"]) => vec![Inner::Doubt(TYPED)],
        "screen" if has(&["stuff", "paste"]) => vec![Inner::Doubt(TYPED)],
        "make" | "gmake" => makefile(command, before),
        _ if INPUT_RUNNERS.contains(&name) && !has(LISTING) => from_input(command),
        _ if is_linker(name) && rest.iter().any(|word| is_loading(&word.marked())) => {
            vec![Inner::Doubt(LOADED)]
        }
        _ => Vec::new(),
    }
}

/// Whether a name is the dynamic linker's, which runs its first operand.
fn is_linker(name: &str) -> bool {
    ["ld.so", "ld-linux", "ld-musl", "ld64.so", "ld-2."].iter().any(|start| name.starts_with(start))
}

fn is_loading(option: &str) -> bool {
    ["--preload", "--library-path", "--audit"].iter().any(|start| option.starts_with(start))
}

/// The values of an option: the next word, or the text attached to it.
fn values(words: &[Word], option: &str) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.marked();
        let is_long = option.starts_with("--");
        let ends_cluster = !is_long
            && text.starts_with('-')
            && !text.starts_with("--")
            && text.ends_with(&option[1..]);
        if text == option || ends_cluster {
            values.extend(words.get(at + 1).cloned());
        } else if let Some(attached) = text.strip_prefix(option) {
            values.push(Word::literal(attached.trim_start_matches('=')));
        }
    }
    values
}

/// Whether a script of sed has the command or the flag `e`.
fn runs(word: &Word) -> bool {
    let text = word.marked();
    let before_command = |c: char| c.is_ascii_digit() || ";{}$/!\n ,".contains(c);
    let has_command = text
        .match_indices("e ")
        .any(|(at, _)| text[..at].chars().next_back().is_none_or(before_command));
    let flags = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let has_flag = flags.len() < text.len() && flags.contains('e') && text.contains('s');
    has_command || has_flag
}

/// `make -f -`, and variables on its command line, which recipes run.
fn makefile(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let mut inner: Vec<Inner> =
        rest.iter().filter(|word| word.marked().contains('=')).cloned().map(Inner::Code).collect();
    let files = ["-f", "--file", "--makefile"].iter().flat_map(|option| values(rest, option));
    let is_input = |file: &Word| {
        file.known().is_none_or(|path| {
            path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/")
        })
    };
    if files.into_iter().any(|file| is_input(&file)) {
        inner.extend(input_texts(command, before).into_iter().map(Inner::Code));
        inner.push(Inner::Doubt(MAKEFILE_FROM_OUTSIDE));
    }
    inner
}

fn from_input(command: &Command) -> Vec<Inner> {
    let is_fed = command.piped || !command.redirects.is_empty();
    let names_file = command.words.iter().any(|word| word.marked() == "-f");
    let doubt = (is_fed || names_file).then_some(Inner::Doubt(SCRIPT_FROM_OUTSIDE));
    doubt.into_iter().collect()
}

/// What is known of a command's input: here-documents, and what the command before it prints.
fn input_texts(command: &Command, before: Option<&Command>) -> Vec<Word> {
    let documents = command.redirects.iter().filter(|each| each.kind == RedirectKind::Text);
    let piped = before.filter(|_| command.piped);
    let printed = piped.and_then(|before| printed(std::slice::from_ref(before)));
    documents.map(|each| each.target.clone()).chain(printed.map(Word::literal)).collect()
}

/// The pieces of a code text that may be commands, as words.
pub(super) fn fragments(text: &str) -> Vec<Vec<Word>> {
    // `["git", "push"]` is `git push`.
    let joined =
        text.replace("\", \"", " ").replace("\",\"", " ").replace("', '", " ").replace("','", " ");
    let is_break = |c: char| "\n;|&(){}[]`\"'<>$=,\\^:".contains(c);
    let is_break_or_slash = |c: char| is_break(c) || c == '/';
    let words = |fragment: &str| -> Vec<Word> {
        let fragment = fragment.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        fragment.split_whitespace().map(Word::literal).collect()
    };
    let whole = joined.split(is_break).map(words);
    let parts = joined.split(is_break_or_slash).map(words);
    whole.chain(parts).filter(|fragment| !fragment.is_empty()).collect()
}
