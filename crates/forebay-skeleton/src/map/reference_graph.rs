//! Links from files that use a name to files that define it.

use std::collections::HashSet;
use std::ops::Range;

use super::MapOptions;
use super::names::{Defined, FileNames, RepositoryNames};
use crate::kind::Kind;

/// Who defines each name, and how much a use of it says.
pub(super) struct Definers {
    files: Vec<u32>,
    by_name: Vec<Range<u32>>,
    importance: Vec<f64>,
}

/// The links from each file, by the names it uses. A file links to all definers of a name alike, so what flows
/// along is added up by name: there may be far more links than uses.
#[derive(Default)]
pub(super) struct Links {
    /// Uses of names that another file defines.
    uses: Vec<Use>,
    by_file: Vec<Range<usize>>,
    /// The definers' places of each name that is used so.
    pub(super) definers: Vec<Range<usize>>,
    /// By file: how strongly it links at all.
    pub(super) out: Vec<f64>,
    /// By file: how strongly it links to itself, less what its uses would bring it.
    pub(super) own: Vec<f64>,
}

/// A name that a file uses, by its place in `definers`, with how strongly that links it to each definer.
struct Use {
    name: u32,
    weight: f64,
}

/// A name that more files define says nothing about which is meant.
const MOST_DEFINERS: u32 = 30;
/// From so many definers on, a name counts little.
const MANY_DEFINERS: u32 = 5;
/// Its own definitions only keep a file from giving all its rank away.
const OWN: f64 = 0.1;
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
        let weights = best_weights(names, files);
        let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
        let importance = counts.iter().enumerate().map(|(number, count)| {
            if *count == 0 {
                return 0.0;
            }
            let name = names.name(number as u32);
            let factor = if mentioned.contains(name) { 10.0 } else { 1.0 };
            importance(name, *count) * weights[number] * factor
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
        self.place_among(self.places(name), file)
    }

    /// The one of these places that is in a file.
    pub(super) fn place_among(&self, places: Range<usize>, file: u32) -> Option<usize> {
        let found = self.files[places.clone()].binary_search(&file).ok()?;
        Some(places.start + found)
    }

    /// What a file gives to each definer of a name that it uses so often.
    fn weight(&self, name: u32, count: u32, focus: bool) -> f64 {
        let focus = if focus { 50.0 } else { 1.0 };
        self.importance[name as usize] * f64::from(count).sqrt() * focus
    }
}

impl Links {
    pub(super) fn of(files: &[&FileNames], definers: &Definers, focus: &[bool]) -> Self {
        let mut links = Self::default();
        let mut numbers = vec![None; definers.by_name.len()];
        for (from, file) in files.iter().enumerate() {
            let start = links.uses.len();
            let (mut out, mut own) = (0.0, 0.0);
            for (name, count) in &file.references {
                let places = definers.places(*name);
                let weight = definers.weight(*name, *count, focus[from]);
                let is_own = definers.place_among(places.clone(), from as u32).is_some();
                match (is_own, places.len()) {
                    (_, 0) => continue,
                    (true, 1) => {
                        own += weight * OWN;
                        continue;
                    }
                    (true, _) => own -= weight * (1.0 - OWN),
                    (false, _) => {}
                }
                out += weight * places.len() as f64;
                let name = *numbers[*name as usize].get_or_insert_with(|| {
                    links.definers.push(places);
                    links.definers.len() as u32 - 1
                });
                links.uses.push(Use { name, weight });
            }
            links.by_file.push(start..links.uses.len());
            links.out.push(out + own);
            links.own.push(own);
        }
        links
    }

    /// What flows to each definer of each name in `definers` when the files have these ranks.
    pub(super) fn flows(&self, ranks: &[f64]) -> Vec<f64> {
        let mut flows = vec![0.0; self.definers.len()];
        for from in 0..ranks.len() {
            for (name, flow) in self.flows_from(ranks, from) {
                flows[name] += flow;
            }
        }
        flows
    }

    /// What a file gives to the definers of each name that it uses.
    pub(super) fn flows_from(
        &self,
        ranks: &[f64],
        file: usize,
    ) -> impl Iterator<Item = (usize, f64)> {
        let share = self.share(ranks, file);
        let uses = self.uses[self.by_file[file].clone()].iter();
        uses.map(move |used| (used.name as usize, share * used.weight))
    }

    /// What a file gives for each unit of weight; nothing if it has no links.
    pub(super) fn share(&self, ranks: &[f64], file: usize) -> f64 {
        if self.out[file] > 0.0 { ranks[file] / self.out[file] } else { 0.0 }
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

/// What speaks for each name by what it is at best.
fn best_weights(names: &RepositoryNames, files: &[&FileNames]) -> Vec<f64> {
    let mut best = vec![0.0_f64; names.names.len()];
    for defined in files.iter().flat_map(|file| &file.definitions) {
        let own = &mut best[defined.name as usize];
        *own = own.max(weight(names, defined));
    }
    best
}

/// What speaks for a definition: that others may use it, and that it is more than a part of something.
pub(super) fn weight(names: &RepositoryNames, defined: &Defined) -> f64 {
    let by_kind = match defined.kind {
        Kind::Method => 0.6,
        kind if kind == Kind::Function || kind.is_type() => 1.0,
        _ => 0.3,
    };
    let by_reach = match defined.public {
        // `pub(crate)`: others of the project may use it, those who come to it may not.
        true if names.at(defined.signature).starts_with("pub(") => 0.3,
        true => 1.0,
        // Who uses this name means something else by it, most likely.
        false => 0.1,
    };
    by_kind * by_reach
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
