//! Bash.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["sh", "bash", "zsh"],
    file_names: &[".bashrc", ".bash_profile", ".profile", ".zshrc"],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh"],
    comment_syntax: CommentSyntax::HASH,
    ..LanguageSpec::new("Bash", forebay_grammars::BASH, include_str!("bash.scm"))
};
