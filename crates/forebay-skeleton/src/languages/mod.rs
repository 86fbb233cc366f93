//! The languages: a spec in `<language>.rs` and a query in `<language>.scm` each.
//!
//! Every grammar is compiled from C into the binary. Sizes without compression, in MB: C# 5.3, Swift 4.1, Scala 4.0,
//! Haskell 3.8, Kotlin and C++ 3.4, TypeScript with TSX 2.9, SQL 2.4, PHP and Ruby 2.1, Elixir 1.4, Bash 1.3, Rust
//! 1.1, the others below 0.9 each. `forebay-grammars` compresses the large ones in released programs.
//!
//! Dockerfiles are parsed with the Containerfile grammar: the Dockerfile grammar requires an older tree-sitter and
//! does not link with this one.

mod bash;
mod c;
mod c_sharp;
mod cpp;
mod css;
mod dockerfile;
mod elixir;
mod go;
mod haskell;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
mod lua;
mod make;
mod markdown;
mod overwrite;
mod php;
mod proto;
mod python;
mod r;
mod ruby;
mod rust;
mod scala;
mod sql;
mod swift;
mod toml;
mod tsx;
mod typescript;
mod yaml;
mod zig;

use crate::language::Language;

/// Lists the languages. The `mod` lines are outside because rustfmt does not follow those inside a macro.
macro_rules! languages {
    ($($name:ident),* $(,)?) => {
        pub(crate) static ALL: [Language; [$(stringify!($name)),*].len()] =
            [$(Language::new(&$name::SPEC)),*];
    };
}

languages! {
    rust,
    typescript,
    tsx,
    javascript,
    python,
    go,
    java,
    c,
    cpp,
    c_sharp,
    ruby,
    php,
    kotlin,
    swift,
    scala,
    lua,
    elixir,
    bash,
    haskell,
    zig,
    r,
    sql,
    css,
    html,
    json,
    yaml,
    toml,
    markdown,
    proto,
    dockerfile,
    make,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_compiles() {
        let errors = ALL.iter().filter_map(|language| {
            language.compiled().err().map(|error| format!("{language:?}: {error}"))
        });
        assert_eq!(errors.collect::<Vec<_>>().join("\n"), "");
    }
}
