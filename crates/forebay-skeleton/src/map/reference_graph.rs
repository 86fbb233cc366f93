//! The reference graph: edges from files that use a name to the files that define it.

use std::collections::HashSet;
use std::ops::Range;

use super::MapOptions;
use super::symbol_index::{FileSymbols, IndexedDefinition, SymbolIndex};
use crate::symbol_kind::SymbolKind;

/// The files that define each name, and the weight of a reference to it.
pub(super) struct DefiningFiles {
    files: Vec<u32>,
    by_name: Vec<Range<u32>>,
    importance: Vec<f64>,
}

/// The references of each file by name. A file refers to all files that define a name equally, so rank is summed by
/// name: there may be far more edges than references.
#[derive(Default)]
pub(super) struct ReferenceGraph {
    /// References to names that another file defines.
    uses: Vec<NameUse>,
    by_file: Vec<Range<usize>>,
    /// Slots of the defining files of each referenced name.
    pub(super) defining_files: Vec<Range<usize>>,
    /// By file: the total weight of its edges.
    pub(super) total_weight: Vec<f64>,
    /// By file: the weight of its edge to itself, minus what its references already give it.
    pub(super) self_weight: Vec<f64>,
}

/// A reference to a name, as an index into `defining_files`, with the weight of each of its edges.
struct NameUse {
    name: u32,
    weight: f64,
}

/// Names that more files define are too ambiguous.
const MAX_DEFINING_FILES: u32 = 30;
/// Names that more files define have a lower weight.
const MANY_DEFINING_FILES: u32 = 5;
/// Weight of references to a file's own definitions.
const SELF_LINK_WEIGHT: f64 = 0.1;
/// Longer names of several words are more specific.
const MIN_DESCRIPTIVE_LEN: usize = 8;

impl DefiningFiles {
    /// Finds the defining files among `files`, which are sorted by path.
    pub(super) fn new(
        index: &SymbolIndex,
        files: &[&FileSymbols],
        options: &MapOptions<'_>,
    ) -> Self {
        let mut counts = vec![0_u32; index.names.len()];
        each_definition(index, files, |name, _| counts[name] += 1);
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
        each_definition(index, files, |name, file| {
            all[next[name] as usize] = file;
            next[name] += 1;
        });
        let weights = best_weights(index, files);
        let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
        let importance = counts.iter().enumerate().map(|(number, count)| {
            if *count == 0 {
                return 0.0;
            }
            let name = index.name(number as u32);
            let factor = if mentioned.contains(name) { 10.0 } else { 1.0 };
            importance(name, *count) * weights[number] * factor
        });
        Self { importance: importance.collect(), files: all, by_name }
    }

    /// Returns the slots of the files that define a name; empty if the name is too ambiguous.
    pub(super) fn slots(&self, name: u32) -> Range<usize> {
        let range = &self.by_name[name as usize];
        if range.len() as u32 > MAX_DEFINING_FILES {
            return 0..0;
        }
        range.start as usize..range.end as usize
    }

    pub(super) fn file(&self, slot: usize) -> u32 {
        self.files[slot]
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the slot of a name in a file that defines it.
    pub(super) fn slot(&self, name: u32, file: u32) -> Option<usize> {
        self.slot_among(self.slots(name), file)
    }

    /// Returns the slot of a file among these.
    pub(super) fn slot_among(&self, slots: Range<usize>, file: u32) -> Option<usize> {
        let found = self.files[slots.clone()].binary_search(&file).ok()?;
        Some(slots.start + found)
    }

    /// Returns the weight of a file's edge to each definition of a name that it uses `count` times.
    fn weight(&self, name: u32, count: u32, focus: bool) -> f64 {
        let focus = if focus { 50.0 } else { 1.0 };
        self.importance[name as usize] * f64::from(count).sqrt() * focus
    }
}

impl ReferenceGraph {
    pub(super) fn new(
        files: &[&FileSymbols],
        defining_files: &DefiningFiles,
        focus: &[bool],
    ) -> Self {
        let mut graph = Self::default();
        let mut numbers = vec![None; defining_files.by_name.len()];
        for (from, file) in files.iter().enumerate() {
            let start = graph.uses.len();
            let (mut total_weight, mut self_weight) = (0.0, 0.0);
            let outermost = file.definitions.iter().filter(|defined| defined.parent.is_none());
            let own: HashSet<u32> = outermost.map(|defined| defined.name).collect();
            for (name, count) in &file.references {
                let slots = defining_files.slots(*name);
                let weight = defining_files.weight(*name, *count, focus[from]);
                let defines_name = defining_files.slot_among(slots.clone(), from as u32).is_some();
                match (defines_name, slots.len()) {
                    (_, 0) => continue,
                    // A file that defines a name for itself, such as its logger, uses its own.
                    (true, count) if count == 1 || own.contains(name) => {
                        self_weight += weight * SELF_LINK_WEIGHT;
                        continue;
                    }
                    (true, _) => self_weight -= weight * (1.0 - SELF_LINK_WEIGHT),
                    (false, _) => {}
                }
                total_weight += weight * slots.len() as f64;
                let name = *numbers[*name as usize].get_or_insert_with(|| {
                    graph.defining_files.push(slots);
                    graph.defining_files.len() as u32 - 1
                });
                graph.uses.push(NameUse { name, weight });
            }
            graph.by_file.push(start..graph.uses.len());
            graph.total_weight.push(total_weight + self_weight);
            graph.self_weight.push(self_weight);
        }
        graph
    }

    /// Returns the rank that flows to each defining file of each name in `defining_files`.
    pub(super) fn flows(&self, ranks: &[f64]) -> Vec<f64> {
        let mut flows = vec![0.0; self.defining_files.len()];
        for from in 0..ranks.len() {
            for (name, flow) in self.flows_from(ranks, from) {
                flows[name] += flow;
            }
        }
        flows
    }

    /// Returns the rank that flows from a file to each defining file of the names it uses.
    pub(super) fn flows_from(
        &self,
        ranks: &[f64],
        file: usize,
    ) -> impl Iterator<Item = (usize, f64)> {
        let rank_per_weight = self.rank_per_weight(ranks, file);
        let uses = self.uses[self.by_file[file].clone()].iter();
        uses.map(move |used| (used.name as usize, rank_per_weight * used.weight))
    }

    /// Returns the rank of a file per unit of weight; 0 if it has no edges.
    pub(super) fn rank_per_weight(&self, ranks: &[f64], file: usize) -> f64 {
        if self.total_weight[file] > 0.0 { ranks[file] / self.total_weight[file] } else { 0.0 }
    }
}

/// Visits each name that a file defines, once per file.
fn each_definition(index: &SymbolIndex, files: &[&FileSymbols], mut visit: impl FnMut(usize, u32)) {
    let mut last = vec![u32::MAX; index.names.len()];
    for (index, file) in files.iter().enumerate() {
        for defined in &file.definitions {
            let name = defined.name as usize;
            if last[name] != index as u32 {
                last[name] = index as u32;
                visit(name, index as u32);
            }
        }
    }
}

/// Returns the weight of the best definition of each name.
fn best_weights(index: &SymbolIndex, files: &[&FileSymbols]) -> Vec<f64> {
    let mut best = vec![0.0_f64; index.names.len()];
    for defined in files.iter().flat_map(|file| &file.definitions) {
        let self_weight = &mut best[defined.name as usize];
        *self_weight = self_weight.max(weight(index, defined));
    }
    best
}

/// Returns the weight of a definition: public ones and those that are not members weigh more.
pub(super) fn weight(index: &SymbolIndex, defined: &IndexedDefinition) -> f64 {
    let by_kind = match defined.kind {
        SymbolKind::Method => 0.6,
        kind if kind == SymbolKind::Function || kind.is_type() => 1.0,
        _ => 0.3,
    };
    let by_reach = match defined.is_public {
        // `pub(crate)`: not part of the API of the project.
        true if index.text(defined.signature).starts_with("pub(") => 0.3,
        true => 1.0,
        // References by this name probably mean another definition.
        false => 0.1,
    };
    by_kind * by_reach
}

fn importance(name: &str, defining_files: u32) -> f64 {
    let has_words = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    let mut weight = 1.0;
    if has_words && name.len() >= MIN_DESCRIPTIVE_LEN {
        weight *= 10.0;
    }
    if name.starts_with('_') {
        weight *= 0.1;
    }
    if defining_files > MANY_DEFINING_FILES {
        weight *= 0.1;
    }
    weight / f64::from(defining_files)
}
