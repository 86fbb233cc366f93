//! Layout of a map: files with their definitions, members below their parent.

use super::symbol_index::{FileSymbols, IndexedDefinition, SymbolIndex};
use crate::symbol_kind::SymbolKind;

/// The sections of a map within a budget.
pub(super) struct Layout {
    bytes_left: usize,
    /// In the order in which files were chosen.
    pub(super) sections: Vec<Section>,
}

/// The chosen definitions of a file.
pub(super) struct Section {
    pub(super) file: usize,
    /// Positions in the file's definitions.
    pub(super) chosen: Vec<usize>,
}

/// The line above a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParentLine {
    /// The definition of its parent, by position.
    Definition(usize),
    /// Only the parent's name, if it is defined in another file or nested.
    Name(u32),
}

impl Layout {
    pub(super) fn with_budget(bytes: usize) -> Self {
        Self { bytes_left: bytes, sections: Vec::new() }
    }

    /// Adds a definition with its parent line; returns whether it fits.
    pub(super) fn add(
        &mut self,
        index: &SymbolIndex,
        file: usize,
        file_symbols: &FileSymbols,
        position: usize,
    ) -> bool {
        let section = self.sections.iter().position(|section| section.file == file);
        let chosen = section.map_or(&[][..], |section| &self.sections[section].chosen);
        if chosen.contains(&position) {
            return true;
        }
        let path_bytes = if section.is_some() { 0 } else { path_line(index, file_symbols).len() };
        let line_bytes = definition_line(index, &file_symbols.definitions[position]).len();
        let parent_line = parent_line(file_symbols, position);
        let has_parent_line = |parent_line: ParentLine| match parent_line {
            ParentLine::Definition(definition) => chosen.contains(&definition),
            ParentLine::Name(_) => chosen
                .iter()
                .any(|other| self::parent_line(file_symbols, *other) == Some(parent_line)),
        };
        let parent_line = parent_line.filter(|parent_line| !has_parent_line(*parent_line));
        let parent_bytes = parent_line
            .map_or(0, |parent_line| parent_text(index, file_symbols, parent_line).len());
        let Some(left) = self.bytes_left.checked_sub(path_bytes + parent_bytes + line_bytes) else {
            return false;
        };
        self.bytes_left = left;
        let section = section.unwrap_or_else(|| {
            self.sections.push(Section { file, chosen: Vec::new() });
            self.sections.len() - 1
        });
        let chosen = &mut self.sections[section].chosen;
        chosen.push(position);
        if let Some(ParentLine::Definition(definition)) = parent_line {
            chosen.push(definition);
        }
        true
    }
}

impl Section {
    /// Returns the path and the definitions in source order, members below their parent.
    pub(super) fn text(&self, index: &SymbolIndex, file_symbols: &FileSymbols) -> String {
        let mut order: Vec<(usize, usize)> = self
            .chosen
            .iter()
            .map(|position| (self.group(file_symbols, *position), *position))
            .collect();
        order.sort_unstable();
        let mut text = path_line(index, file_symbols);
        let mut last_group = None;
        for (group, position) in order {
            if let Some(parent_line @ ParentLine::Name(_)) = parent_line(file_symbols, position)
                && last_group != Some(group)
            {
                text.push_str(&parent_text(index, file_symbols, parent_line));
            }
            text.push_str(&definition_line(index, &file_symbols.definitions[position]));
            last_group = Some(group);
        }
        text
    }

    /// Returns the position by which a definition is sorted together with its group.
    fn group(&self, file_symbols: &FileSymbols, position: usize) -> usize {
        match parent_line(file_symbols, position) {
            None => position,
            Some(ParentLine::Definition(definition)) => definition,
            Some(parent_line) => {
                let same = self
                    .chosen
                    .iter()
                    .filter(|other| self::parent_line(file_symbols, **other) == Some(parent_line));
                same.min().copied().unwrap_or(position)
            }
        }
    }
}

fn parent_line(file_symbols: &FileSymbols, position: usize) -> Option<ParentLine> {
    let parent = file_symbols.definitions[position].parent?;
    let is_parent = |defined: &IndexedDefinition| {
        defined.name == parent && defined.parent.is_none() && holds_members(defined.kind)
    };
    let definition = file_symbols
        .definitions
        .iter()
        .position(is_parent)
        .filter(|definition| *definition != position);
    Some(definition.map_or(ParentLine::Name(parent), ParentLine::Definition))
}

fn holds_members(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constant | SymbolKind::Macro
    )
}

fn path_line(index: &SymbolIndex, file_symbols: &FileSymbols) -> String {
    format!("{}:\n", index.text(file_symbols.path))
}

fn parent_text(index: &SymbolIndex, file_symbols: &FileSymbols, parent_line: ParentLine) -> String {
    match parent_line {
        ParentLine::Definition(definition) => {
            definition_line(index, &file_symbols.definitions[definition])
        }
        ParentLine::Name(name) => format!("  {}\n", index.name(name)),
    }
}

fn definition_line(index: &SymbolIndex, defined: &IndexedDefinition) -> String {
    let indent = if defined.parent.is_some() { "    " } else { "  " };
    format!("{indent}{}  {}\n", index.text(defined.signature), defined.line)
}
