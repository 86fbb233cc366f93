//! Which files a command opens, for commands whose arguments name them.
//!
//! Files that a program opens on its own are not visible here; isolation covers those.

use super::inner::after_cluster;
use super::{base_name, options};
use crate::shell::{Command, RedirectKind, Word};

/// A file that a command reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    pub(crate) access: Access,
    /// The path, with marks for unknown parts.
    pub(crate) path: String,
    /// Whether a leading `~` expands to the home directory.
    pub(crate) has_tilde: bool,
    pub(crate) by: NamedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// How the command names the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    Redirect,
    Argument,
}

/// The meaning of a command's operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Reads,
    Writes,
    /// The first is a pattern or program, unless given by an option.
    ReadsAfterFirst,
    /// The first is a mode or owner.
    WritesAfterFirst,
    /// The first is a script; the others are its arguments.
    ReadsFirst,
    /// The last is written, the others read.
    Copies,
    /// The first is written, the others read.
    Packs,
    /// Only the paths before the first option.
    Leading,
    /// No operands; only options name files.
    None,
}

struct Row {
    names: &'static [&'static str],
    operands: Operands,
    /// Options whose value is a written file; all other values are read.
    writing: &'static [&'static str],
    /// Options that cause the operands to be written, as sed spells them.
    in_place: &'static [&'static str],
}

const fn row(names: &'static [&'static str], operands: Operands) -> Row {
    Row { names, operands, writing: &[], in_place: &[] }
}

const ROWS: &[Row] = &[
    row(
        &[
            "cat",
            "bat",
            "head",
            "tail",
            "less",
            "more",
            "most",
            "nl",
            "tac",
            "rev",
            "od",
            "xxd",
            "hexdump",
            "hd",
            "strings",
            "wc",
            "uniq",
            "cut",
            "paste",
            "join",
            "comm",
            "diff",
            "cmp",
            "colordiff",
            "delta",
            "vimdiff",
            "file",
            "stat",
            "ls",
            "ll",
            "dir",
            "exa",
            "eza",
            "tree",
            "readlink",
            "realpath",
            "base64",
            "base32",
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "sum",
            "shasum",
            "md5",
            "column",
            "fold",
            "fmt",
            "pr",
            "expand",
            "unexpand",
            "iconv",
            "split",
            "csplit",
            "zcat",
            "bzcat",
            "xzcat",
            "zstdcat",
            "unzip",
            "view",
            "glow",
            "pandoc",
            "xdg-open",
            "open",
            "cd",
            "pushd",
            "du",
            "scp",
            "sftp",
            "mail",
            "lp",
            "lpr",
            "ed",
            "pygmentize",
            "hexyl",
            "source",
            ".",
            "mapfile",
            "readarray",
            "look",
            "tsort",
            "ptx",
            "enscript",
        ],
        Operands::Reads,
    ),
    Row {
        names: &["sort"],
        operands: Operands::Reads,
        writing: &["-o", "--output"],
        in_place: &[],
    },
    row(
        &[
            "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep", "awk", "gawk", "mawk",
            "nawk", "jq", "yq", "xq",
        ],
        Operands::ReadsAfterFirst,
    ),
    Row {
        names: &["sed", "gsed", "perl", "ruby"],
        operands: Operands::ReadsAfterFirst,
        writing: &[],
        in_place: &["-i", "--in-place"],
    },
    row(
        &[
            "rm",
            "rmdir",
            "unlink",
            "shred",
            "truncate",
            "touch",
            "mkdir",
            "mkfifo",
            "mknod",
            "tee",
            "mv",
            "vi",
            "vim",
            "nvim",
            "nano",
            "emacs",
            "code",
            "gzip",
            "gunzip",
            "bzip2",
            "bunzip2",
            "xz",
            "unxz",
            "zstd",
            "patch",
            "sponge",
            "fallocate",
            "trash",
        ],
        Operands::Writes,
    ),
    row(&["chmod", "chown", "chgrp", "setfacl", "chattr"], Operands::WritesAfterFirst),
    row(&["cp", "install", "rsync", "ln", "gcp"], Operands::Copies),
    row(&["zip", "ar", "7z"], Operands::Packs),
    Row {
        names: &["tar", "bsdtar", "gtar", "cpio"],
        operands: Operands::Reads,
        writing: &["-f", "--file"],
        in_place: &[],
    },
    Row {
        names: &["curl", "http", "xh", "aria2c"],
        operands: Operands::None,
        writing: &["-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace"],
        in_place: &[],
    },
    Row {
        names: &["wget"],
        operands: Operands::None,
        writing: &["-O", "--output-document", "-o", "--output-file", "-a"],
        in_place: &[],
    },
    Row {
        names: &["openssl", "gpg", "age"],
        operands: Operands::Reads,
        writing: &["-out", "-o", "--output"],
        in_place: &[],
    },
    row(&["dd", "git"], Operands::Reads),
    row(&["find", "gfind", "fd"], Operands::Leading),
    row(
        &[
            "python", "python2", "python3", "node", "nodejs", "php", "lua", "bash", "sh", "zsh",
            "dash", "ksh", "fish", "deno", "bun", "tclsh", "Rscript",
        ],
        Operands::ReadsFirst,
    ),
];

/// Every file that a command's redirections and arguments name.
pub(crate) fn named_files(command: &Command) -> Vec<NamedFile> {
    let mut files: Vec<NamedFile> = command.redirects.iter().flat_map(redirected).collect();
    let row = command.words.first().and_then(|word| Row::named(&base_name(word)));
    if let Some(row) = row {
        row.arguments(&command.words[1..], &mut files);
    }
    files
}

/// The paths of `mkdir`, `rm` and similar commands, for modes that accept edits.
pub(crate) fn operands(command: &Command) -> impl Iterator<Item = &Word> {
    let words = command.words.iter().skip(1);
    words.filter(|word| !word.marked().starts_with('-'))
}

fn redirected(redirect: &crate::shell::Redirect) -> Vec<NamedFile> {
    let accesses: &[Access] = match redirect.kind {
        RedirectKind::Read => &[Access::Read],
        RedirectKind::Write => &[Access::Write],
        RedirectKind::ReadWrite => &[Access::Read, Access::Write],
        RedirectKind::Text => &[],
    };
    if is_descriptor(&redirect.target) {
        return Vec::new();
    }
    accesses
        .iter()
        .map(|access| NamedFile::from_word(&redirect.target, *access, NamedBy::Redirect))
        .collect()
}

/// `2>&1`, `>&-`, `/dev/null` and the like are not files.
fn is_descriptor(target: &Word) -> bool {
    const FREE: [&str; 5] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];
    let text = target.marked();
    text == "-"
        || FREE.contains(&&*text)
        || text.trim_end_matches('-').chars().all(|character| character.is_ascii_digit())
}

impl NamedFile {
    pub(crate) fn from_word(word: &Word, access: Access, by: NamedBy) -> Self {
        Self { access, path: word.marked(), has_tilde: word.has_tilde(), by }
    }
}

impl Row {
    fn named(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.names.contains(&name))
    }

    fn arguments(&self, words: &[Word], files: &mut Vec<NamedFile>) {
        let words = &*options::unbundled(self.names[0], words);
        let texts: Vec<String> = words.iter().map(Word::marked).collect();
        let in_place = !self.in_place.is_empty() && texts.iter().any(|text| edits_in_place(text));
        let ends = texts.iter().position(|text| text == "--").unwrap_or(texts.len());
        let is_option = |at: usize| at < ends && texts[at].starts_with('-') && texts[at].len() > 1;
        let operands: Vec<usize> =
            (0..words.len()).filter(|&at| !is_option(at) && texts[at] != "--").collect();
        for at in (0..words.len()).filter(|&at| is_option(at)) {
            self.option(&texts[at], words.get(at + 1), files);
        }
        if self.names[0] != "tar" || texts.iter().any(|text| makes_archive(text)) {
            let outputs = options::values_of_any(words, self.writing);
            let outputs = outputs.iter().filter(|word| word.marked() != "-");
            files.extend(outputs.flat_map(|word| candidates(word, Access::Write)));
        }
        for (number, &at) in operands.iter().enumerate() {
            let position = (number, operands.len());
            let by_option = texts.iter().any(|text| gives_pattern(text));
            if let Some(access) = self.operand(position, by_option, &texts, in_place) {
                files.extend(candidates(&words[at], access));
            }
        }
    }

    /// The access of the operand at a position.
    fn operand(
        &self,
        (number, count): (usize, usize),
        by_option: bool,
        texts: &[String],
        in_place: bool,
    ) -> Option<Access> {
        let reading = if in_place { Access::Write } else { Access::Read };
        match self.operands {
            Operands::Reads => Some(reading),
            Operands::Writes => Some(Access::Write),
            Operands::ReadsAfterFirst => (number > 0 || by_option).then_some(reading),
            Operands::WritesAfterFirst => (number > 0).then_some(Access::Write),
            Operands::ReadsFirst => (number == 0).then_some(Access::Read),
            Operands::Copies if number + 1 == count && count > 1 => Some(Access::Write),
            Operands::Packs if number == 0 => Some(Access::Write),
            Operands::Copies | Operands::Packs => Some(Access::Read),
            Operands::Leading => {
                let global = texts.iter().take_while(|text| is_walk_option(text)).count();
                let first_option =
                    texts[global..].iter().position(|text| text.starts_with(['-', '(', '!']));
                (number < first_option.unwrap_or(texts.len())).then_some(Access::Read)
            }
            Operands::None => None,
        }
    }

    /// What an option reads: its value after `=`, attached, or the next word.
    fn option(&self, text: &str, next: Option<&Word>, files: &mut Vec<NamedFile>) {
        let value = match text.split_once('=') {
            Some((_, value)) => Some(value),
            None if !text.starts_with("--") => {
                text.char_indices().nth(2).map(|(at, _)| &text[at..])
            }
            None => None,
        };
        if let Some(value) = value {
            files.extend(candidates(&Word::literal(value), Access::Read));
        }
        let takes_next = self.operands == Operands::None && value.is_none();
        if let Some(next) = next.filter(|_| takes_next && !options::gives_any(text, self.writing)) {
            files.extend(candidates(next, Access::Read));
        }
    }
}

/// Whether an option of sed or perl edits files in place: `-i`, `-Ei.bak`, `--in-place`; in `-e s/a/i/` it is text.
fn edits_in_place(text: &str) -> bool {
    const VALUED: [char; 6] = ['e', 'f', 'm', 'M', 'I', 'F'];
    let before = || {
        let attached = after_cluster(text, 'i')?;
        Some(&text[1..text.len() - attached.len() - 1])
    };
    options::given(text, "--in-place").is_some()
        || before().is_some_and(|flags| !flags.contains(VALUED))
}

/// Whether an option of tar makes or changes an archive instead of reading one.
fn makes_archive(text: &str) -> bool {
    const MAKING: &[&str] = &[
        "-c",
        "-r",
        "-u",
        "-A",
        "--create",
        "--append",
        "--update",
        "--catenate",
        "--concatenate",
        "--delete",
    ];
    options::gives_any(text, MAKING)
}

/// Options of `find` that stand before its paths.
fn is_walk_option(text: &str) -> bool {
    matches!(text, "-H" | "-L" | "-P") || text.starts_with("-O")
}

/// Options that replace the first operand, also in a cluster: `-rf`.
fn gives_pattern(text: &str) -> bool {
    let is_cluster = text.starts_with('-') && !text.starts_with("--");
    is_cluster && text.contains(['e', 'f'])
        || ["--regexp", "--file", "--expression"].iter().any(|option| text.starts_with(option))
}

/// The paths a word may contain: all of it, or what follows `=`, `@` or `:`.
fn candidates(word: &Word, access: Access) -> Vec<NamedFile> {
    let whole = NamedFile::from_word(word, access, NamedBy::Argument);
    let writes_output = whole.path.starts_with("of=");
    let mut files = vec![whole];
    let text = word.marked();
    for (at, separator) in text.char_indices().filter(|(_, c)| matches!(c, '=' | '@' | ':')) {
        let path = text[at + separator.len_utf8()..].to_owned();
        if !path.is_empty() {
            let access = if writes_output { Access::Write } else { access };
            files.push(NamedFile { access, path, has_tilde: false, by: NamedBy::Argument });
        }
    }
    files
}
