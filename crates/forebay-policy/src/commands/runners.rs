//! Programs that run other commands in ways of their own: any word may begin one, or a word is code that starts one.
//!
//! What is found here only serves deny and ask rules, so it may be more than is really run.

use super::inner::Inner;
use super::interpreters::{SCRIPT_FROM_OUTSIDE, input_texts, is_interpreter, is_shell, is_stream};
use super::plain_programs::is_plain;
use super::watched::WatchedCommands;
use super::wrappers::Wrapper;
use super::{code, sed};
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
    (&["nx", "lerna", "composer", "stack", "cabal", "opam", "dune", "gem", "brew"], &["exec"]),
    (&["mix"], &["cmd"]),
    (&["firebase"], &["emulators:exec"]),
    (&["netlify"], &["dev:exec"]),
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

/// Programs that run what some options say.
const COMMAND_OPTIONS: &[(&[&str], &[&str])] = &[
    (
        &["tar", "gtar", "bsdtar"],
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
    (&["cpio"], &["--rsh-command"]),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["scp", "sftp"], &["-S", "-o"]),
    (&["make", "gmake"], &["--eval", "-E"]),
    (&["go"], &["-exec", "-toolexec", "--exec", "--toolexec"]),
    (&["bazel", "bazelisk"], &["--run_under"]),
    (&["java"], &["-XX:OnError", "-XX:OnOutOfMemoryError"]),
    (&["tox"], &["-x", "--override"]),
    (&["tcpdump"], &["-z"]),
    (&["apt", "apt-get"], &["-o", "--option"]),
    (&["dpkg"], &["--pre-invoke", "--post-invoke"]),
    (&["rpm"], &["--eval", "-E"]),
    (&["gpg"], &["--photo-viewer", "--pinentry-program"]),
    (&["wget"], &["--use-askpass"]),
    (&["aria2c"], &["--on-"]),
    (&["rclone"], &["--password-command", "--sftp-ssh", "--webdav-bearer-token-command"]),
    (&["just"], &["--set", "--command", "-c"]),
    (&["npm", "pnpm", "yarn"], &["--script-shell", "script-shell"]),
    (&["zip"], &["-TT", "--unzip-command"]),
    (&["man"], &["-P", "--pager", "-H", "--html"]),
    (&["ag", "ack", "bat", "batcat", "delta"], &["--pager"]),
    (&["sort"], &["--compress-program"]),
    (&["split"], &["--filter"]),
    (&["rg"], &["--pre", "--hostname-bin"]),
    (&["less"], &["-k"]),
    (&["cargo"], &["-x", "-s", "--exec", "--config"]),
    (&["svn"], &["--config-option", "--diff-cmd", "--diff3-cmd", "--editor-cmd"]),
    (&["hg"], &["--config"]),
    (&["pandoc"], &["--filter", "-F", "--pdf-engine"]),
    (&["ansible"], &["-a", "--args"]),
    (&["gcloud", "fly", "flyctl", "k9s"], &["--command", "-C"]),
    (&["strace"], &["-o"]),
    (&["mapfile", "readarray", "complete", "compgen"], &["-C"]),
    (&["bind"], &["-x"]),
];

/// Programs whose words may be code, and what in a word tells that it runs something.
const CODE: &[(&[&str], &[&str])] = &[
    (&["gdb", "lldb", "rr"], &["shell", "!", "python", "pipe", "exec", "script"]),
    (
        &["sqlite3", "psql", "mysql", "mariadb", "duckdb"],
        &["shell", "system", "!", "|", "program", "PROGRAM", "pager", "\\P", "edit", "`"],
    ),
    (&["ftp", "lftp", "sftp", "ed", "red", "mutt", "mail", "less", "more"], &["!"]),
    (
        &["vim", "vi", "nvim", "ex", "view", "rvim"],
        &["!", "system", "term", "shell", "exec", "job"],
    ),
    (&["dc"], &["!"]),
    (&["m4"], &["syscmd"]),
    (&["emacs", "emacsclient"], &["shell", "process", "call"]),
    (&["awk", "gawk", "mawk", "nawk"], &["system", "|", "getline"]),
    (&["ipython", "ghci", "scala", "irb"], &["!"]),
    (&["expect"], &["spawn", "exec"]),
    (&["patch", "sbt"], &["!"]),
    (&["rake", "rails", "exiftool", "mlr"], &["system", "exec", "spawn", "sh ", "`", "|"]),
];

/// Programs that read commands from their input.
const INPUT_RUNNERS: &[&str] = &["at", "batch", "crontab", "fcrontab", "parallel"];
/// Options with which those do not.
const LISTING: &[&str] = &["-l", "-r", "-V", "--version", "--help", "-c", "-d"];

const MAX_ENTRYPOINT_WORDS: usize = 32;

const TYPED: Doubt = Doubt("it types into another terminal, which cannot be analysed");
const LOADED: Doubt = Doubt("the dynamic linker loads code that rules cannot see");
const LINES_ARE_RUN: Doubt = Doubt("it runs lines of its input, which are not known");
const OTHER_SHELL: Doubt = Doubt("recipes are run by another program than the shell");
const MAKEFILE_FROM_OUTSIDE: Doubt = Doubt("it reads a makefile from its input");

/// What a command runs besides what is known of its wrappers and scripts.
pub(super) fn inner(name: &str, command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
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
        inner
            .extend(options.iter().flat_map(|option| option_values(rest, option)).map(Inner::Code));
    }
    if let Some((_, marks)) = row(CODE, name) {
        let is_code = |word: &Word| {
            let text = word.marked();
            marks.iter().any(|mark| text.contains(mark))
        };
        let words = rest.iter().cloned().chain(texts(command, before));
        inner.extend(words.filter(is_code).map(Inner::Code));
    }
    if is_interpreter(name) {
        inner.extend(rest.iter().cloned().chain(texts(command, before)).map(Inner::Program));
    }
    if !is_known(name) {
        inner.push(Inner::Suspects(rest.to_vec()));
    }
    inner
}

/// `docker run --entrypoint git image push` runs `git push`; which word is the image is not known.
fn entrypoint(words: &[Word]) -> Vec<Inner> {
    let programs = option_values(words, "--entrypoint").into_iter();
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
        "tmux" if has(&["send-keys", "send", "paste-buffer"]) => vec![Inner::Doubt(TYPED)],
        "screen" if has(&["stuff", "paste"]) => vec![Inner::Doubt(TYPED)],
        "make" | "gmake" => makefile(command, before),
        "just" if rest.iter().any(|word| word.marked().starts_with("--shell")) => {
            vec![Inner::Doubt(OTHER_SHELL)]
        }
        "gh" | "glab" if has(&["alias"]) => vec![Inner::Tails(rest.to_vec())],
        "cc" | "gcc" | "g++" | "c++" | "clang" | "clang++" => {
            let wrappers = option_values(rest, "-wrapper").into_iter();
            wrappers
                .map(|word| Inner::Code(Word::literal(word.marked().replace(',', " "))))
                .collect()
        }
        _ if INPUT_RUNNERS.contains(&name) && !has(LISTING) => from_input(command),
        _ if is_linker(name) && rest.iter().any(|word| is_loading(&word.marked())) => {
            vec![Inner::Doubt(LOADED)]
        }
        _ => Vec::new(),
    }
}

/// The script of sed in its words, or in its input with `-f -`.
fn sed_script(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let files = ["-f", "--file"].iter().flat_map(|option| option_values(rest, option));
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

/// The values of an option: the next word, or the text attached to it, also in a cluster.
pub(super) fn option_values(words: &[Word], option: &str) -> Vec<Word> {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.marked();
        let in_cluster = letter.filter(|_| text.starts_with('-') && !text.starts_with("--"));
        let attached = in_cluster
            .and_then(|letter| text.split_once(letter).map(|(_, attached)| attached))
            .or_else(|| text.strip_prefix(option));
        match attached.map(|attached| attached.trim_start_matches('=')) {
            Some("") => values.extend(words.get(at + 1).cloned()),
            Some(attached) => values.push(Word::literal(attached)),
            None => {}
        }
    }
    values
}

/// `make -f -`, and variables on its command line, which recipes run.
fn makefile(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let rest = &command.words[1..];
    let assigned = |name: &str| {
        rest.iter()
            .find_map(|word| word.marked().strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    };
    let mut inner: Vec<Inner> =
        rest.iter().filter(|word| word.marked().contains('=')).cloned().map(Inner::Code).collect();
    if let Some(shell) = assigned("SHELL") {
        let flags = assigned(".SHELLFLAGS").unwrap_or_default();
        inner.push(Inner::Text(Word::literal(format!("{shell} {flags}"))));
        inner.push(Inner::Doubt(OTHER_SHELL));
    }
    let files =
        ["-f", "--file", "--makefile"].iter().flat_map(|option| option_values(rest, option));
    if files.into_iter().any(|file| is_fed(&file)) {
        inner.extend(texts(command, before).map(Inner::Code));
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
