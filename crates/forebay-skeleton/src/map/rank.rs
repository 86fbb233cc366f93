//! PageRank.

use super::links::{Definers, Links, OWN};

const DAMPING: f64 = 0.85;
/// More rounds change no order that anybody sees.
const ROUNDS: usize = 40;

/// The rank of each file; `starts` says how likely a reader starts there.
pub(super) fn ranks(starts: &[f64], links: &Links, definers: &Definers) -> Vec<f64> {
    let total: f64 = starts.iter().sum();
    let start: Vec<f64> = starts.iter().map(|start| start / total.max(1.0)).collect();
    let mut ranks = start.clone();
    let mut flows = vec![0.0; definers.names()];
    for _ in 0..ROUNDS {
        // What has no links starts over.
        let ends = ranks.iter().zip(&links.out).filter(|(_, out)| **out == 0.0);
        let lost: f64 = ends.map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> =
            start.iter().map(|start| (1.0 - DAMPING + DAMPING * lost) * start).collect();
        links.flows(&ranks, &mut flows);
        for (name, flow) in flows.iter().enumerate().filter(|(_, flow)| **flow > 0.0) {
            for place in definers.places(name as u32) {
                next[definers.file(place) as usize] += DAMPING * flow;
            }
        }
        for (file, next) in next.iter_mut().enumerate() {
            *next -= DAMPING * (1.0 - OWN) * links.share(&ranks, file) * links.own[file];
        }
        ranks = next;
    }
    ranks
}
