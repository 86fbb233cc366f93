//! The lines of a map: files with their definitions, members below what they belong to.

use super::names::{Defined, FileNames, RepositoryNames};
use crate::kind::Kind;

/// The sections of a map, as far as they fit.
pub(super) struct Layout {
    bytes_left: usize,
    /// In the order in which files were chosen.
    pub(super) sections: Vec<Section>,
}

/// What is shown of a file.
pub(super) struct Section {
    pub(super) file: usize,
    /// Positions among the file's definitions.
    pub(super) chosen: Vec<usize>,
}

/// What stands above a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// The definition of what it belongs to, by its position.
    Definition(usize),
    /// Only its name, which is defined elsewhere or further in.
    Name(u32),
}

impl Layout {
    pub(super) fn within(bytes: usize) -> Self {
        Self { bytes_left: bytes, sections: Vec::new() }
    }

    /// Adds a definition, with what it belongs to; says whether it fits.
    pub(super) fn add(
        &mut self,
        names: &RepositoryNames,
        file: usize,
        all: &FileNames,
        position: usize,
    ) -> bool {
        let known = self.sections.iter().position(|section| section.file == file);
        let chosen = known.map_or(&[][..], |section| &self.sections[section].chosen);
        if chosen.contains(&position) {
            return true;
        }
        let head = if known.is_some() { 0 } else { path_line(names, all).len() };
        let own = line(names, &all.definitions[position]).len();
        let lead = lead(all, position);
        let is_led = |lead: Lead| match lead {
            Lead::Definition(place) => chosen.contains(&place),
            Lead::Name(_) => chosen.iter().any(|other| self::lead(all, *other) == Some(lead)),
        };
        let lead = lead.filter(|lead| !is_led(*lead));
        let above = lead.map_or(0, |lead| lead_line(names, all, lead).len());
        let Some(left) = self.bytes_left.checked_sub(head + above + own) else { return false };
        self.bytes_left = left;
        let section = known.unwrap_or_else(|| {
            self.sections.push(Section { file, chosen: Vec::new() });
            self.sections.len() - 1
        });
        let chosen = &mut self.sections[section].chosen;
        chosen.push(position);
        if let Some(Lead::Definition(place)) = lead {
            chosen.push(place);
        }
        true
    }
}

impl Section {
    /// The path and the definitions in source order, members with what they belong to.
    pub(super) fn text(&self, names: &RepositoryNames, all: &FileNames) -> String {
        let mut order: Vec<(usize, usize)> =
            self.chosen.iter().map(|position| (self.group(all, *position), *position)).collect();
        order.sort_unstable();
        let mut text = path_line(names, all);
        let mut last_group = None;
        for (group, position) in order {
            if let Some(lead @ Lead::Name(_)) = lead(all, position)
                && last_group != Some(group)
            {
                text.push_str(&lead_line(names, all, lead));
            }
            text.push_str(&line(names, &all.definitions[position]));
            last_group = Some(group);
        }
        text
    }

    /// The position that a definition and all that go with it are sorted by.
    fn group(&self, all: &FileNames, position: usize) -> usize {
        match lead(all, position) {
            None => position,
            Some(Lead::Definition(place)) => place,
            Some(lead) => {
                let same =
                    self.chosen.iter().filter(|other| self::lead(all, **other) == Some(lead));
                same.min().copied().unwrap_or(position)
            }
        }
    }
}

fn lead(all: &FileNames, position: usize) -> Option<Lead> {
    let parent = all.definitions[position].parent?;
    let is_it = |defined: &Defined| {
        defined.name == parent && defined.parent.is_none() && holds_members(defined.kind)
    };
    let place = all.definitions.iter().position(is_it).filter(|place| *place != position);
    Some(place.map_or(Lead::Name(parent), Lead::Definition))
}

fn holds_members(kind: Kind) -> bool {
    !matches!(kind, Kind::Function | Kind::Method | Kind::Constant | Kind::Macro)
}

fn path_line(names: &RepositoryNames, all: &FileNames) -> String {
    format!("{}:\n", names.at(all.path))
}

fn lead_line(names: &RepositoryNames, all: &FileNames, lead: Lead) -> String {
    match lead {
        Lead::Definition(place) => line(names, &all.definitions[place]),
        Lead::Name(name) => format!("  {}\n", names.name(name)),
    }
}

fn line(names: &RepositoryNames, defined: &Defined) -> String {
    let indent = if defined.parent.is_some() { "    " } else { "  " };
    format!("{indent}{}  {}\n", names.at(defined.signature), defined.line)
}
