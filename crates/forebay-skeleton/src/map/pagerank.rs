//! PageRank.

use super::links::{Definers, Links};

const DAMPING: f64 = 0.85;
/// More rounds change no order that anybody sees.
const ROUNDS: usize = 40;

/// The rank of each file; `starts` says how likely a reader starts there.
pub(super) fn ranks(starts: &[f64], links: &Links, definers: &Definers) -> Vec<f64> {
    let total: f64 = starts.iter().sum();
    let start: Vec<f64> = starts.iter().map(|start| start / total.max(1.0)).collect();
    let mut ranks = start.clone();
    for _ in 0..ROUNDS {
        // What has no links starts over.
        let ends = ranks.iter().zip(&links.out).filter(|(_, out)| **out == 0.0);
        let lost: f64 = ends.map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> =
            start.iter().map(|start| (1.0 - DAMPING + DAMPING * lost) * start).collect();
        for (places, flow) in links.definers.iter().zip(links.flows(&ranks)) {
            for place in places.clone() {
                next[definers.file(place) as usize] += DAMPING * flow;
            }
        }
        for (file, next) in next.iter_mut().enumerate() {
            *next += DAMPING * links.share(&ranks, file) * links.own[file];
        }
        ranks = next;
    }
    ranks
}
