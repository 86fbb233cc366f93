//! Skeletons of files, built once per content and cached in the store.

use forebay_skeleton::{SkeletonOptions, detect_language, skeleton};
use forebay_store::{ContentHash, DerivedKey, DerivedValue, Store};

use crate::App;
use crate::parallel;

/// Maximum size of the skeleton cache in a store.
pub(crate) const MAX_CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// Version of the cached format; another version is rebuilt.
const FORMAT: &str = concat!("skeleton 5 ", env!("CARGO_PKG_VERSION"));

/// A file to build the skeleton of.
pub(crate) struct Subject<'a> {
    /// The path as answers show it.
    pub(crate) shown: &'a str,
    pub(crate) text: &'a str,
    pub(crate) hash: ContentHash,
}

/// Returns the skeleton of one file with its header.
pub(crate) fn for_file(app: &App, subject: &Subject<'_>, options: SkeletonOptions) -> String {
    for_files(app, std::slice::from_ref(subject), options).pop().unwrap_or_default()
}

/// Returns the skeletons of several files in order. If the store fails, they are built without the cache.
pub(crate) fn for_files(
    app: &App,
    subjects: &[Subject<'_>],
    options: SkeletonOptions,
) -> Vec<String> {
    let keys: Vec<DerivedKey> = subjects.iter().map(|subject| key(subject, options)).collect();
    let store = app.stores.own().ok();
    let known = store.as_ref().and_then(|store| store.cached_derived(&keys).ok());
    let known = known.unwrap_or_else(|| vec![None; keys.len()]);
    let work: Vec<(&Subject<'_>, Option<String>)> = subjects
        .iter()
        .zip(known)
        .map(|(subject, known)| (subject, known.and_then(|bytes| String::from_utf8(bytes).ok())))
        .collect();
    let texts = parallel::map(&work, |(subject, known)| {
        known.clone().unwrap_or_else(|| build(app, subject, options))
    });
    let is_new = |index: &usize| work[*index].1.is_none();
    let new = (0..work.len()).filter(is_new);
    let new: Vec<DerivedValue> = new
        .map(|index| DerivedValue { key: keys[index], value: texts[index].clone().into_bytes() })
        .collect();
    if let Some(store) = store.filter(|_| !new.is_empty()) {
        save(&*store, &new);
    }
    texts
}

pub(crate) fn save(store: &dyn Store, new: &[DerivedValue]) {
    if let Err(error) = store.cache_derived(new, MAX_CACHE_BYTES) {
        tracing::warn!(%error, "cannot cache values derived from files");
    }
}

/// Builds and redacts a skeleton, so that cached and fresh ones are the same.
fn build(app: &App, subject: &Subject<'_>, options: SkeletonOptions) -> String {
    let language = detect_language(subject.shown, subject.text.as_bytes());
    let whole = skeleton(subject.text, language, options).with_header(subject.shown);
    app.redaction.redact(&whole).0
}

fn key(subject: &Subject<'_>, options: SkeletonOptions) -> DerivedKey {
    let mut hasher = blake3::Hasher::new();
    for part in [FORMAT, &format!("{options:?}"), subject.shown] {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    *hasher.update(&subject.hash).finalize().as_bytes()
}
