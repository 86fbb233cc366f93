//! TypeScript, compared with the declaration output of the compiler: every declaration is in the skeleton with its
//! kind.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use forebay_skeleton::{Skeleton, SkeletonOptions, SymbolKind, detect_language, skeleton};

use super::{Count, files};
use crate::samples;

/// Output of `declared_names.mjs` for the sample, with TypeScript 6.0.
const SAMPLE_DECLARATIONS: &str = "\
    reexport ./parcels, reexport Lorry, reexport Road, constant MAX_ITEMS, constant defaults, type Place, \
    interface Options, field retries, field name, field slow, method onDone, method new, interface Parcel, \
    method open, enum State, variant Open, variant Sent, variant Lost, class Order, field count, field id, \
    field state, method constructor, method send, method send2, method send2, method size, method price, \
    field handle, function total, function total, constant make, module Routes, constant home, function of, \
    module bus, function ride, module global, interface Window, field orders, class Shop, method open, \
    method close";

/// Returns the kinds that a skeleton may have for a declaration; empty for unnamed ones.
fn kinds(declared: &str) -> &'static [SymbolKind] {
    match declared {
        "class" => &[SymbolKind::Class],
        // Constants may be bound to functions and classes.
        "constant" => &[SymbolKind::Constant, SymbolKind::Function, SymbolKind::Class],
        "enum" => &[SymbolKind::Enum],
        "field" => &[SymbolKind::Field, SymbolKind::Method],
        "function" => &[SymbolKind::Function],
        "interface" => &[SymbolKind::Interface],
        "method" => &[SymbolKind::Method],
        "module" => &[SymbolKind::Module],
        "type" => &[SymbolKind::Type],
        "variant" => &[SymbolKind::Variant],
        _ => &[],
    }
}

/// The words of a skeleton with their counts, and the kinds of its symbols by name.
struct SkeletonNames<'a> {
    words: HashMap<&'a str, usize>,
    symbols: HashMap<&'a str, Vec<SymbolKind>>,
}

impl<'a> SkeletonNames<'a> {
    fn new(found: &'a Skeleton) -> Self {
        let mut names = Self { words: HashMap::new(), symbols: HashMap::new() };
        // Docs mention names without declaring them.
        for line in found.text.lines().map(str::trim).filter(|line| !line.starts_with("/** ")) {
            names.add_words(line);
        }
        for symbol in found.symbols.iter().filter(|symbol| symbol.is_public) {
            names.symbols.entry(last_word(&symbol.name)).or_default().push(symbol.kind);
        }
        names
    }

    fn add_words(&mut self, line: &'a str) {
        // A constructor parameter with an access modifier is a field.
        const FIELDS: &[&str] = &["public", "protected", "readonly", "override"];
        let mut before = "";
        for word in words(line) {
            *self.words.entry(word).or_default() += 1;
            if line.starts_with("constructor(") && FIELDS.contains(&before) {
                self.symbols.entry(word).or_default().push(SymbolKind::Field);
            }
            before = word;
        }
    }

    /// Returns whether the skeleton has a declaration; each word counts once.
    fn consume(&mut self, kind: &str, name: &'a str) -> bool {
        let (word, kinds) = (last_word(name), kinds(kind));
        let Some(left) = self.words.get_mut(word).filter(|left| **left > 0) else { return false };
        *left -= 1;
        let symbols = self.symbols.entry(word).or_default();
        let index_of = |kind: &SymbolKind| symbols.iter().position(|known| known == kind);
        let index = kinds.iter().find_map(index_of);
        index.map(|index| symbols.swap_remove(index)).is_some() || kinds.is_empty()
    }
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    parts.filter(|part| !part.is_empty())
}

/// `[Symbol.iterator]` and `./parcels` are identified by their last word.
fn last_word(name: &str) -> &str {
    words(name).next_back().unwrap_or(name)
}

/// Counts the declarations, as `kind name`, that the skeleton of a text has.
fn count<'a>(path: &str, text: &str, declared: impl Iterator<Item = &'a str>) -> Count {
    let found = skeleton(text, detect_language(path, b""), SkeletonOptions::default());
    let mut names = SkeletonNames::new(&found);
    let mut count = Count::default();
    for item in declared {
        let (kind, name) = item.split_once(' ').unwrap();
        // A name without letters is not a word.
        let is_counted = words(name).next().is_some();
        count.items += 1;
        if is_counted && !names.consume(kind, name) {
            count.missing.push(format!("{path}: {item} ({:?})", found.status));
        }
    }
    count
}

#[test]
fn sample_is_complete() {
    let sample = samples::named("typescript.ts");
    let count = count("typescript.ts", &sample.text, SAMPLE_DECLARATIONS.split(", "));
    assert!(count.missing.is_empty(), "{:#?}", count.missing);
}

/// `cargo test -p forebay-skeleton --release --test it -- --ignored --nocapture npm`
#[test]
#[ignore = "installs packages with npm, and runs the TypeScript compiler over them"]
fn npm_packages_are_complete() {
    let folder = install();
    let (mut sources, mut declarations) = (Count::default(), Count::default());
    for package in packages(&folder) {
        let files =
            ["ts", "tsx", "mts", "cts"].iter().flat_map(|extension| files(&package, extension));
        let (source_paths, declaration_paths): (Vec<PathBuf>, Vec<PathBuf>) =
            files.filter(|path| !is_test(path)).partition(|path| !is_declarations(path));
        let name = package.strip_prefix(&folder).unwrap().display();
        for (paths, what, total) in [
            (source_paths, "sources", &mut sources),
            (declaration_paths, "declarations", &mut declarations),
        ] {
            let count = compare(&folder, &paths);
            println!("{name}: {:.3} % of {} {what}", count.percent(), count.items);
            total.add(count);
        }
    }
    sources.print("sources");
    declarations.print("declarations");
    assert!(sources.items > 10_000 && declarations.items > 10_000);
    assert!(sources.percent() >= 99.0 && declarations.percent() >= 99.0);
}

/// Compares the skeletons of files with the declarations that the compiler emits.
fn compare(folder: &Path, paths: &[PathBuf]) -> Count {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus/declared_names.mjs");
    let mut total = Count::default();
    for batch in paths.chunks(500) {
        let declared = output(command("node").arg(&script).args(batch).current_dir(folder));
        for file in format!("\n{declared}").split("\n= ").skip(1) {
            let (path, declared) = file.split_once('\n').unwrap_or((file, ""));
            total.add(count(path, &fs::read_to_string(path).unwrap(), declared.lines()));
        }
    }
    total
}

/// Installs the compiler and the packages of `package.json` into a folder.
fn install() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm");
    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus/package.json");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(pinned, folder.join("package.json")).unwrap();
    let install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
    output(command("npm").args(install).current_dir(&folder));
    folder
}

/// Returns the folders of all installed packages; those of scoped packages are one level deeper.
fn packages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join("node_modules")).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().unwrap().to_str().unwrap() {
            name if name.starts_with('.') => {}
            name if name.starts_with('@') => {
                found.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
            _ => found.push(path),
        }
    }
    found.sort();
    found
}

fn is_declarations(path: &Path) -> bool {
    [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|extension| path.to_string_lossy().ends_with(extension))
}

fn is_test(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ["/tests/", "/test/", "/__tests__/", ".test.", ".spec."].iter().any(|mark| path.contains(mark))
}

#[expect(clippy::disallowed_methods, reason = "the reference parser is a separate program")]
fn command(program: &str) -> Command {
    Command::new(program)
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
