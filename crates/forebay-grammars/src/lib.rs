//! The tree-sitter grammar of each supported language.
//!
//! A grammar is C code in a crate of its own, most of it tables. Together they are 38 MB, so a released program has
//! those of the large grammars compressed (feature `packed`). Both variants parse alike: `tests/packed.rs` compares
//! them.

#[cfg(feature = "packed")]
mod packed;

pub use large::{
    BASH, C, C_SHARP, CPP, ELIXIR, HASKELL, KOTLIN, MARKDOWN, PHP, RUBY, RUST, SCALA, SQL, SWIFT,
    TSX, TYPESCRIPT, ZIG,
};
#[cfg(feature = "packed")]
use packed as large;
pub use tree_sitter_containerfile::LANGUAGE as CONTAINERFILE;
pub use tree_sitter_css::LANGUAGE as CSS;
pub use tree_sitter_go::LANGUAGE as GO;
pub use tree_sitter_html::LANGUAGE as HTML;
pub use tree_sitter_java::LANGUAGE as JAVA;
pub use tree_sitter_javascript::LANGUAGE as JAVASCRIPT;
pub use tree_sitter_json::LANGUAGE as JSON;
pub use tree_sitter_lua::LANGUAGE as LUA;
pub use tree_sitter_make::LANGUAGE as MAKE;
pub use tree_sitter_proto::LANGUAGE as PROTO;
pub use tree_sitter_python::LANGUAGE as PYTHON;
pub use tree_sitter_r::LANGUAGE as R;
pub use tree_sitter_toml_ng::LANGUAGE as TOML;
pub use tree_sitter_yaml::LANGUAGE as YAML;

/// The grammars that can be packed, as their crates have them.
#[cfg_attr(feature = "packed", doc(hidden))]
pub mod unpacked {
    pub use tree_sitter_bash::LANGUAGE as BASH;
    pub use tree_sitter_c::LANGUAGE as C;
    pub use tree_sitter_c_sharp::LANGUAGE as C_SHARP;
    pub use tree_sitter_cpp::LANGUAGE as CPP;
    pub use tree_sitter_elixir::LANGUAGE as ELIXIR;
    pub use tree_sitter_haskell::LANGUAGE as HASKELL;
    pub use tree_sitter_kotlin_ng::LANGUAGE as KOTLIN;
    pub use tree_sitter_md::LANGUAGE as MARKDOWN;
    pub use tree_sitter_php::LANGUAGE_PHP as PHP;
    pub use tree_sitter_ruby::LANGUAGE as RUBY;
    pub use tree_sitter_rust::LANGUAGE as RUST;
    pub use tree_sitter_scala::LANGUAGE as SCALA;
    pub use tree_sitter_sequel::LANGUAGE as SQL;
    pub use tree_sitter_swift::LANGUAGE as SWIFT;
    pub use tree_sitter_typescript::{LANGUAGE_TSX as TSX, LANGUAGE_TYPESCRIPT as TYPESCRIPT};
    pub use tree_sitter_zig::LANGUAGE as ZIG;
}
#[cfg(not(feature = "packed"))]
use unpacked as large;
