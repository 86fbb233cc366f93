//! Stages a script in a private temporary directory, and builds the arguments of its engine.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Engine, Header, Prelude};
use crate::spec::Code;

/// A temporary directory with the script, the list of input files and the prelude; removed on drop.
pub(super) struct StagedScript<'a> {
    code: &'a Code,
    engine: &'static Engine,
    cwd: &'a Path,
    folder: TempDir,
    text: String,
}

impl<'a> StagedScript<'a> {
    pub(super) fn new(code: &'a Code, engine: &'static Engine, cwd: &'a Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("forebay-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()?;
        let staged = Self { code, engine, cwd, folder, text: script_text(code, engine) };
        staged.write_file_list()?;
        staged.write_prelude()?;
        Ok(staged)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the code with header and prelude.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of the prelude file, or an empty text.
    pub(super) fn prelude_text(&self) -> &'static str {
        match &self.engine.prelude {
            Prelude::File(file) if self.has_files() => file.text,
            _ => "",
        }
    }

    /// Writes the text as a script file.
    pub(super) fn write_script(&self) -> io::Result<()> {
        fs::write(self.script(), &self.text)
    }

    /// Replaces the placeholders in `args`; `binary` is the compiled program.
    pub(super) fn expand_args(&self, args: &[&str], binary: &Path) -> Vec<String> {
        let prelude_args = match &self.engine.prelude {
            Prelude::File(file) if self.has_files() => file.args,
            _ => &[],
        };
        let expand = |arg: &&'_ str| match *arg {
            "{prelude-args}" => prelude_args.iter().map(|arg| self.expand(arg, binary)).collect(),
            arg => vec![self.expand(arg, binary)],
        };
        args.iter().flat_map(expand).collect()
    }

    /// Returns the environment variables of the process: those in `given`, search paths and input files.
    pub(super) fn environment(&self, given: &[(String, String)]) -> Vec<(String, String)> {
        let mut environment = given.to_vec();
        for (name, folders) in self.engine.search_paths {
            let ours = self.expand(folders, Path::new(""));
            let value = match existing_value(name, given) {
                Some(theirs) => format!("{ours}:{theirs}"),
                None => ours,
            };
            environment.push(((*name).to_owned(), value));
        }
        if let Some(first) = self.code.files.first() {
            environment.push(("FILE_PATH".to_owned(), path_string(first)));
            environment.push(("FOREBAY_FILES".to_owned(), path_string(&self.file_list())));
        }
        environment
    }

    fn expand(&self, arg: &str, binary: &Path) -> String {
        // Placeholders inside the code are not expanded.
        if arg == "{code}" {
            return self.text.clone();
        }
        arg.replace("{script}", &path_string(&self.script()))
            .replace("{binary}", &path_string(binary))
            .replace("{prelude}", &path_string(&self.prelude_path()))
            .replace("{folder}", &path_string(self.folder.path()))
            .replace("{cwd}", &path_string(self.cwd))
    }

    fn write_file_list(&self) -> io::Result<()> {
        if !self.has_files() {
            return Ok(());
        }
        let lines = self.code.files.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\n"]);
        fs::write(self.file_list(), lines.collect::<Vec<_>>().concat())
    }

    fn write_prelude(&self) -> io::Result<()> {
        match &self.engine.prelude {
            Prelude::File(file) if self.has_files() => fs::write(self.prelude_path(), file.text),
            _ => Ok(()),
        }
    }

    fn has_files(&self) -> bool {
        !self.code.files.is_empty()
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("script").with_extension(self.code.runtime.extension)
    }

    fn file_list(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    fn prelude_path(&self) -> PathBuf {
        match &self.engine.prelude {
            Prelude::File(file) => self.folder.path().join(file.name),
            _ => PathBuf::new(),
        }
    }
}

/// Returns the text to run: the code with header and prelude.
fn script_text(code: &Code, engine: &Engine) -> String {
    let text = without_shebang(&code.text);
    let header = match code.runtime.header {
        Header::FirstLine(header) => header,
        Header::OpeningTag(tag) if !text.trim_start().starts_with(tag.trim_end()) => tag,
        Header::OpeningTag(_) | Header::None => "",
    };
    match engine.prelude {
        Prelude::FirstLine(prelude) if !code.files.is_empty() => format!("{header}{prelude}{text}"),
        Prelude::LastLine(prelude) if !code.files.is_empty() => {
            format!("{header}{text}\n{prelude}\n")
        }
        _ => format!("{header}{text}"),
    }
}

/// Empties a shebang line, since a header may come before it; keeps the line break for line numbers.
fn without_shebang(text: &str) -> &str {
    if text.starts_with("#!/") { &text[text.find('\n').unwrap_or(text.len())..] } else { text }
}

/// Returns the value of a variable that the caller gives or this process has.
fn existing_value(name: &str, given: &[(String, String)]) -> Option<String> {
    let by_caller = given.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.clone());
    by_caller.or_else(|| env::var(name).ok()).filter(|value| !value.is_empty())
}

fn path_string(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtimes::find;

    fn script_text_for(language: &str, text: &str, files: &[&str]) -> String {
        let runtime = find(language).unwrap();
        let files = files.iter().map(PathBuf::from).collect();
        let code = Code { runtime, text: text.to_owned(), files, binary_cache: None };
        script_text(&code, &runtime.engines[0])
    }

    #[test]
    fn keeps_line_numbers() {
        for runtime in crate::runtimes::RUNTIMES {
            for files in [&[][..], &["/a"][..]] {
                let text = script_text_for(runtime.name, "#!/usr/bin/env x\nsecond\nthird", files);
                let third = text.lines().nth(2).unwrap_or_default();
                assert!(third.starts_with("third"), "{}: {text}", runtime.name);
            }
        }
    }

    #[test]
    fn adds_a_missing_php_tag() {
        assert_eq!(script_text_for("php", "echo 1;", &[]), "<?php echo 1;");
        assert_eq!(script_text_for("php", "<?php echo 1;", &[]), "<?php echo 1;");
    }

    #[test]
    fn rust_attribute_is_not_a_shebang() {
        assert_eq!(without_shebang("#![allow(x)]\nfn main(){}"), "#![allow(x)]\nfn main(){}");
        assert_eq!(without_shebang("#!/bin/sh"), "");
    }
}
