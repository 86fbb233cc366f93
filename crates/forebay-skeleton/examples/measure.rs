//! Measures speed and token reduction over the files below some folders.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use forebay_skeleton::*;
use std::time::Instant;
fn walk(folder: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|e| e.unwrap().path()) {
        if path.is_dir() {
            if !path.ends_with("node_modules") && !path.ends_with(".git") {
                walk(&path, out)
            }
        } else {
            out.push(path)
        }
    }
}
fn main() {
    for folder in std::env::args().skip(1) {
        let mut files = Vec::new();
        let root = std::path::Path::new(&folder);
        if root.is_file() {
            files.push(root.to_owned())
        } else {
            walk(root, &mut files)
        }
        files.sort();
        let (mut whole, mut standard, mut minimal, mut count, mut partial) = (0, 0, 0, 0, 0);
        let mut slowest = (0.0, String::new());
        let started = Instant::now();
        let mut per_line = 0.0;
        let mut lines = 0;
        let mut tags = Vec::new();
        for path in &files {
            let name = path.to_string_lossy();
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let Some(language) = language_of(&name, text.as_bytes()) else { continue };
            if ["JSON", "Markdown", "TOML", "YAML"].contains(&language.name()) {
                continue;
            }
            let mut best = f64::MAX;
            for _ in 0..if root.is_file() { 30 } else { 0 } {
                let at = Instant::now();
                let _ = skeleton(&text, Some(language), Options::default());
                best = best.min(at.elapsed().as_secs_f64() * 1000.0);
            }
            if root.is_file() { println!("{name}: best {best:.2} ms, {:.2} ms per 3000 lines", best / text.lines().count() as f64 * 3000.0) }
            let at = Instant::now();
            let found = skeleton(&text, Some(language), Options::default());
            let took = at.elapsed().as_secs_f64() * 1000.0;
            per_line += took;
            lines += text.lines().count();
            if std::env::var_os("SAME").is_some() {
                let whole = Document::parse(text.as_str(), language).map(|d| d.skeleton(Options::default()));
                if let Ok(whole) = whole { if whole.text != found.text { println!("DIFFERS {name}") } }
            }
            if took > slowest.0 {
                slowest =
                    (took, format!("{name} ({} lines, {:?})", text.lines().count(), found.state))
            }
            if matches!(found.state, State::Minified) {
                continue;
            }
            if matches!(found.state, State::Partial { .. }) {
                partial += 1;
                if std::env::var_os("PARTIAL").is_some() {
                    println!("partial {name}: {:?}", found.state)
                }
            }
            count += 1;
            whole += text.len();
            standard += found.with_head(&name).len();
            minimal += skeleton(
                &text,
                Some(language),
                Options { verbosity: Verbosity::Minimal, ..Options::default() },
            )
            .with_head(&name)
            .len();
            if let Ok(document) = Document::parse(text, language) {
                tags.push((name.to_string(), document.tags()))
            }
        }
        let all = started.elapsed();
        let at = Instant::now();
        let map_files: Vec<MapFile> =
            tags.iter().map(|(path, tags)| MapFile { path, tags }).collect();
        let drawn = map(&map_files, MapOptions { budget: 2000, ..MapOptions::default() });
        println!(
            "{folder}: {count} files ({partial} partial), {} kB; standard -{:.1} %, minimal -{:.1} %; {:.2} ms per 3000 lines; slowest {:.1} ms {}; all {:?}; map {:?} {} defs in {} files",
            whole / 1024,
            100.0 - 100.0 * standard as f64 / whole as f64,
            100.0 - 100.0 * minimal as f64 / whole as f64,
            per_line / lines as f64 * 3000.0,
            slowest.0,
            slowest.1,
            all,
            at.elapsed(),
            drawn.definitions,
            drawn.files
        );
        if std::env::var_os("MAP").is_some() {
            println!("{}", drawn.text)
        }
    }
}
