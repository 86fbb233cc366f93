//! TypeScript, judged by the compiler's own declaration output: what that declares stands in the skeleton,
//! as what it is.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use forebay_skeleton::{Kind, Options, Skeleton, language_of, skeleton};

use super::{Count, files};
use crate::samples;

/// What `declared_names.mjs` says of the sample, under TypeScript 6.0.
const OF_THE_SAMPLE: &str = "\
    reexport ./parcels, reexport Lorry, reexport Road, constant MAX_ITEMS, constant defaults, type Place, \
    interface Options, field retries, field name, field slow, method onDone, method new, interface Parcel, \
    method open, enum State, variant Open, variant Sent, variant Lost, class Order, field count, field id, \
    field state, method constructor, method send, method send2, method send2, method size, method price, \
    field handle, function total, function total, constant make, module Routes, constant home, function of, \
    module bus, function ride, module global, interface Window, field orders, class Shop, method open, \
    method close";

/// What an item that the compiler calls so may be in a skeleton; nothing for what has no name of its own.
fn kinds(declared: &str) -> &'static [Kind] {
    match declared {
        "class" => &[Kind::Class],
        // A function by another name is a function, and a class a class.
        "constant" => &[Kind::Constant, Kind::Function, Kind::Class],
        "enum" => &[Kind::Enum],
        "field" => &[Kind::Field, Kind::Method],
        "function" => &[Kind::Function],
        "interface" => &[Kind::Interface],
        "method" => &[Kind::Method],
        "module" => &[Kind::Module],
        "type" => &[Kind::Type],
        "variant" => &[Kind::Variant],
        _ => &[],
    }
}

/// What a skeleton tells: how often each word stands in it, and what the items of a name are.
struct Told<'a> {
    words: HashMap<&'a str, usize>,
    symbols: HashMap<&'a str, Vec<Kind>>,
}

impl<'a> Told<'a> {
    fn by(found: &'a Skeleton) -> Self {
        let mut told = Self { words: HashMap::new(), symbols: HashMap::new() };
        // Docs speak of names and declare none.
        for line in found.text.lines().map(str::trim).filter(|line| !line.starts_with("/** ")) {
            told.take_words(line);
        }
        for symbol in found.symbols.iter().filter(|symbol| symbol.public) {
            told.symbols.entry(last_word(&symbol.name)).or_default().push(symbol.kind);
        }
        told
    }

    fn take_words(&mut self, line: &'a str) {
        // A parameter of a constructor that says who may see it is a field.
        const FIELDS: &[&str] = &["public", "protected", "readonly", "override"];
        let mut before = "";
        for word in words(line) {
            *self.words.entry(word).or_default() += 1;
            if line.starts_with("constructor(") && FIELDS.contains(&before) {
                self.symbols.entry(word).or_default().push(Kind::Field);
            }
            before = word;
        }
    }

    /// Whether it tells what was declared; one word tells one thing.
    fn tells(&mut self, kind: &str, name: &'a str) -> bool {
        let (word, kinds) = (last_word(name), kinds(kind));
        let Some(left) = self.words.get_mut(word).filter(|left| **left > 0) else { return false };
        *left -= 1;
        let symbols = self.symbols.entry(word).or_default();
        let place_of = |kind: &Kind| symbols.iter().position(|known| known == kind);
        let place = kinds.iter().find_map(place_of);
        place.map(|place| symbols.swap_remove(place)).is_some() || kinds.is_empty()
    }
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    parts.filter(|part| !part.is_empty())
}

/// `[Symbol.iterator]` and `./parcels` are known by their last word.
fn last_word(name: &str) -> &str {
    words(name).next_back().unwrap_or(name)
}

/// Counts what was declared, `kind name` each, as far as the skeleton of a text tells it.
fn count<'a>(path: &str, text: &str, declared: impl Iterator<Item = &'a str>) -> Count {
    let found = skeleton(text, language_of(path, b""), Options::default());
    let mut told = Told::by(&found);
    let mut count = Count::default();
    for item in declared {
        let (kind, name) = item.split_once(' ').unwrap();
        // A name of signs alone is no word that could be counted.
        let is_counted = words(name).next().is_some();
        count.items += 1;
        if is_counted && !told.tells(kind, name) {
            count.missing.push(format!("{path}: {item} ({:?})", found.state));
        }
    }
    count
}

#[test]
fn the_sample_is_told_completely() {
    let sample = samples::named("typescript.ts");
    let count = count("typescript.ts", &sample.text, OF_THE_SAMPLE.split(", "));
    assert!(count.missing.is_empty(), "{:#?}", count.missing);
}

/// `cargo test -p forebay-skeleton --release --test it -- --ignored --nocapture npm`
#[test]
#[ignore = "installs packages with npm, and runs the TypeScript compiler over them"]
fn packages_from_npm_are_told_completely() {
    let folder = installed();
    let (mut sources, mut declarations) = (Count::default(), Count::default());
    for package in packages(&folder) {
        let files = ["ts", "tsx", "mts", "cts"].iter().flat_map(|ending| files(&package, ending));
        let (written, made): (Vec<PathBuf>, Vec<PathBuf>) =
            files.filter(|path| !is_test(path)).partition(|path| !is_declarations(path));
        let name = package.strip_prefix(&folder).unwrap().display();
        for (paths, what, total) in
            [(written, "sources", &mut sources), (made, "declarations", &mut declarations)]
        {
            let count = judged(&folder, &paths);
            println!("{name}: {:.3} % of {} {what}", count.percent(), count.items);
            total.add(count);
        }
    }
    sources.tell("sources");
    declarations.tell("declarations");
    assert!(sources.items > 10_000 && declarations.items > 10_000);
    assert!(sources.percent() >= 99.0 && declarations.percent() >= 99.0);
}

/// Asks the compiler what files declare, and counts how much of it their skeletons tell.
fn judged(folder: &Path, paths: &[PathBuf]) -> Count {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus/declared_names.mjs");
    let mut total = Count::default();
    for some in paths.chunks(500) {
        let told = output(command("node").arg(&script).args(some).current_dir(folder));
        for file in format!("\n{told}").split("\n= ").skip(1) {
            let (path, declared) = file.split_once('\n').unwrap_or((file, ""));
            total.add(count(path, &fs::read_to_string(path).unwrap(), declared.lines()));
        }
    }
    total
}

/// A folder with the compiler and the packages of `package.json`.
fn installed() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm");
    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus/package.json");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(pinned, folder.join("package.json")).unwrap();
    let install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
    output(command("npm").args(install).current_dir(&folder));
    folder
}

/// The folders of all packages that were installed, those with a scope one level deeper.
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
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.to_string_lossy().ends_with(ending))
}

fn is_test(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ["/tests/", "/test/", "/__tests__/", ".test.", ".spec."].iter().any(|mark| path.contains(mark))
}

#[expect(clippy::disallowed_methods, reason = "the judge is a program of its own")]
fn command(program: &str) -> Command {
    Command::new(program)
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
