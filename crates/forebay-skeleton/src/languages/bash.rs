//! Bash.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["sh", "bash", "zsh"],
    files: &[".bashrc", ".bash_profile", ".profile", ".zshrc"],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh"],
    notation: Notation::HASH,
    ..Table::new("Bash", tree_sitter_bash::LANGUAGE, include_str!("bash.scm"))
};
