//! Personalized PageRank over the reference graph.

use super::reference_graph::{DefiningFiles, ReferenceGraph};

const DAMPING: f64 = 0.85;
/// Enough for the order to be stable.
const ITERATIONS: usize = 40;

/// Returns the rank of each file; `restart_weights` is the probability of restarting there, not normalized.
pub(super) fn ranks(
    restart_weights: &[f64],
    graph: &ReferenceGraph,
    defining_files: &DefiningFiles,
) -> Vec<f64> {
    let total: f64 = restart_weights.iter().sum();
    let start: Vec<f64> = restart_weights.iter().map(|start| start / total.max(1.0)).collect();
    let mut ranks = start.clone();
    for _ in 0..ITERATIONS {
        // The rank of files without references is redistributed.
        let sinks =
            ranks.iter().zip(&graph.total_weight).filter(|(_, total_weight)| **total_weight == 0.0);
        let dangling: f64 = sinks.map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> =
            start.iter().map(|start| (1.0 - DAMPING + DAMPING * dangling) * start).collect();
        for (slots, flow) in graph.defining_files.iter().zip(graph.flows(&ranks)) {
            for slot in slots.clone() {
                next[defining_files.file(slot) as usize] += DAMPING * flow;
            }
        }
        for (file, next) in next.iter_mut().enumerate() {
            *next += DAMPING * graph.rank_per_weight(&ranks, file) * graph.self_weight[file];
        }
        ranks = next;
    }
    ranks
}
