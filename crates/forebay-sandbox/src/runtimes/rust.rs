//! Rust, compiled by `rustc` with the standard library only.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

/// Macros and attributes that include another file.
const INCLUDES_FILE: &[&str] = &["include!", "include_str!", "include_bytes!", "#[path"];

pub(super) static RUST: Runtime = Runtime {
    name: "rust",
    aliases: &["rs"],
    is_shell: false,
    extension: "rs",
    engines: &[Engine {
        program: "rustc",
        location: EngineLocation::OnPath,
        invocation: Invocation::Compiled {
            args: &[
                "--edition=2024",
                "--crate-name=script",
                "-Copt-level=1",
                "-Cdebuginfo=line-tables-only",
                "-o",
                "{binary}",
                "{script}",
            ],
            is_self_contained: |text, _| !INCLUDES_FILE.iter().any(|word| text.contains(word)),
        },
        // At the end, because inner attributes must come first.
        prelude: Prelude::LastLine(
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
    header: Header::None,
    install: "https://rustup.rs",
};
