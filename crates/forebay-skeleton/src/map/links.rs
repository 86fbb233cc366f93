//! Links from files that use a name to files that define it.

use std::collections::HashSet;
use std::ops::Range;

use super::MapOptions;
use super::names::{FileNames, RepositoryNames};

/// Who defines each name, and how much a use of it says.
pub(super) struct Definers {
    files: Vec<u32>,
    by_name: Vec<Range<u32>>,
    importance: Vec<f64>,
}

/// The uses of one file.
pub(super) struct Links {
    /// By file: what it links to and how strongly, each once.
    pub(super) from: Vec<Vec<(u32, f64)>>,
    /// By file: how strongly it links at all.
    pub(super) out: Vec<f64>,
}

/// A name that more files define says nothing about which is meant.
const MOST_DEFINERS: u32 = 30;
/// From so many definers on, a name counts little.
const MANY_DEFINERS: u32 = 5;
/// Long names with several words are meant for others.
const TELLING: usize = 8;

impl Definers {
    /// The definers among `files`, which are in order of paths.
    pub(super) fn of(
        names: &RepositoryNames,
        files: &[&FileNames],
        options: &MapOptions<'_>,
    ) -> Self {
        let mut counts = vec![0_u32; names.names.len()];
        each_definition(names, files, |name, _| counts[name] += 1);
        let mut end = 0;
        let by_name: Vec<Range<u32>> = counts
            .iter()
            .map(|count| {
                end += count;
                end - count..end
            })
            .collect();
        let mut next: Vec<u32> = by_name.iter().map(|range| range.start).collect();
        let mut all = vec![0; end as usize];
        each_definition(names, files, |name, file| {
            all[next[name] as usize] = file;
            next[name] += 1;
        });
        let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
        let importance = counts.iter().enumerate().map(|(number, count)| {
            if *count == 0 {
                return 0.0;
            }
            let name = names.name(number as u32);
            let factor = if mentioned.contains(name) { 10.0 } else { 1.0 };
            importance(name, *count) * factor
        });
        Self { importance: importance.collect(), files: all, by_name }
    }

    /// Places in the list of definers that a name has; none where it says nothing.
    pub(super) fn places(&self, name: u32) -> Range<usize> {
        let range = &self.by_name[name as usize];
        if range.len() as u32 > MOST_DEFINERS {
            return 0..0;
        }
        range.start as usize..range.end as usize
    }

    pub(super) fn file(&self, place: usize) -> u32 {
        self.files[place]
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The place of a name in a file that defines it.
    pub(super) fn place(&self, name: u32, file: u32) -> Option<usize> {
        let places = self.places(name);
        let found = self.files[places.clone()].binary_search(&file).ok()?;
        Some(places.start + found)
    }

    /// How strongly a file links to a definer of a name that it uses so often.
    pub(super) fn weight(&self, name: u32, count: u32, from: u32, to: u32, focus: bool) -> f64 {
        // Its own definitions only keep a file from giving all its rank away.
        let own = if from == to { 0.1 } else { 1.0 };
        let focus = if focus { 50.0 } else { 1.0 };
        self.importance[name as usize] * f64::from(count).sqrt() * own * focus
    }
}

impl Links {
    pub(super) fn of(files: &[&FileNames], definers: &Definers, focus: &[bool]) -> Self {
        let mut weights = vec![0.0; files.len()];
        let mut links = Self { from: Vec::with_capacity(files.len()), out: Vec::new() };
        for (from, file) in files.iter().enumerate() {
            let mut touched: Vec<u32> = Vec::new();
            for (name, count) in &file.references {
                for to in definers.places(*name).map(|place| definers.file(place)) {
                    if weights[to as usize] == 0.0 {
                        touched.push(to);
                    }
                    weights[to as usize] +=
                        definers.weight(*name, *count, from as u32, to, focus[from]);
                }
            }
            touched.sort_unstable();
            let own: Vec<(u32, f64)> = touched
                .iter()
                .map(|to| (*to, std::mem::take(&mut weights[*to as usize])))
                .collect();
            links.out.push(own.iter().map(|(_, weight)| weight).sum());
            links.from.push(own);
        }
        links
    }
}

/// Each name that a file defines, once for the file.
fn each_definition(
    names: &RepositoryNames,
    files: &[&FileNames],
    mut take: impl FnMut(usize, u32),
) {
    let mut last = vec![u32::MAX; names.names.len()];
    for (index, file) in files.iter().enumerate() {
        for defined in &file.definitions {
            let name = defined.name as usize;
            if last[name] != index as u32 {
                last[name] = index as u32;
                take(name, index as u32);
            }
        }
    }
}

fn importance(name: &str, definers: u32) -> f64 {
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
    weight / f64::from(definers)
}
