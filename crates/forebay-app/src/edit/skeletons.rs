//! Skeletons of files, made once for each content and kept in the store.

use forebay_domain::tokens;
use forebay_skeleton::{SkeletonOptions, detect_language, skeleton};
use forebay_store::{ContentHash, DerivedKey, DerivedValue, Store};

use crate::App;
use crate::parallel;

/// What skeletons of old contents may take in a store.
pub(crate) const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Skeletons of another form are made anew.
const FORM: &str = concat!("skeleton 4 ", env!("CARGO_PKG_VERSION"));

/// A file to be shown by its skeleton.
pub(crate) struct Subject<'a> {
    /// As the answer names it.
    pub(crate) shown: &'a str,
    pub(crate) text: &'a str,
    pub(crate) hash: ContentHash,
}

/// The skeleton of one file with its head.
pub(crate) fn of(app: &App, subject: &Subject<'_>, options: SkeletonOptions) -> String {
    of_all(app, std::slice::from_ref(subject), options).pop().unwrap_or_default()
}

/// The skeletons of several files, in their order. The store is only a help: without it they are
/// made all the same.
pub(crate) fn of_all(app: &App, subjects: &[Subject<'_>], options: SkeletonOptions) -> Vec<String> {
    let keys: Vec<DerivedKey> = subjects.iter().map(|subject| key(subject, options)).collect();
    let store = app.places.own().ok();
    let known = store.as_ref().and_then(|store| store.cached_derived(&keys).ok());
    let known = known.unwrap_or_else(|| vec![None; keys.len()]);
    let work: Vec<(&Subject<'_>, Option<String>)> = subjects
        .iter()
        .zip(known)
        .map(|(subject, known)| (subject, known.and_then(|bytes| String::from_utf8(bytes).ok())))
        .collect();
    let texts = parallel::map(&work, |(subject, known)| {
        known.clone().unwrap_or_else(|| made(app, subject, options))
    });
    let is_new = |index: &usize| work[*index].1.is_none();
    let new = (0..work.len()).filter(is_new);
    let new: Vec<DerivedValue> = new
        .map(|index| DerivedValue { key: keys[index], value: texts[index].clone().into_bytes() })
        .collect();
    if let Some(store) = store.filter(|_| !new.is_empty()) {
        keep(&*store, &new);
    }
    texts
}

/// What a skeleton costs.
pub(crate) fn tokens_of(skeleton: &str) -> u64 {
    tokens::of(skeleton)
}

pub(crate) fn keep(store: &dyn Store, new: &[DerivedValue]) {
    if let Err(error) = store.cache_derived(new, MOST_BYTES) {
        tracing::warn!(%error, "what was made from files is not kept");
    }
}

/// What is kept passes redaction, and what is shown is the same whether it was kept or not.
fn made(app: &App, subject: &Subject<'_>, options: SkeletonOptions) -> String {
    let language = detect_language(subject.shown, subject.text.as_bytes());
    let whole = skeleton(subject.text, language, options).with_header(subject.shown);
    app.redaction.text(&whole).0
}

fn key(subject: &Subject<'_>, options: SkeletonOptions) -> DerivedKey {
    let mut hasher = blake3::Hasher::new();
    for part in [FORM, &format!("{options:?}"), subject.shown] {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    *hasher.update(&subject.hash).finalize().as_bytes()
}
