//! Scripts that a text writes and then runs: what they say is not analysed.

use super::files::{self, Access};
use super::inner::{is_interpreter, is_shell};
use super::{ReachableCommand, base_name};
use crate::shell::{Command, Word};

/// Compilers write programs from sources, which is no way to hide a command.
const COMPILERS: &[&str] = &["cc", "gcc", "g++", "c++", "clang", "clang++", "rustc", "go", "ld"];

/// Whether a command runs a file that one of the commands writes; the folder is not compared, because `cd` changes it.
pub(super) fn runs_own_output(commands: &[ReachableCommand]) -> bool {
    let written: Vec<String> = commands
        .iter()
        .map(|reachable| &reachable.command)
        .filter(|command| !is_compiler(command))
        .flat_map(files::named_files)
        .filter(|file| file.access == Access::Write && !file.path.starts_with("/dev/"))
        .map(|file| last_part(&file.path))
        .collect();
    !written.is_empty()
        && commands
            .iter()
            .flat_map(|reachable| executed(&reachable.command))
            .any(|file| written.contains(&last_part(&file)))
}

fn is_compiler(command: &Command) -> bool {
    command.words.first().is_some_and(|word| COMPILERS.contains(&&*base_name(word)))
}

/// The files that a command runs: itself by its path, or a script that it names.
fn executed(command: &Command) -> Vec<String> {
    let Some(first) = command.words.first() else { return Vec::new() };
    let name = base_name(first);
    let mut files: Vec<String> = Vec::new();
    if first.marked().contains('/') {
        files.push(first.marked());
    }
    let reads_script = is_shell(&name)
        || is_interpreter(&name)
        || matches!(
            &*name,
            "source" | "." | "make" | "gmake" | "expect" | "tclsh" | "awk" | "gawk"
        );
    if reads_script {
        files.extend(command.words[1..].iter().map(Word::marked));
    }
    files
}

fn last_part(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
