//! Files that a text writes and then has run: what is known of them is judged, what is not is a doubt.

use super::base_name;
use super::files::{self, Access};
use super::interpreters::{is_interpreter, is_shell};
use super::options;
use super::plain_programs::is_plain;
use super::sed;
use crate::shell::{Command, RedirectKind, Word, printed};

/// A file that a command writes.
#[derive(Debug, Clone)]
pub(super) struct WrittenFile {
    /// Without its folder, which `cd` changes.
    name: String,
    /// What it is written; `None` if that is only known at run time.
    content: Option<String>,
    /// The file that it is a copy of.
    source: Option<String>,
}

impl WrittenFile {
    pub(super) fn is_named_in(&self, code: &str) -> bool {
        !self.name.is_empty() && code.contains(&*self.name)
    }

    pub(super) fn content(&self) -> Option<String> {
        self.content.clone()
    }
}

/// How a file is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunAs {
    Shell,
    /// By an interpreter of some language.
    Code,
    /// By a program that finds commands in it: a makefile, a package's scripts.
    Recipe,
}

/// A file that a command runs, or may run.
pub(super) struct ExecutedFile {
    name: String,
    pub(super) run_as: RunAs,
    /// Certainly, so that an unknown content is a doubt.
    is_certain: bool,
}

/// What is known of a file that is written and run.
pub(super) struct OwnOutput {
    pub(super) texts: Vec<String>,
    pub(super) run_as: RunAs,
    /// Whether all of it is known, or does not matter.
    pub(super) is_known: bool,
}

/// Programs that change a file without writing what it says.
const KEEPING_CONTENT: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "touch", "mkdir", "chmod", "chown", "chgrp", "chattr",
    "setfacl", "truncate", "trash", "gzip", "xz", "zstd", "bzip2",
];
const COPYING: &[&str] = &["cp", "mv", "ln", "install", "gcp"];
const EDITING: &[&str] = &["sed", "gsed", "perl", "ruby"];

/// Files that programs take commands from without being told their names.
const IMPLICIT: &[(&[&str], &[&str])] = &[
    (&["make", "gmake"], &["Makefile", "makefile", "GNUmakefile"]),
    (&["npm", "npx", "pnpm", "yarn", "bun", "node"], &["package.json", ".npmrc", ".yarnrc"]),
    (&["cargo"], &["build.rs", "Cargo.toml", "config.toml"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake", "bundle", "rspec", "rails"], &["Rakefile", "Gemfile", ".rspec"]),
    (
        &["pytest", "py.test", "python", "tox", "nox"],
        &["conftest.py", "tox.ini", "noxfile.py", "sitecustomize.py"],
    ),
    (&["pip", "uv", "poetry"], &["setup.py", "pyproject.toml"]),
    (&["gradle", "gradlew"], &["build.gradle", "build.gradle.kts", "settings.gradle"]),
    (&["mvn", "ant"], &["pom.xml", "build.xml"]),
    (&["cmake", "ctest", "meson", "ninja"], &["CMakeLists.txt", "meson.build", "build.ninja"]),
    (&["pre-commit", "lefthook"], &[".pre-commit-config.yaml", "lefthook.yml"]),
    (&["vim", "vi", "nvim", "gdb", "tmux"], &[".vimrc", ".exrc", ".gdbinit", ".tmux.conf"]),
    (&["bash", "sh", "zsh", "ssh"], &[".bashrc", ".profile", ".zshenv", ".bash_profile"]),
];

/// The files that a command writes; `input` is what is known of its standard input.
pub(super) fn written(command: &Command, input: &[Word]) -> Vec<WrittenFile> {
    let Some(first) = command.words.first() else { return redirected(command, None) };
    let name = base_name(first);
    let content = content(&name, command, input);
    let mut files = redirected(command, content.as_deref());
    if KEEPING_CONTENT.contains(&&*name) {
        return files;
    }
    let operands: Vec<String> = files::operands(command).map(Word::marked).collect();
    let source = operands.first().filter(|_| COPYING.contains(&&*name));
    let is_edit = EDITING.contains(&&*name);
    let named = files::named_files(command).into_iter();
    let arguments =
        named.filter(|file| file.access == Access::Write && file.by == files::NamedBy::Argument);
    files.extend(arguments.map(|file| WrittenFile {
        name: last_part(&file.path),
        // An edit says what is new.
        content: if is_edit { operands.first().cloned() } else { content.clone() },
        source: source.map(|path| last_part(path)),
    }));
    files.extend(written_otherwise(&name, &command.words[1..]));
    if matches!(&*name, "sed" | "gsed") {
        let scripts = sed::scripts(&command.words[1..]).into_iter();
        let by_command = scripts.flat_map(|script| sed::effects(&script.as_script()).files);
        files.extend(by_command.map(|path| WrittenFile {
            name: last_part(&path),
            content: content_of_input(input),
            source: None,
        }));
    }
    files
}

/// Files that are written by options, or under a name that is not an argument.
fn written_otherwise(name: &str, words: &[Word]) -> Vec<WrittenFile> {
    let unknown = |path: &str| WrittenFile { name: last_part(path), content: None, source: None };
    match name {
        "find" | "gfind" => ["-fprint", "-fprint0", "-fprintf", "-fls"]
            .iter()
            .flat_map(|option| options::values(words, option))
            .map(|file| unknown(&file.marked()))
            .collect(),
        "curl" | "wget" => {
            let urls = words.iter().map(Word::marked).filter(|text| text.contains("://"));
            urls.map(|url| unknown(&url)).collect()
        }
        "npm" | "pnpm" | "yarn" if words.iter().any(|word| word.marked() == "pkg") => {
            let content = words.iter().map(Word::as_script).collect::<Vec<_>>().join("\n");
            let name = "package.json".to_owned();
            vec![WrittenFile { name, content: Some(content), source: None }]
        }
        _ => Vec::new(),
    }
}

fn redirected(command: &Command, content: Option<&str>) -> Vec<WrittenFile> {
    let is_written = |kind| matches!(kind, RedirectKind::Write | RedirectKind::ReadWrite);
    let targets = command.redirects.iter().filter(|each| is_written(each.kind));
    targets
        .map(|redirect| WrittenFile {
            name: last_part(&redirect.target.marked()),
            content: content.map(str::to_owned),
            source: None,
        })
        .filter(|file| !matches!(&*file.name, "null" | "stdout" | "stderr" | "tty"))
        .collect()
}

/// What a command writes to its output and its files, if that is known.
fn content(name: &str, command: &Command, input: &[Word]) -> Option<String> {
    match name {
        "echo" | "printf" => {
            let silent = Command { redirects: Vec::new(), ..command.clone() };
            printed(&[silent]).filter(|printed| printed.is_exact).map(|printed| printed.text)
        }
        "cat" | "tee" | "dd" | "sponge" if reads_only_input(name, command) => {
            content_of_input(input)
        }
        _ => None,
    }
}

fn reads_only_input(name: &str, command: &Command) -> bool {
    name != "cat" || files::operands(command).all(|word| word.marked() == "-")
}

fn content_of_input(input: &[Word]) -> Option<String> {
    let texts: Option<Vec<String>> = input.iter().map(Word::known).collect();
    texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("\n"))
}

/// The files that a command runs: itself by its path, those that it names, and those that it always reads.
pub(super) fn executed(command: &Command) -> Vec<ExecutedFile> {
    let Some(first) = command.words.first() else { return Vec::new() };
    let name = base_name(first);
    let mut files = Vec::new();
    if first.marked().contains('/') {
        let name = last_part(&first.marked());
        files.push(ExecutedFile { name, run_as: RunAs::Shell, is_certain: true });
    }
    let (run_as, is_certain) = match &*name {
        _ if is_shell(&name) || matches!(&*name, "source" | ".") => (RunAs::Shell, true),
        _ if is_interpreter(&name) => (RunAs::Code, true),
        "make" | "gmake" | "just" | "expect" | "awk" | "gawk" | "sed" | "gsed" | "crontab"
        | "at" => (RunAs::Recipe, true),
        _ => (RunAs::Recipe, false),
    };
    let words = if matches!(&*name, "sed" | "gsed") {
        options::values_of_any(&command.words[1..], &["-f", "--file"])
    } else {
        command.words[1..].to_vec()
    };
    if is_certain || !is_plain(&name) || runs_files(&name) {
        let is_path = |path: &String| !path.is_empty() && !path.contains(char::is_whitespace);
        let named = words.iter().map(|word| last_part(&word.marked()));
        let named = named.filter(is_path);
        files.extend(named.map(|name| ExecutedFile { name, run_as, is_certain }));
    }
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rows = IMPLICIT
        .iter()
        .filter(|(programs, _)| programs.contains(&&*name) || programs.contains(&versionless));
    let implicit = rows.flat_map(|(_, files)| *files);
    files.extend(implicit.map(|name| ExecutedFile {
        name: (*name).to_owned(),
        run_as: RunAs::Recipe,
        is_certain: true,
    }));
    files
}

/// Whether a program without commands of its own among its words may still run a file that it names.
fn runs_files(name: &str) -> bool {
    const RUNNING: &[&str] = &[
        "cc", "gcc", "g++", "c++", "clang", "clang++", "rustc", "go", "java", "javac", "vim", "vi",
        "nvim", "emacs", "psql", "sqlite3", "mysql", "dotnet", "zig", "swiftc", "task", "rake",
    ];
    RUNNING.contains(&name)
}

/// What is known of a file that is run, if one of the commands writes it.
pub(super) fn own_output(file: &ExecutedFile, written: &[WrittenFile]) -> Option<OwnOutput> {
    let names = with_sources(&file.name, written);
    let parts: Vec<&WrittenFile> =
        written.iter().filter(|own| names.contains(&&*own.name)).collect();
    let texts: Vec<&str> = parts.iter().filter_map(|own| own.content.as_deref()).collect();
    if parts.is_empty() {
        return None;
    }
    let is_explained = |own: &&WrittenFile| {
        own.content.is_some()
            || own.source.as_ref().is_some_and(|source| written.iter().any(|w| w.name == *source))
    };
    Some(OwnOutput {
        // A file that is written in steps is their sum, with or without line ends between them.
        texts: vec![texts.join("\n"), texts.concat()],
        run_as: file.run_as,
        is_known: !file.is_certain || parts.iter().all(is_explained),
    })
}

/// The name of a file, and of those that it is a copy of.
fn with_sources<'a>(name: &'a str, written: &'a [WrittenFile]) -> Vec<&'a str> {
    let mut names = vec![name];
    let mut at = 0;
    while let Some(name) = names.get(at).copied() {
        let copies = written.iter().filter(|own| own.name == name);
        for source in copies.filter_map(|own| own.source.as_deref()) {
            if !names.contains(&source) {
                names.push(source);
            }
        }
        at += 1;
    }
    names
}

/// Whether a program writes the files that its input names: patches, and scripts of editors.
pub(super) fn writes_by_input(name: &str) -> bool {
    matches!(name, "patch" | "git" | "ed" | "ex" | "vi" | "vim" | "nvim")
}

/// Whether code of an interpreter, a patch or an editor's script writes a file that is run later.
pub(super) fn may_write(code: &str, file: &ExecutedFile) -> bool {
    const WRITING: &[&str] = &[
        "write", "'w", "\"w", "'a", "\"a", "copy", "rename", "link", "dump", "save", ">", "+++",
        "w ",
    ];
    file.is_certain && code.contains(&*file.name) && WRITING.iter().any(|mark| code.contains(mark))
}

fn last_part(path: &str) -> String {
    path.trim_end_matches('/').rsplit(['/', '=']).next().unwrap_or_default().to_owned()
}
