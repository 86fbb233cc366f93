//! Programs that run other commands in ways of their own: any word may begin one, or a word is code that starts one.
//!
//! What is found here only serves deny and ask rules, so it may be more than is really run.

use super::command_options::{CODE, COMMAND_OPTIONS, LOADING_OPTIONS, PROGRAMS};
use super::inner::{Inner, joined};
use super::interpreters::{SCRIPT_FROM_OUTSIDE, input_texts, is_interpreter, is_shell, is_stream};
use super::plain_programs::is_plain;
use super::watched::WatchedCommands;
use super::wrappers::Wrapper;
use super::{code, options, sed};
use crate::shell::{Command, Doubt, Hole, Piece, Word};

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
    "lxc-attach",
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
    "bunx",
    "uvx",
    "direnv",
    "dotenv",
    "nix-shell",
    "systemd-run",
    "setarch",
    "flock",
    "mise",
    "asdf",
    "op",
    "aws-vault",
    "doppler",
    "xcrun",
];

/// Programs that run words behind some of their own, which alone name no command: `docker rm` is no `rm`.
const SUBCOMMAND_RUNNERS: &[(&[&str], &[&str])] = &[
    (&["docker", "podman", "nerdctl", "docker-compose", "lxc"], &["exec", "run", "create"]),
    (&["kubectl", "oc"], &["exec", "run", "debug", "--"]),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["exec", "x", "dlx", "run", "run-script", "-c", "--call", "--"],
    ),
    (&["poetry", "pipenv", "uv", "pipx", "conda", "mamba", "rustup"], &["run", "exec", "tool"]),
    (&["hatch", "pdm", "rye", "pixi", "railway", "heroku"], &["run", "exec", "local:run"]),
    (&["just"], &["--command", "-c"]),
    (
        &["nx", "lerna", "composer", "stack", "cabal", "opam", "dune", "gem", "brew"],
        &["exec", "eval", "runghc"],
    ),
    (&["mix"], &["cmd"]),
    (&["firebase"], &["emulators:exec"]),
    (&["netlify"], &["dev:exec"]),
    (&["tox"], &["exec", "e"]),
    (&["terragrunt", "pulumi"], &["exec", "run", "--"]),
    (&["nomad"], &["exec"]),
    (&["open"], &["-a", "--args"]),
    (&["fossil", "bzr", "hg"], &["run", "sql", "settings", "set", "bisect", "extdiff"]),
    (&["go"], &["env"]),
    (&["gcloud", "fly", "flyctl", "doctl"], &["ssh"]),
    (&["consul"], &["lock", "watch", "exec"]),
    (&["fab", "invoke", "minikube"], &["--", "ssh"]),
    (&["buildah"], &["run", "unshare"]),
    (&["flatpak", "snap"], &["run"]),
    (&["cmake"], &["-E"]),
    (&["ctest"], &["--test-command"]),
    (&["meson"], &["devenv"]),
    (&["dlv"], &["exec"]),
    // `fc -s` runs what is put into the history.
    (&["history"], &["-s"]),
    (&["bundle", "vagrant"], &["exec", "ssh", "-c"]),
    (&["nix"], &["run", "shell", "develop", "-c", "--command"]),
    (&["cargo"], &["watch", "flamegraph", "exec", "--exec"]),
    (&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"]),
];

/// Programs that read commands from their input.
const INPUT_RUNNERS: &[&str] = &["at", "batch", "crontab", "fcrontab", "parallel"];
/// Options with which those do not.
const LISTING: &[&str] = &["-l", "-r", "-V", "--version", "--help", "-c", "-d"];

const MAX_ENTRYPOINT_WORDS: usize = 32;
/// Programs that read what they run from a file, which may be a process substitution.
const FILE_RUNNERS: &[&str] = &[
    "ninja", "just", "task", "rake", "cmake", "ctest", "scons", "nox", "fab", "invoke", "bazel",
    "mage", "doxygen", "tig",
];

const TYPED: Doubt = Doubt("it types into another terminal, which cannot be analysed");
const LOADED: Doubt = Doubt("the dynamic linker loads code that rules cannot see");
const LINES_ARE_RUN: Doubt = Doubt("it runs lines of its input, which are not known");
const OTHER_SHELL: Doubt = Doubt("recipes are run by another program than the shell");
const MAKEFILE_FROM_OUTSIDE: Doubt = Doubt("it reads a makefile from its input");

/// What a command runs besides what is known of its wrappers and scripts.
pub(super) fn inner(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let words = options::unbundled(name, &command.words[1..]);
    let rest = &*words;
    let mut inner = special(name, command, before);
    if RUNNERS.contains(&name) || is_linker(name) {
        inner.push(Inner::Tails(rest.to_vec()));
        inner.extend(texts(command, before).map(Inner::Code));
    }
    if let Some((_, subcommands)) = row(SUBCOMMAND_RUNNERS, name)
        && let Some(at) = rest.iter().position(|word| subcommands.contains(&&*word.marked()))
    {
        inner.push(Inner::Tails(rest[at + 1..].to_vec()));
        inner.extend(texts(command, before).map(Inner::Code));
        inner.extend(entrypoint(&rest[at + 1..]));
    }
    if let Some((_, options)) = row(COMMAND_OPTIONS, name) {
        inner.extend(named_commands(name, rest, options));
    }
    if let Some((_, marks)) = row(CODE, name) {
        let is_code = |word: &Word| {
            let text = word.marked();
            marks.iter().any(|mark| text.contains(mark))
        };
        let words = rest.iter().cloned().chain(texts(command, before));
        inner.extend(words.filter(is_code).map(Inner::Code));
    }
    if is_interpreter(name) || PROGRAMS.contains(&name) {
        inner.extend(rest.iter().cloned().chain(texts(command, before)).map(Inner::Program));
    }
    if FILE_RUNNERS.contains(&name) {
        inner.extend(texts(command, before).map(Inner::Code));
    }
    if let Some((_, options)) = row(LOADING_OPTIONS, name)
        && rest.iter().any(|word| options::gives_any(&word.marked(), options))
    {
        inner.push(Inner::Doubt(LOADED));
    }
    if !is_known(name) {
        inner.push(Inner::Suspects(rest.to_vec()));
    }
    inner
}

/// What the values of options run: each alone, and all together, because some options only add words to another's
/// program (`helm --post-renderer git --post-renderer-args push`).
fn named_commands(name: &str, words: &[Word], options: &[&str]) -> Vec<Inner> {
    let values = options::values_of_any(words, options);
    let mut inner: Vec<Inner> = values.iter().cloned().map(Inner::Code).collect();
    inner.extend(
        values.iter().filter(|value| value.marked().contains([',', ';', '\\'])).map(separated),
    );
    if values.len() > 1 {
        let plain: Vec<Word> = values.iter().map(without_name).collect();
        inner.push(Inner::Code(joined(&plain)));
    }
    // It hands its last operand to the program.
    if name == "install"
        && let Some(last) = words.last()
    {
        inner.extend(values.iter().map(|value| Inner::Words(vec![value.clone(), last.clone()])));
    }
    inner
}

/// A text whose words are separated otherwise than by blanks: `git,push`, `git;push`, `git\ push`.
fn separated(text: &Word) -> Inner {
    Inner::Code(Word::literal(text.as_script().replace("\\ ", " ").replace([',', ';'], " ")))
}

/// The value of `exec.args=push`.
fn without_name(value: &Word) -> Word {
    let text = value.as_script();
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    match text.split_once('=') {
        Some((name, rest)) if is_name(name) => Word::literal(rest),
        _ => value.clone(),
    }
}

/// `docker run --entrypoint git image push` runs `git push`; which word is the image is not known. So does
/// `flatpak run --command=git`; with a blank, words follow that are a command.
fn entrypoint(words: &[Word]) -> Vec<Inner> {
    let attached = words.iter().filter_map(|word| {
        let text = word.marked();
        match options::given(&text, "--command")? {
            options::Value::Attached(program) => Some(Word::literal(program)),
            options::Value::Next => None,
        }
    });
    let programs = options::values(words, "--entrypoint").into_iter().chain(attached);
    let arguments = |from: usize| words[from..].iter().cloned();
    programs
        .flat_map(|program| {
            (1..words.len().min(MAX_ENTRYPOINT_WORDS))
                .map(move |from| std::iter::once(program.clone()).chain(arguments(from)).collect())
        })
        .map(Inner::Words)
        .collect()
}

fn row<'a>(
    rows: &'a [(&'a [&'a str], &'a [&'a str])],
    name: &str,
) -> Option<&'a (&'a [&'a str], &'a [&'a str])> {
    rows.iter().find(|(names, _)| names.contains(&name))
}

/// Whether it is known which words of a program are commands.
fn is_known(name: &str) -> bool {
    /// Followed word by word.
    const FOLLOWED: &[&str] = &[
        "eval", "trap", "exec", "env", "su", "runuser", "script", "sg", "newgrp", "watch", "flock",
        "xargs", "parallel", "find", "gfind", "enable", "coproc", "time",
    ];
    is_plain(name)
        || FOLLOWED.contains(&name)
        || RUNNERS.contains(&name)
        || is_linker(name)
        || is_interpreter(name)
        || is_shell(name)
        || name.starts_with("git-")
        || Wrapper::named(name).is_some()
        || row(SUBCOMMAND_RUNNERS, name).is_some()
        || row(CODE, name).is_some()
        || row(COMMAND_OPTIONS, name).is_some()
}

/// What is known of a command's input, and of files that are process substitutions.
fn texts<'a>(
    command: &'a Command,
    before: Option<&Command>,
) -> impl Iterator<Item = Word> + use<'a> {
    let substituted = command.words.iter().flat_map(|word| &word.pieces).filter_map(|piece| {
        let Piece::Hole(Hole { guess: Some(guess), .. }) = piece else { return None };
        Some(Word::literal(guess))
    });
    input_texts(command, before).into_iter().chain(substituted)
}

fn special(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&&*word.marked()));
    match name {
        "sed" | "gsed" => sed_script(command, before),
        "awk" | "gawk" | "mawk" | "nawk" => awk_program(command, before),
        "sqlite3" | "duckdb" => dot_commands(command, before),
        "compgen" | "complete" => {
            let lists = options::values(rest, "-W").into_iter();
            lists
                .map(|list| Inner::Guess(Word::literal(format!(": \"{}\"", list.as_script()))))
                .collect()
        }
        "tmux" if rest.iter().any(types_in_tmux) => vec![Inner::Doubt(TYPED)],
        "screen" if has(&["stuff", "paste"]) => vec![Inner::Doubt(TYPED)],
        "make" | "gmake" => makefile(command, before),
        "just" if rest.iter().any(|word| word.marked().starts_with("--shell")) => {
            vec![Inner::Doubt(OTHER_SHELL)]
        }
        "gh" | "glab" if has(&["alias", "config"]) => vec![Inner::Tails(rest.to_vec())],
        "gh" | "glab" if has(&["clone"]) => vec![Inner::Words(cloned_by_git(rest))],
        "ip" => {
            in_namespace(rest).into_iter().chain(texts(command, before).map(Inner::Code)).collect()
        }
        "cmake" => built_by_cmake(rest),
        "aws" | "az" if has(&["configure", "config"]) => {
            rest.iter().cloned().map(Inner::Code).collect()
        }
        _ if is_compiler(name) => {
            let wrappers = options::values(rest, "-wrapper").into_iter();
            wrappers.map(|word| separated(&word)).collect()
        }
        _ if INPUT_RUNNERS.contains(&name) && !has(LISTING) => from_input(command),
        _ if is_linker(name) && rest.iter().any(|word| is_loading(&word.marked())) => {
            vec![Inner::Doubt(LOADED)]
        }
        _ => Vec::new(),
    }
}

/// The lines for a database's shell that begin with a dot, whose first words may be abbreviated: `.sh` is `.shell`.
fn dot_commands(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let words = command.words[1..].iter().cloned().chain(texts(command, before));
    let lines =
        words.flat_map(|word| word.as_script().lines().map(str::to_owned).collect::<Vec<_>>());
    let commands = lines.filter(|line| line.trim_start().starts_with('.'));
    commands.map(|line| Inner::Code(Word::literal(line))).collect()
}

/// Whether a word is a command of tmux that types into a terminal, which may be abbreviated.
fn types_in_tmux(word: &Word) -> bool {
    let text = word.marked();
    matches!(&*text, "send" | "pasteb")
        || options::abbreviates(&text, "send-keys", "send-k".len())
        || options::abbreviates(&text, "paste-buffer", "pas".len())
}

/// `gh repo clone x -- OPTIONS` hands the options to `git clone`.
fn cloned_by_git(words: &[Word]) -> Vec<Word> {
    let end = words.iter().position(|word| word.marked() == "--").map_or(words.len(), |at| at + 1);
    let clone = ["git", "clone"].map(Word::literal);
    clone.into_iter().chain(words[end..].iter().cloned()).collect()
}

/// The command of `ip netns exec NAME COMMAND`, whose words may be abbreviated.
fn in_namespace(words: &[Word]) -> Option<Inner> {
    let is_start = |word: &Word, name| options::abbreviates(&word.marked(), name, 1);
    let at = words.windows(2).position(|pair| {
        (is_start(&pair[0], "netns") || is_start(&pair[0], "vrf")) && is_start(&pair[1], "exec")
    })?;
    Some(Inner::Tails(words[at + 2..].to_vec()))
}

/// What cmake hands to make (`cmake --build x -- OPTIONS`), and the launchers in its variables.
fn built_by_cmake(words: &[Word]) -> Vec<Inner> {
    let variables = words.iter().filter(|word| word.marked().contains('='));
    let mut inner: Vec<Inner> =
        variables.flat_map(|word| [Inner::Code(word.clone()), separated(word)]).collect();
    if let Some(at) = words.iter().position(|word| word.marked() == "--") {
        let make = std::iter::once(Word::literal("make")).chain(words[at + 1..].iter().cloned());
        inner.push(Inner::Words(make.collect()));
    }
    inner
}

/// Whether a name is a compiler's, also with a version or a target: `gcc-12`, `aarch64-linux-gnu-g++`.
fn is_compiler(name: &str) -> bool {
    const COMPILERS: &[&str] =
        &["cc", "gcc", "g++", "c++", "clang", "clang++", "gfortran", "gnat", "gdc"];
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || ".-".contains(c));
    COMPILERS.contains(&name.rsplit('-').next().unwrap_or(name))
}

/// The script of sed in its words, or in its input with `-f -`.
fn sed_script(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let files = options::values_of_any(rest, &["-f", "--file"]);
    let reads_input = files.into_iter().any(|file| is_fed(&file));
    let fed: Vec<Word> = texts(command, before).filter(|_| reads_input).collect();
    let mut scripts = sed::scripts(rest);
    scripts.extend(fed);
    let mut inner = Vec::new();
    for script in &scripts {
        let effects = sed::effects(&script.as_script());
        inner.extend(effects.commands.into_iter().map(|text| Inner::Code(Word::literal(text))));
        if effects.runs_lines {
            inner.extend(texts(command, before).map(Inner::Code));
            inner.push(Inner::Doubt(LINES_ARE_RUN));
        }
    }
    if reads_input && scripts.is_empty() {
        inner.push(Inner::Doubt(SCRIPT_FROM_OUTSIDE));
    }
    inner
}

/// The program of awk, whose commands are often put together of fields.
fn awk_program(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    const STARTING: &[&str] = &["system", "|", "getline"];
    const SHELLS: &[&str] = &["\"sh\"", "\"bash\"", "\"/bin/sh\""];
    let is_starting = |word: &Word| STARTING.iter().any(|mark| word.marked().contains(mark));
    let words: Vec<Word> =
        command.words[1..].iter().cloned().chain(texts(command, before)).collect();
    let mut inner: Vec<Inner> =
        words.iter().filter(|word| is_starting(word)).cloned().map(Inner::Program).collect();
    let runs_data = words.iter().filter(|word| is_starting(word)).any(|word| {
        let text = word.as_script();
        let pipes_to_shell = text.contains('|') && SHELLS.iter().any(|shell| text.contains(shell));
        pipes_to_shell || code::has_computed_call(&text, &WatchedCommands::default())
    });
    if runs_data {
        inner.extend(words.into_iter().map(Inner::Code));
        inner.push(Inner::Doubt(LINES_ARE_RUN));
    }
    inner
}

/// Whether a file is the input or a process substitution.
fn is_fed(file: &Word) -> bool {
    is_stream(file) || file.known().is_none()
}

/// Whether a name is the dynamic linker's, which runs its first operand.
fn is_linker(name: &str) -> bool {
    ["ld.so", "ld-linux", "ld-musl", "ld64.so", "ld-2."].iter().any(|start| name.starts_with(start))
}

fn is_loading(option: &str) -> bool {
    ["--preload", "--library-path", "--audit"].iter().any(|start| option.starts_with(start))
}

/// `make -f -`, and variables on its command line, which recipes run.
fn makefile(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let assigned = |name: &str| {
        rest.iter().find_map(|word| assigned_by_make(&word.marked(), name).map(str::to_owned))
    };
    let mut inner: Vec<Inner> =
        rest.iter().filter(|word| word.marked().contains('=')).cloned().map(Inner::Code).collect();
    if let Some(shell) = assigned("SHELL") {
        let flags = assigned(".SHELLFLAGS").unwrap_or_default();
        inner.push(Inner::Text(Word::literal(format!("{shell} {flags}"))));
        inner.push(Inner::Doubt(OTHER_SHELL));
    }
    let files = options::values_of_any(rest, &["-f", "--file", "--makefile"]);
    if files.into_iter().any(|file| is_fed(&file)) {
        inner.extend(texts(command, before).map(Inner::Code));
        inner.push(Inner::Doubt(MAKEFILE_FROM_OUTSIDE));
    }
    inner
}

/// The value of a variable in a word for make: `NAME=x`, `NAME := x`, `NAME+=x`.
fn assigned_by_make<'a>(word: &'a str, name: &str) -> Option<&'a str> {
    let behind = word.trim_start().strip_prefix(name)?.trim_start();
    let value = behind.trim_start_matches([':', '+', '?', '!']).strip_prefix('=')?;
    Some(value.trim_start())
}

fn from_input(command: &Command) -> Vec<Inner> {
    let is_fed = command.piped || !command.redirects.is_empty();
    let names_file = command.words.iter().any(|word| word.marked() == "-f");
    let doubt = (is_fed || names_file).then_some(Inner::Doubt(SCRIPT_FROM_OUTSIDE));
    doubt.into_iter().collect()
}
