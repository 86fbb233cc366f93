//! Links from files that use a name to files that define it.

use std::collections::{BTreeMap, HashSet};

use super::{MapFile, MapOptions};

/// One name that a file uses and another defines.
pub(super) struct Link<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) name: &'a str,
    pub(super) weight: f64,
}

/// A name that more files define says nothing about which is meant.
const MOST_DEFINERS: usize = 30;
/// From so many definers on, a name counts little.
const MANY_DEFINERS: usize = 5;
/// Long names with several words are meant for others.
const TELLING: usize = 8;

pub(super) fn links<'a>(files: &[MapFile<'a>], options: &MapOptions<'a>) -> Vec<Link<'a>> {
    let definers = definers(files);
    let focus: HashSet<&str> = options.focus.iter().copied().collect();
    let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
    let mut links = Vec::new();
    for (from, file) in files.iter().enumerate() {
        for (name, count) in &file.tags.references {
            let Some((name, definers)) = definers.get_key_value(name.as_str()) else { continue };
            let mut weight = importance(name, definers.len()) * f64::from(*count).sqrt();
            if mentioned.contains(name) {
                weight *= 10.0;
            }
            if focus.contains(file.path) {
                weight *= 50.0;
            }
            // Its own definitions only keep a file from giving all its rank away.
            let own = |to: usize| if to == from { 0.1 } else { 1.0 };
            let all =
                definers.iter().map(|to| Link { from, to: *to, name, weight: weight * own(*to) });
            links.extend(all);
        }
    }
    links
}

fn definers<'a>(files: &[MapFile<'a>]) -> BTreeMap<&'a str, Vec<usize>> {
    let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        for definition in &file.tags.definitions {
            let files = definers.entry(definition.name.as_str()).or_default();
            if files.last() != Some(&index) {
                files.push(index);
            }
        }
    }
    definers.retain(|_, files| files.len() <= MOST_DEFINERS);
    definers
}

fn importance(name: &str, definers: usize) -> f64 {
    let has_words = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    let mut weight = 1.0;
    if has_words && name.len() >= TELLING {
        weight *= 10.0;
    }
    if name.starts_with('_') {
        weight *= 0.1;
    }
    if definers > MANY_DEFINERS {
        weight *= 0.1;
    }
    weight / definers as f64
}
