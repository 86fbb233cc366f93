//! The private folder of a run of code, and the words that start its engine.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Engine, Offer, Setup};
use crate::spec::Code;

/// The folder a script, its files' names and what is loaded beside it lie in; gone with this value.
pub(super) struct Stage<'a> {
    code: &'a Code,
    engine: &'static Engine,
    cwd: &'a Path,
    folder: TempDir,
    text: String,
}

impl<'a> Stage<'a> {
    pub(super) fn new(code: &'a Code, engine: &'static Engine, cwd: &'a Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("forebay-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()?;
        let stage = Self { code, engine, cwd, folder, text: dressed(code, engine) };
        stage.write_file_list()?;
        stage.write_loaded()?;
        Ok(stage)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The code with what stands before and after it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text of what is loaded beside it.
    pub(super) fn loaded_text(&self) -> &'static str {
        match &self.engine.offer {
            Offer::Loaded(load) if self.offers_files() => load.text,
            _ => "",
        }
    }

    /// Writes the text as a script file.
    pub(super) fn write_script(&self) -> io::Result<()> {
        fs::write(self.script(), &self.text)
    }

    /// The words with their places filled in; `binary` stands for what is compiled.
    pub(super) fn fill(&self, words: &[&str], binary: &Path) -> Vec<String> {
        let load = match &self.engine.offer {
            Offer::Loaded(load) if self.offers_files() => load.words,
            _ => &[],
        };
        let expand = |word: &&'_ str| match *word {
            "{load}" => load.iter().map(|word| self.fill_word(word, binary)).collect(),
            word => vec![self.fill_word(word, binary)],
        };
        words.iter().flat_map(expand).collect()
    }

    /// What the process finds in its environment, beside what `given` says.
    pub(super) fn environment(&self, given: &[(String, String)]) -> Vec<(String, String)> {
        let mut environment = given.to_vec();
        for (name, folders) in self.engine.search_paths {
            let ours = self.fill_word(folders, Path::new(""));
            let value = match inherited(name, given) {
                Some(theirs) => format!("{ours}:{theirs}"),
                None => ours,
            };
            environment.push(((*name).to_owned(), value));
        }
        if let Some(first) = self.code.files.first() {
            environment.push(("FILE_PATH".to_owned(), shown(first)));
            environment.push(("FOREBAY_FILES".to_owned(), shown(&self.file_list())));
        }
        environment
    }

    fn fill_word(&self, word: &str, binary: &Path) -> String {
        // The code is put in whole: what looks like a place in it is none.
        if word == "{code}" {
            return self.text.clone();
        }
        word.replace("{script}", &shown(&self.script()))
            .replace("{binary}", &shown(binary))
            .replace("{prelude}", &shown(&self.loaded_file()))
            .replace("{folder}", &shown(self.folder.path()))
            .replace("{cwd}", &shown(self.cwd))
    }

    fn write_file_list(&self) -> io::Result<()> {
        if !self.offers_files() {
            return Ok(());
        }
        let lines = self.code.files.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\n"]);
        fs::write(self.file_list(), lines.collect::<Vec<_>>().concat())
    }

    fn write_loaded(&self) -> io::Result<()> {
        match &self.engine.offer {
            Offer::Loaded(load) if self.offers_files() => fs::write(self.loaded_file(), load.text),
            _ => Ok(()),
        }
    }

    fn offers_files(&self) -> bool {
        !self.code.files.is_empty()
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("script").with_extension(self.code.runtime.extension)
    }

    fn file_list(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    fn loaded_file(&self) -> PathBuf {
        match &self.engine.offer {
            Offer::Loaded(load) => self.folder.path().join(load.file),
            _ => PathBuf::new(),
        }
    }
}

/// The text that is run: the code, what its language needs, and what offers the files.
fn dressed(code: &Code, engine: &Engine) -> String {
    let text = without_shebang(&code.text);
    let setup = match code.runtime.setup {
        Setup::FirstLine(setup) => setup,
        Setup::Tag(tag) if !text.trim_start().starts_with(tag.trim_end()) => tag,
        Setup::Tag(_) | Setup::Nothing => "",
    };
    match engine.offer {
        Offer::FirstLine(offer) if !code.files.is_empty() => format!("{setup}{offer}{text}"),
        Offer::LastLine(offer) if !code.files.is_empty() => format!("{setup}{text}\n{offer}\n"),
        _ => format!("{setup}{text}"),
    }
}

/// The code whose first line, if it names an interpreter, is empty: something may come before it.
fn without_shebang(text: &str) -> &str {
    if text.starts_with("#!/") { &text[text.find('\n').unwrap_or(text.len())..] } else { text }
}

/// The value that a variable would have without us.
fn inherited(name: &str, given: &[(String, String)]) -> Option<String> {
    let by_caller = given.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.clone());
    by_caller.or_else(|| env::var(name).ok()).filter(|value| !value.is_empty())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtimes::find;

    fn dressed_as(language: &str, text: &str, files: &[&str]) -> String {
        let runtime = find(language).unwrap();
        let files = files.iter().map(PathBuf::from).collect();
        let code = Code { runtime, text: text.to_owned(), files, compiled: PathBuf::new() };
        dressed(&code, &runtime.engines[0])
    }

    #[test]
    fn the_lines_of_the_code_keep_their_numbers() {
        for language in crate::runtimes::RUNTIMES {
            for files in [&[][..], &["/a"][..]] {
                let text = dressed_as(language.name, "#!/usr/bin/env x\nsecond\nthird", files);
                let third = text.lines().nth(2).unwrap_or_default();
                assert!(third.starts_with("third"), "{}: {text}", language.name);
            }
        }
    }

    #[test]
    fn a_php_tag_is_added_where_it_lacks() {
        assert_eq!(dressed_as("php", "echo 1;", &[]), "<?php echo 1;");
        assert_eq!(dressed_as("php", "<?php echo 1;", &[]), "<?php echo 1;");
    }

    #[test]
    fn an_attribute_of_rust_is_no_shebang() {
        assert_eq!(without_shebang("#![allow(x)]\nfn main(){}"), "#![allow(x)]\nfn main(){}");
        assert_eq!(without_shebang("#!/bin/sh"), "");
    }
}
