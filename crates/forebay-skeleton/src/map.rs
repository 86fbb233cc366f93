//! A map of a repository: the definitions that the rest of it leans on most, within a budget.
//!
//! Files are linked where one uses a name that the other defines; PageRank over these links says
//! which files matter, and a file's rank flows on to the definitions that are used.

mod layout;
mod links;
mod names;
mod packed;
mod rank;
mod tags;
mod words;

use std::cmp::Ordering;
use std::collections::HashSet;

use forebay_domain::tokens;

pub use names::RepositoryNames;
pub use tags::{Definition, Tags};

use layout::{Layout, Section};
use links::{Definers, Links};
use names::FileNames;

/// What the map is for.
#[derive(Debug, Clone, Copy, Default)]
pub struct MapOptions<'a> {
    /// Tokens that the map may cost.
    pub budget: u64,
    /// Files whose text is at hand: what they use counts most, and they are not shown themselves.
    pub focus: &'a [&'a str],
    /// Files that were looked at: readers start there.
    pub touched: &'a [&'a str],
    /// Names that were spoken of; they come first.
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
pub fn map(names: &RepositoryNames, options: MapOptions<'_>) -> RepositoryMap {
    let survey = Survey::of(names, &options);
    let ranks = rank::ranks(&survey.starts, &survey.links, &survey.definers);
    let best = survey.best(&ranks, &options);
    let chosen = survey.chosen(&best, &options);
    let mut by_rank: Vec<usize> = (0..survey.files.len()).collect();
    by_rank.sort_by(|one, other| ranks[*other].total_cmp(&ranks[*one]).then(one.cmp(other)));
    let shown: HashSet<usize> = chosen.iter().map(|section| section.file).collect();
    let left_out = (0..survey.files.len())
        .filter(|index| survey.is_candidate(*index) && !shown.contains(index));
    RepositoryMap {
        text: chosen
            .iter()
            .map(|section| section.text(names, survey.files[section.file]))
            .collect(),
        files: chosen.len(),
        definitions: chosen.iter().map(|section| section.chosen.len()).sum(),
        files_left_out: left_out.count(),
        ranked: by_rank.into_iter().map(|index| survey.path(index).to_owned()).collect(),
    }
}

/// The files in order of paths, with how they hang together.
struct Survey<'a> {
    names: &'a RepositoryNames,
    files: Vec<&'a FileNames>,
    focus: Vec<bool>,
    starts: Vec<f64>,
    definers: Definers,
    links: Links,
}

/// A definition's place: file and position in its list.
type Place = (usize, usize);

/// A definition with what speaks for it.
struct Scored {
    is_mentioned: bool,
    score: f64,
    is_public: bool,
    place: Place,
}

/// After so many definitions that no longer fit, none is tried.
const MOST_MISSES: usize = 64;
/// No line of a map is shorter, so no more of them fit.
const SHORTEST_LINE: usize = 8;

impl<'a> Survey<'a> {
    fn of(names: &'a RepositoryNames, options: &MapOptions<'_>) -> Self {
        let mut files: Vec<&FileNames> = names.files.iter().collect();
        files.sort_by_key(|file| names.at(file.path));
        let focused: HashSet<&str> = options.focus.iter().copied().collect();
        let touched: HashSet<&str> = options.touched.iter().copied().collect();
        let is_in = |set: &HashSet<&str>, file: &&FileNames| set.contains(names.at(file.path));
        let focus: Vec<bool> = files.iter().map(|file| is_in(&focused, file)).collect();
        let starts = files.iter().map(|file| match () {
            () if is_in(&focused, file) => 100.0,
            () if is_in(&touched, file) => 25.0,
            () => 1.0,
        });
        let starts = starts.collect();
        let definers = Definers::of(names, &files, options);
        let links = Links::of(&files, &definers, &focus);
        Self { names, files, focus, starts, definers, links }
    }

    fn path(&self, index: usize) -> &'a str {
        self.names.at(self.files[index].path)
    }

    fn is_candidate(&self, index: usize) -> bool {
        !self.files[index].definitions.is_empty() && !self.focus[index]
    }

    /// Definitions by what flows to them, highest first, as many as could fit; those that nobody uses
    /// follow, by file. What was spoken of comes before all.
    fn best(&self, ranks: &[f64], options: &MapOptions<'_>) -> Vec<Place> {
        let flows = self.flows(ranks);
        let mentioned: HashSet<&str> = options.mentioned.iter().copied().collect();
        let mut all: Vec<Scored> = Vec::new();
        for index in (0..self.files.len()).filter(|index| self.is_candidate(*index)) {
            for (position, defined) in self.files[index].definitions.iter().enumerate() {
                let place = self.definers.place(defined.name, index as u32);
                let flow = place.map_or(0.0, |place| flows[place]);
                let name = self.names.name(defined.name);
                all.push(Scored {
                    is_mentioned: !mentioned.is_empty() && mentioned.contains(name),
                    score: links::weight(self.names, defined)
                        * if flow > 0.0 { flow } else { ranks[index] / 1_000.0 },
                    is_public: defined.public,
                    place: (index, position),
                });
            }
        }
        let most = tokens::to_bytes(options.budget) / SHORTEST_LINE + 2 * MOST_MISSES;
        if all.len() > most {
            all.select_nth_unstable_by(most, Scored::order);
            all.truncate(most);
        }
        all.sort_unstable_by(Scored::order);
        all.into_iter().map(|scored| scored.place).collect()
    }

    /// What flows to each name of each definer from other files.
    fn flows(&self, ranks: &[f64]) -> Vec<f64> {
        let mut flows = vec![0.0; self.definers.len()];
        for (places, flow) in self.links.definers.iter().zip(self.links.flows(ranks)) {
            flows[places.clone()].fill(flow);
        }
        for file in 0..self.files.len() {
            for (name, flow) in self.links.flows_from(ranks, file) {
                let places = self.links.definers[name].clone();
                if let Some(place) = self.definers.place_among(places, file as u32) {
                    flows[place] -= flow;
                }
            }
        }
        flows
    }

    /// The definitions that fit the budget: files by their best one.
    fn chosen(&self, best: &[Place], options: &MapOptions<'_>) -> Vec<Section> {
        let mut layout = Layout::within(tokens::to_bytes(options.budget));
        let mut misses = 0;
        for (index, position) in best {
            if !layout.add(self.names, *index, self.files[*index], *position) {
                misses += 1;
            }
            if misses > MOST_MISSES {
                break;
            }
        }
        layout.sections
    }
}

impl Scored {
    fn order(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        let by_mention = other.is_mentioned.cmp(&self.is_mentioned);
        let by_place = self.place.cmp(&other.place);
        by_mention.then(by_score).then(other.is_public.cmp(&self.is_public)).then(by_place)
    }
}

#[cfg(test)]
mod tests;
