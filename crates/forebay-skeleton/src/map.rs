//! A map of a repository: the definitions that the rest of it leans on most, within a budget.
//!
//! Files are linked where one uses a name that the other defines; PageRank over these links says
//! which files matter, and a file's rank flows on to the definitions that are used.

mod links;
mod rank;
mod tags;

use std::collections::BTreeMap;

use forebay_domain::tokens;

pub use tags::{Definition, Tags};

use links::{Link, links};

/// A file of the repository with what it defines and uses.
#[derive(Debug, Clone, Copy)]
pub struct MapFile<'a> {
    pub path: &'a str,
    pub tags: &'a Tags,
}

/// What the map is for.
#[derive(Debug, Clone, Copy, Default)]
pub struct MapOptions<'a> {
    /// Tokens that the map may cost.
    pub budget: u64,
    /// Files under work: what they use counts most, and they are not shown themselves.
    pub focus: &'a [&'a str],
    /// Names that were spoken of.
    pub mentioned: &'a [&'a str],
}

/// A map, and how much of the repository it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryMap {
    pub text: String,
    pub files: usize,
    pub definitions: usize,
    /// Files that have definitions and are not shown, the focus not counted.
    pub files_left_out: usize,
    /// Files by rank, highest first, also those not shown.
    pub ranked: Vec<String>,
}

/// The map of these files; the same for the same files in any order.
pub fn map(files: &[MapFile<'_>], options: MapOptions<'_>) -> RepositoryMap {
    let mut files = files.to_vec();
    files.sort_by_key(|file| file.path);
    let links = links(&files, &options);
    let ranks = rank::ranks(&files, &links, &options);
    let scored = scored(&files, &links, &ranks, &options);
    let chosen = chosen(&files, &scored, &options);
    let mut by_rank: Vec<usize> = (0..files.len()).collect();
    by_rank.sort_by(|one, other| ranks[*other].total_cmp(&ranks[*one]).then(one.cmp(other)));
    let is_shown = |index: &usize| chosen.iter().any(|(shown, _)| shown == index);
    let could_be = |index: &usize| is_candidate(&files[*index], &options);
    RepositoryMap {
        text: chosen.iter().map(|(index, lines)| section(&files[*index], lines)).collect(),
        files: chosen.len(),
        definitions: chosen.iter().map(|(_, lines)| lines.len()).sum(),
        files_left_out: (0..files.len()).filter(could_be).filter(|index| !is_shown(index)).count(),
        ranked: by_rank.into_iter().map(|index| files[index].path.to_owned()).collect(),
    }
}

/// A definition's place: file and position in its list.
type Place = (usize, usize);

fn is_candidate(file: &MapFile<'_>, options: &MapOptions<'_>) -> bool {
    !file.tags.definitions.is_empty() && !options.focus.contains(&file.path)
}

/// Definitions by what flows to them, highest first; those that nobody uses follow, by file.
///
/// What was spoken of comes before all.
fn scored(
    files: &[MapFile<'_>],
    links: &[Link<'_>],
    ranks: &[f64],
    options: &MapOptions<'_>,
) -> Vec<Place> {
    let mut out = vec![0.0; files.len()];
    for link in links {
        out[link.from] += link.weight;
    }
    let mut scores: BTreeMap<(usize, &str), f64> = BTreeMap::new();
    for link in links.iter().filter(|link| link.from != link.to) {
        let share = ranks[link.from] * link.weight / out[link.from];
        *scores.entry((link.to, link.name)).or_default() += share;
    }
    let mut places: Vec<((bool, bool), f64, Place)> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        for (position, definition) in file.tags.definitions.iter().enumerate() {
            let score = scores.get(&(index, definition.name.as_str())).copied();
            let unused = ranks[index] / 1_000.0;
            let first = options.mentioned.contains(&definition.name.as_str());
            places.push(((first, definition.public), score.unwrap_or(unused), (index, position)));
        }
    }
    places.sort_by(|one, other| {
        let by_score = other.1.total_cmp(&one.1).then(other.0.cmp(&one.0));
        other.0.0.cmp(&one.0.0).then(by_score).then(one.2.cmp(&other.2))
    });
    places.into_iter().map(|(_, _, place)| place).collect()
}

/// After so many definitions that no longer fit, none is tried.
const MOST_MISSES: usize = 64;

/// The definitions that fit the budget: files by their best one, each in source order.
fn chosen(
    files: &[MapFile<'_>],
    scored: &[Place],
    options: &MapOptions<'_>,
) -> Vec<(usize, Vec<usize>)> {
    let mut left = tokens::to_bytes(options.budget);
    let mut chosen: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut order = Vec::new();
    let mut misses = 0;
    for (index, position) in scored {
        let file = &files[*index];
        if !is_candidate(file, options) {
            continue;
        }
        let is_new = !chosen.contains_key(index);
        let head = if is_new { file.path.len() + 2 } else { 0 };
        let cost = head + line(&file.tags.definitions[*position]).len();
        if cost > left {
            misses += 1;
            if misses > MOST_MISSES {
                break;
            }
            continue;
        }
        left -= cost;
        if is_new {
            order.push(*index);
        }
        chosen.entry(*index).or_default().push(*position);
    }
    order
        .into_iter()
        .filter_map(|index| {
            let mut positions = chosen.remove(&index)?;
            positions.sort_unstable();
            Some((index, positions))
        })
        .collect()
}

fn section(file: &MapFile<'_>, positions: &[usize]) -> String {
    let lines = positions.iter().map(|position| line(&file.tags.definitions[*position]));
    format!("{}:\n{}", file.path, lines.collect::<String>())
}

fn line(definition: &Definition) -> String {
    let indent = if definition.parent.is_some() { "    " } else { "  " };
    format!("{indent}{}  {}\n", definition.signature, definition.line)
}

#[cfg(test)]
mod tests;
