//! PageRank.

use super::links::Link;
use super::{MapFile, MapOptions};

const DAMPING: f64 = 0.85;
/// More rounds change no order that anybody sees.
const ROUNDS: usize = 40;

/// The rank of each file; the focus is where readers start.
pub(super) fn ranks(
    files: &[MapFile<'_>],
    links: &[Link<'_>],
    options: &MapOptions<'_>,
) -> Vec<f64> {
    let start = starts(files, options);
    let mut out = vec![0.0; files.len()];
    for link in links {
        out[link.from] += link.weight;
    }
    let mut ranks = start.clone();
    for _ in 0..ROUNDS {
        // What has no links starts over.
        let lost: f64 =
            ranks.iter().zip(&out).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> =
            start.iter().map(|start| (1.0 - DAMPING + DAMPING * lost) * start).collect();
        for link in links {
            next[link.to] += DAMPING * ranks[link.from] * link.weight / out[link.from];
        }
        ranks = next;
    }
    ranks
}

fn starts(files: &[MapFile<'_>], options: &MapOptions<'_>) -> Vec<f64> {
    let weight = |file: &MapFile<'_>| if options.focus.contains(&file.path) { 100.0 } else { 1.0 };
    let weights: Vec<f64> = files.iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total.max(1.0)).collect()
}
