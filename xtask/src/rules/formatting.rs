//! Every Rust file is formatted, including files that `cargo fmt` does not reach.
//!
//! `cargo fmt` follows `mod` items; it misses modules declared by a macro, and everything outside of the
//! workspace. This rule runs rustfmt on each file by itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow};

use super::{Codebase, Rule};
use crate::process;
use crate::workspace::{self, Source};

pub(super) const FORMATTED: Rule = Rule {
    name: "every Rust file is formatted",
    reason: "Run `cargo fmt --all`, and `rustfmt --edition 2024 <file>` for files it does not reach.",
    check: violations,
};

/// Folders of Rust files that are input of tests.
const FIXTURES: &[&str] = &["crates/forebay-skeleton/tests/samples/"];

fn violations(codebase: &Codebase) -> Result<Vec<String>> {
    let files: Vec<&Source> =
        codebase.sources.iter().filter(|source| is_checked(&source.path)).collect();
    let (next, rustfmt) = (AtomicUsize::new(0), rustfmt());
    let worker = || -> Result<Vec<(usize, String)>> {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = files.get(index) else { return Ok(found) };
            found.extend(unformatted(&rustfmt, source)?.map(|violation| (index, violation)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut found = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            found.extend(worker.join().map_err(|_| anyhow!("a worker panicked"))??);
        }
        Ok(())
    })?;
    found.sort();
    Ok(found.into_iter().map(|(_, violation)| violation).collect())
}

fn is_checked(path: &str) -> bool {
    let is_rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
    is_rust && !FIXTURES.iter().any(|folder| path.starts_with(folder))
}

/// Returns the toolchain's rustfmt next to cargo: rustup's proxy takes longer than formatting a file.
fn rustfmt() -> PathBuf {
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let path = cargo.map(|cargo| cargo.with_file_name("rustfmt"));
    path.filter(|path| path.is_file()).unwrap_or_else(|| "rustfmt".into())
}

/// Returns the first line that rustfmt would change, or its error.
fn unformatted(rustfmt: &Path, source: &Source) -> Result<Option<String>> {
    let mut command = process::command(rustfmt);
    command.args(["--edition", "2024", "--config-path"]).arg(workspace::root());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().context("cannot start rustfmt")?;
    // From stdin rustfmt formats this file only, not the modules that it declares. It reads all before it writes.
    let mut stdin = child.stdin.take().context("rustfmt's stdin")?;
    stdin.write_all(source.text.as_bytes())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        let first = error.lines().next().unwrap_or("cannot be parsed");
        return Ok(Some(format!("{}: {first}", source.path)));
    }
    let formatted = String::from_utf8(output.stdout)?;
    let is_formatted = formatted == source.text;
    Ok((!is_formatted).then(|| format!("{}:{}", source.path, first_difference(&formatted, source))))
}

/// Returns the number of the first line that differs.
fn first_difference(formatted: &str, source: &Source) -> usize {
    let same = formatted.lines().zip(source.text.lines()).take_while(|(new, old)| new == old);
    same.count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_unformatted_and_unparsable_files() {
        let codebase = Codebase::with_files(&[
            ("fuzz/fuzz_targets/a.rs", "//! A.\n\nfn  main() {}\n"),
            ("crates/a/src/lib.rs", "//! A.\n\nmod missing;\n\nfn main() {}\n"),
            ("crates/forebay-skeleton/tests/samples/x.rs", "fn  x() {}"),
            ("README.md", "fn  x"),
        ]);
        assert_finds(&FORMATTED, &codebase, &["fuzz/fuzz_targets/a.rs:3"]);
        let broken = Codebase::with_files(&[("xtask/src/b.rs", "fn {")]);
        let found = (FORMATTED.check)(&broken).unwrap();
        assert!(found.len() == 1 && found[0].starts_with("xtask/src/b.rs: error"), "{found:?}");
    }
}
