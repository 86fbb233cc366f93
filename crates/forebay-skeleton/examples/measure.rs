//! Measures speed and reduction: `measure <file or folder>...`.
#![allow(clippy::print_stdout, reason = "it is a program for people")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use forebay_skeleton::{
    MapOptions, Options, RepositoryNames, State, Tags, Verbosity, language_of, map, skeleton,
};

#[derive(Default)]
struct Sums {
    files: usize,
    partial: usize,
    lines: usize,
    whole: usize,
    standard: usize,
    minimal: usize,
    milliseconds: f64,
    tag_milliseconds: f64,
}

fn main() {
    for argument in std::env::args().skip(1) {
        let mut files = Vec::new();
        collect(Path::new(&argument), &mut files);
        files.sort();
        measure(&argument, &files);
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else { return files.push(path.to_owned()) };
    for entry in entries.flatten() {
        collect(&entry.path(), files);
    }
}

fn measure(what: &str, files: &[PathBuf]) {
    let mut sums = Sums::default();
    let mut names = RepositoryNames::default();
    for file in files {
        let path = file.to_string_lossy();
        if let Some(tags) = one(&path, &mut sums) {
            names.add(&path, 0, &tags);
        }
    }
    let started = Instant::now();
    let drawn = map(&names, MapOptions { budget: 2_000, ..MapOptions::default() });
    let saved = |size: usize| 100.0 - 100.0 * size as f64 / sums.whole.max(1) as f64;
    println!(
        "{what}: {} files, {} partial, {} kB, standard -{:.1} %, minimal -{:.1} %, {:.2} ms per 3,000 lines, names {:.2} ms, map of {} definitions {:.1} ms",
        sums.files,
        sums.partial,
        sums.whole / 1024,
        saved(sums.standard),
        saved(sums.minimal),
        sums.milliseconds / sums.lines.max(1) as f64 * 3_000.0,
        sums.tag_milliseconds / sums.lines.max(1) as f64 * 3_000.0,
        drawn.definitions,
        started.elapsed().as_secs_f64() * 1_000.0,
    );
}

/// Measures one file; nothing for what is not code.
fn one(path: &str, sums: &mut Sums) -> Option<Tags> {
    const DATA: &[&str] = &["JSON", "Markdown", "TOML", "YAML"];
    let text = fs::read_to_string(path).ok()?;
    let language = language_of(path, text.as_bytes())?;
    if DATA.contains(&language.name()) {
        return None;
    }
    let show =
        |verbosity| skeleton(&text, Some(language), Options { verbosity, ..Options::default() });
    let standard = show(Verbosity::Standard);
    if standard.state == State::Minified {
        return None;
    }
    sums.milliseconds += best_of(5, || drop(show(Verbosity::Standard)));
    sums.files += 1;
    sums.partial += usize::from(matches!(standard.state, State::Partial { .. }));
    sums.lines += text.lines().count();
    sums.whole += text.len();
    sums.standard += standard.with_head(path).len();
    sums.minimal += show(Verbosity::Minimal).with_head(path).len();
    let started = Instant::now();
    let tags = Tags::of(&text, language);
    sums.tag_milliseconds += started.elapsed().as_secs_f64() * 1_000.0;
    Some(tags)
}

/// The shortest of several runs, in milliseconds: the others waited for something.
fn best_of(runs: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..runs).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1_000.0
    });
    times.fold(f64::MAX, f64::min)
}
