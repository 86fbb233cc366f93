//! The symbols that a project's files define and use, cached in the store and updated incrementally.

use std::collections::{HashMap, HashSet};

use forebay_skeleton::{SymbolIndex, Tags, detect_language};
use forebay_store::{DerivedKey, DerivedValue, own_files};

use super::walk::WalkedFile;
use crate::App;
use crate::edit::{skeletons, source_file};
use crate::parallel;

/// Larger files are skipped as generated.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Version of the cached format; another version is rebuilt.
const FORMAT: &str = concat!("names 4 ", env!("CARGO_PKG_VERSION"));

/// Returns the symbols of these files, which are all of the project; reads only changed files.
pub(crate) fn names(app: &App, files: &[WalkedFile]) -> SymbolIndex {
    let store = app.stores.own().ok();
    let key = key(app);
    let kept = store.as_ref().and_then(|store| store.cached_derived(&[key]).ok()?.pop().flatten());
    let mut names = kept.and_then(|bytes| SymbolIndex::from_bytes(&bytes)).unwrap_or_default();
    let before = names.files().count();
    let changed = drop_stale(&mut names, files);
    if changed.is_empty() && names.files().count() == before {
        return names;
    }
    let tags = parallel::map(&changed, |file| tags(app, file));
    for (file, tags) in changed.iter().zip(tags) {
        names.add(&file.shown, file.stamp, &tags);
    }
    if let Some(store) = store {
        skeletons::save(&*store, &[DerivedValue { key, value: names.to_bytes() }]);
    }
    names
}

/// Drops stale entries and returns the files to read.
fn drop_stale<'a>(names: &mut SymbolIndex, files: &'a [WalkedFile]) -> Vec<&'a WalkedFile> {
    let stamps: HashMap<&str, u64> =
        files.iter().map(|file| (file.shown.as_str(), file.stamp)).collect();
    names.retain(|path, stamp| stamps.get(path) == Some(&stamp));
    let known: HashSet<&str> = names.files().map(|(path, _)| path).collect();
    files.iter().filter(|file| !known.contains(file.shown.as_str())).collect()
}

/// Returns the symbols a file defines and uses; none if it is not source code.
fn tags(app: &App, file: &WalkedFile) -> Tags {
    let name = file.shown.rsplit('/').next().unwrap_or(&file.shown);
    let may_be_source = detect_language(&file.shown, b"").is_some() || !name.contains('.');
    if !may_be_source || file.bytes > MAX_FILE_BYTES || own_files::contains_path(&file.path) {
        return Tags::default();
    }
    let text =
        source_file::read_if_regular(&file.path).and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else { return Tags::default() };
    let Some(language) = detect_language(&file.shown, text.as_bytes()) else {
        return Tags::default();
    };
    redacted(app, Tags::extract(&text, language))
}

/// Redacts signatures, like everything that is stored.
fn redacted(app: &App, mut tags: Tags) -> Tags {
    let signatures: Vec<&str> =
        tags.definitions.iter().map(|definition| definition.signature.as_str()).collect();
    let (clean, redactions) = app.redaction.redact(&signatures.join("\n"));
    if redactions.is_empty() {
        return tags;
    }
    let clean: Vec<&str> = clean.split('\n').collect();
    let is_even = clean.len() == tags.definitions.len();
    for (index, definition) in tags.definitions.iter_mut().enumerate() {
        // A secret that spans several lines swallows the line breaks between them.
        let signature = if is_even { clean[index] } else { definition.name.as_str() };
        definition.signature = signature.to_owned();
    }
    tags
}

fn key(app: &App) -> DerivedKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(FORMAT.as_bytes()).update(&[0]);
    hasher.update(app.root().as_os_str().as_encoded_bytes());
    *hasher.finalize().as_bytes()
}
