//! Rust, compiled by `rustc` alone: the standard library, no crates.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

/// What makes another file part of a program.
const DRAWS_IN: &[&str] = &["include!", "include_str!", "include_bytes!", "#[path"];

pub(super) static RUST: Runtime = Runtime {
    name: "rust",
    aliases: &["rs"],
    extension: "rs",
    engines: &[Engine {
        program: "rustc",
        place: Place::OnPath,
        start: Start::Compiled {
            words: &[
                "--edition=2024",
                "--crate-name=script",
                "-Copt-level=1",
                "-Cdebuginfo=line-tables-only",
                "-o",
                "{binary}",
                "{script}",
            ],
            is_alone: |text, _| !DRAWS_IN.iter().any(|word| text.contains(word)),
        },
        // At the end: inner attributes must stay at the beginning.
        offer: Offer::LastLine(
            "#[allow(dead_code)] static FILE_PATH: std::sync::LazyLock<String> = \
             std::sync::LazyLock::new(|| std::env::var(\"FILE_PATH\").unwrap()); \
             #[allow(dead_code)] static FILES: std::sync::LazyLock<Vec<String>> = \
             std::sync::LazyLock::new(|| std::fs::read_to_string(std::env::var(\"FOREBAY_FILES\").unwrap())\
             .unwrap().lines().map(str::to_owned).collect()); \
             #[allow(dead_code)] static FILE_CONTENTS: std::sync::LazyLock<Vec<String>> = \
             std::sync::LazyLock::new(|| FILES.iter().map(|path| \
             String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()); \
             #[allow(dead_code)] static FILE_CONTENT: std::sync::LazyLock<String> = \
             std::sync::LazyLock::new(|| FILE_CONTENTS[0].clone());",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://rustup.rs",
};
