//! Computes which items are public, after nesting.

use std::collections::HashSet;

use super::Outline;
use crate::language::{Language, VisibilityContext};
use crate::symbol_kind::SymbolKind;

impl Outline {
    /// Merges adjacent items and computes the visibility of all.
    pub(crate) fn finish(&mut self, language: &Language, source: &str) {
        self.merge_adjacent(language.spec.merged_kinds);
        for index in 0..self.items.len() {
            let parent = self.items[index].parent.map(|parent| &self.items[parent]);
            let parent = parent.map(|parent| (parent.kind, parent.is_public));
            let is_public =
                self.is_public(language, source, index, parent) && !self.is_marked_private(index);
            let item = &mut self.items[index];
            item.is_public = is_public;
            item.kind = kind_within(item.kind, parent);
        }
        self.hide_impls_of_private_types();
    }

    /// Hides implementations for private types.
    fn hide_impls_of_private_types(&mut self) {
        let type_names = |is_public: bool| -> HashSet<String> {
            let types = self.items.iter().filter(|item| item.kind.is_implementable());
            types.filter(|item| item.is_public == is_public).map(|item| item.name.clone()).collect()
        };
        let (visible, hidden) = (type_names(true), type_names(false));
        for item in self.items.iter_mut().filter(|item| item.kind == SymbolKind::Impl) {
            item.is_public &= !hidden.contains(&item.name) || visible.contains(&item.name);
        }
    }

    fn is_public(
        &self,
        language: &Language,
        source: &str,
        index: usize,
        parent: Option<(SymbolKind, bool)>,
    ) -> bool {
        let item = &self.items[index];
        let mut names = std::iter::once(&item.name).chain(&item.more_names);
        (language.spec.is_public)(&VisibilityContext {
            kind: item.kind,
            name: &item.name,
            modifiers: source.get(item.range.start..item.name_start).unwrap_or_default(),
            is_exported: item.is_exported || names.any(|name| self.exported.contains(name)),
            file_has_exports: self.has_exports,
            section: self.section(index).map(|(_, is_public)| is_public),
            parent,
        })
    }

    /// Returns whether a statement of the same block makes the item private.
    fn is_marked_private(&self, index: usize) -> bool {
        let item = &self.items[index];
        let block = item.parent.and_then(|parent| self.items[parent].members.as_ref());
        let is_in_block = |at: &usize| block.is_none_or(|block| block.contains(at));
        self.hidden.iter().any(|(at, name)| *name == item.name && is_in_block(at))
    }

    /// Returns the last section label of the same block: its offset, and whether its members are public.
    pub(crate) fn section(&self, index: usize) -> Option<(usize, bool)> {
        if self.sections.is_empty() {
            return None;
        }
        let item = &self.items[index];
        let parent = item.parent?;
        let members = self.items[parent].members.as_ref()?;
        let last = self.sections.partition_point(|(start, _)| *start <= item.range.start);
        // Labels of inner blocks do not apply.
        let is_inner = |start: &usize| {
            let siblings = self.children(Some(parent));
            siblings.into_iter().any(|sibling| self.items[sibling].range.contains(start))
        };
        let marks = self.sections[..last].iter().rev();
        let mut marks = marks.take_while(|(start, _)| members.contains(start));
        marks.find(|(start, _)| !is_inner(start)).copied()
    }
}

/// A function within a type is a method.
fn kind_within(kind: SymbolKind, parent: Option<(SymbolKind, bool)>) -> SymbolKind {
    match (kind, parent) {
        (SymbolKind::Function, Some((parent, _))) if parent != SymbolKind::Module => {
            SymbolKind::Method
        }
        _ => kind,
    }
}
