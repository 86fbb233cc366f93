//! Repository map: the most referenced definitions of a repository, within a token budget.
//!
//! Files that use a name have edges to the files that define it. PageRank over this reference graph ranks files, and
//! the rank of a file flows to the definitions it uses.

mod codec;
mod identifiers;
mod layout;
mod pagerank;
mod reference_graph;
mod symbol_index;
mod tags;

use std::cmp::Ordering;
use std::collections::HashSet;

use forebay_domain::tokens;

pub use symbol_index::SymbolIndex;
pub use tags::{Definition, Tags};

use layout::{Layout, Section};
use reference_graph::{DefiningFiles, ReferenceGraph};
use symbol_index::FileSymbols;

/// What a map emphasizes, and its budget.
#[derive(Debug, Clone, Copy, Default)]
pub struct MapOptions<'a> {
    /// Maximum size in tokens.
    pub budget: u64,
    /// Files that the reader has in full: their references count most, and they are not shown.
    pub focus: &'a [&'a str],
    /// Files that the reader has looked at.
    pub touched: &'a [&'a str],
    /// Names to show first.
    pub mentioned: &'a [&'a str],
}

/// A repository map and its coverage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryMap {
    pub text: String,
    pub files: usize,
    pub definitions: usize,
    /// Files with definitions that are not shown, without the focus files.
    pub files_left_out: usize,
    /// All files, highest rank first.
    pub ranked: Vec<String>,
}

/// Builds the map of an index; independent of the order of its files.
pub fn build_map(index: &SymbolIndex, options: MapOptions<'_>) -> RepositoryMap {
    let builder = MapBuilder::new(index, &options);
    let ranks = pagerank::ranks(&builder.restart_weights, &builder.graph, &builder.defining_files);
    let best = builder.best_definitions(&ranks, &options);
    let sections = builder.choose_sections(&best, &options);
    let mut by_rank: Vec<usize> = (0..builder.files.len()).collect();
    by_rank.sort_by(|one, other| ranks[*other].total_cmp(&ranks[*one]).then(one.cmp(other)));
    let shown: HashSet<usize> = sections.iter().map(|section| section.file).collect();
    let left_out = (0..builder.files.len())
        .filter(|index| builder.is_candidate(*index) && !shown.contains(index));
    RepositoryMap {
        text: sections
            .iter()
            .map(|section| section.text(index, builder.files[section.file]))
            .collect(),
        files: sections.len(),
        definitions: sections.iter().map(|section| section.chosen.len()).sum(),
        files_left_out: left_out.count(),
        ranked: by_rank.into_iter().map(|index| builder.path(index).to_owned()).collect(),
    }
}

/// The files in path order, with their reference graph.
struct MapBuilder<'a> {
    index: &'a SymbolIndex,
    files: Vec<&'a FileSymbols>,
    focus: Vec<bool>,
    restart_weights: Vec<f64>,
    defining_files: DefiningFiles,
    graph: ReferenceGraph,
}

/// A definition, as the index of its file and its position there.
type DefinitionId = (usize, usize);

/// A definition with its score.
struct ScoredDefinition {
    is_mentioned: bool,
    /// Another file uses it. What no file uses, such as a call at module level, comes last, however high its file ranks.
    is_used: bool,
    score: f64,
    is_public: bool,
    id: DefinitionId,
}

/// The share of a sum that may be a rounding error.
const ROUNDING: f64 = 1e-9;
/// Definitions that do not fit before the search ends.
const MAX_MISSES: usize = 64;
/// Shortest possible line, which bounds the number of lines.
const MIN_LINE_BYTES: usize = 8;

impl<'a> MapBuilder<'a> {
    fn new(index: &'a SymbolIndex, options: &MapOptions<'_>) -> Self {
        let mut files: Vec<&FileSymbols> = index.files.iter().collect();
        files.sort_by_key(|file| index.text(file.path));
        let focused: HashSet<&str> = options.focus.iter().copied().collect();
        let touched: HashSet<&str> = options.touched.iter().copied().collect();
        let is_in = |set: &HashSet<&str>, file: &&FileSymbols| set.contains(index.text(file.path));
        let focus: Vec<bool> = files.iter().map(|file| is_in(&focused, file)).collect();
        let restart_weights = files.iter().map(|file| match () {
            () if is_in(&focused, file) => 100.0,
            () if is_in(&touched, file) => 25.0,
            () => 1.0,
        });
        let restart_weights = restart_weights.collect();
        let defining_files = DefiningFiles::new(index, &files, options);
        let graph = ReferenceGraph::new(&files, &defining_files, &focus);
        Self { index, files, focus, restart_weights, defining_files, graph }
    }

    fn path(&self, index: usize) -> &'a str {
        self.index.text(self.files[index].path)
    }

    fn is_candidate(&self, index: usize) -> bool {
        !self.files[index].definitions.is_empty() && !self.focus[index]
    }

    /// Returns as many definitions as could fit: mentioned names first, then by the rank that flows to them.
    /// Unreferenced ones get a small share of the rank of their file.
    fn best_definitions(&self, ranks: &[f64], options: &MapOptions<'_>) -> Vec<DefinitionId> {
        let flows = self.flows(ranks);
        let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
        let mut all: Vec<ScoredDefinition> = Vec::new();
        for index in (0..self.files.len()).filter(|index| self.is_candidate(*index)) {
            for (position, defined) in self.files[index].definitions.iter().enumerate() {
                let slot = self.defining_files.slot(defined.name, index as u32);
                let flow = slot.map_or(0.0, |slot| flows[slot]);
                let name = self.index.name(defined.name);
                all.push(ScoredDefinition {
                    is_mentioned: !mentioned.is_empty() && mentioned.contains(name),
                    is_used: flow > 0.0,
                    score: reference_graph::weight(self.index, defined)
                        * if flow > 0.0 { flow } else { ranks[index] / 1_000.0 },
                    is_public: defined.is_public,
                    id: (index, position),
                });
            }
        }
        let max = tokens::to_bytes(options.budget) / MIN_LINE_BYTES + 2 * MAX_MISSES;
        if all.len() > max {
            all.select_nth_unstable_by(max, ScoredDefinition::order);
            all.truncate(max);
        }
        all.sort_unstable_by(ScoredDefinition::order);
        all.into_iter().map(|scored| scored.id).collect()
    }

    /// Returns the rank that flows from other files to each definition.
    fn flows(&self, ranks: &[f64]) -> Vec<f64> {
        let mut flows = vec![0.0; self.defining_files.len()];
        let totals = self.graph.flows(ranks);
        for (slots, flow) in self.graph.defining_files.iter().zip(&totals) {
            flows[slots.clone()].fill(*flow);
        }
        for file in 0..self.files.len() {
            for (name, flow) in self.graph.flows_from(ranks, file) {
                let slots = self.graph.defining_files[name].clone();
                if let Some(slot) = self.defining_files.slot_among(slots, file as u32) {
                    flows[slot] -= flow;
                    // What rounding leaves of a difference is not a use by another file.
                    if flows[slot] < totals[name] * ROUNDING {
                        flows[slot] = 0.0;
                    }
                }
            }
        }
        flows
    }

    /// Chooses the definitions that fit the budget; files are ordered by their best definition.
    fn choose_sections(&self, best: &[DefinitionId], options: &MapOptions<'_>) -> Vec<Section> {
        let mut layout = Layout::with_budget(tokens::to_bytes(options.budget));
        let mut misses = 0;
        for (index, position) in best {
            if !layout.add(self.index, *index, self.files[*index], *position) {
                misses += 1;
            }
            if misses > MAX_MISSES {
                break;
            }
        }
        layout.sections
    }
}

impl ScoredDefinition {
    fn order(&self, other: &Self) -> Ordering {
        let by_score = other.is_used.cmp(&self.is_used).then(other.score.total_cmp(&self.score));
        let by_mention = other.is_mentioned.cmp(&self.is_mentioned);
        let by_id = self.id.cmp(&other.id);
        by_mention.then(by_score).then(other.is_public.cmp(&self.is_public)).then(by_id)
    }
}

#[cfg(test)]
mod tests;
