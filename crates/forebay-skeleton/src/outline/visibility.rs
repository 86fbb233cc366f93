//! Tells what is public, once it is known what stands in what.

use std::collections::HashSet;

use super::Outline;
use crate::kind::Kind;
use crate::language::{Facts, Language};

impl Outline {
    pub(crate) fn settle(&mut self, language: &Language, source: &str) {
        self.join(language.table.joined);
        for index in 0..self.items.len() {
            let parent = self.items[index].parent.map(|parent| &self.items[parent]);
            let parent = parent.map(|parent| (parent.kind, parent.public));
            let public = self.is_public(language, source, index, parent) && !self.is_hidden(index);
            let item = &mut self.items[index];
            item.public = public;
            item.kind = kind_in(item.kind, parent);
        }
        self.hide_with_their_types();
    }

    /// What is implemented for a type that nobody else sees is seen by nobody else.
    fn hide_with_their_types(&mut self) {
        let named = |public: bool| -> HashSet<String> {
            let types = self.items.iter().filter(|item| item.kind.is_implementable());
            types.filter(|item| item.public == public).map(|item| item.name.clone()).collect()
        };
        let (seen, hidden) = (named(true), named(false));
        for item in self.items.iter_mut().filter(|item| item.kind == Kind::Impl) {
            item.public &= !hidden.contains(&item.name) || seen.contains(&item.name);
        }
    }

    fn is_public(
        &self,
        language: &Language,
        source: &str,
        index: usize,
        parent: Option<(Kind, bool)>,
    ) -> bool {
        let item = &self.items[index];
        let mut names = std::iter::once(&item.name).chain(&item.more_names);
        (language.table.public)(&Facts {
            kind: item.kind,
            name: &item.name,
            before: source.get(item.range.start..item.name_start).unwrap_or_default(),
            exported: item.exported || names.any(|name| self.exported.contains(name)),
            file_exports: self.exports,
            section: self.section(index).map(|(_, public)| public),
            parent,
        })
    }

    /// Whether it is said in the same block that an item is private.
    fn is_hidden(&self, index: usize) -> bool {
        let item = &self.items[index];
        let block = item.parent.and_then(|parent| self.items[parent].members.as_ref());
        let is_here = |at: &usize| block.is_none_or(|block| block.contains(at));
        self.hidden.iter().any(|(at, name)| *name == item.name && is_here(at))
    }

    /// The last section mark in the same block: where it stands, and whether what follows is public.
    pub(crate) fn section(&self, index: usize) -> Option<(usize, bool)> {
        if self.sections.is_empty() {
            return None;
        }
        let item = &self.items[index];
        let parent = item.parent?;
        let members = self.items[parent].members.as_ref()?;
        let last = self.sections.partition_point(|(start, _)| *start <= item.range.start);
        // A mark further in says nothing here.
        let is_inner = |start: &usize| {
            let siblings = self.children(Some(parent));
            siblings.into_iter().any(|sibling| self.items[sibling].range.contains(start))
        };
        let own = self.sections[..last].iter().rev();
        let mut own = own.take_while(|(start, _)| members.contains(start));
        own.find(|(start, _)| !is_inner(start)).copied()
    }
}

/// A function in a type is its method.
fn kind_in(kind: Kind, parent: Option<(Kind, bool)>) -> Kind {
    match (kind, parent) {
        (Kind::Function, Some((parent, _))) if parent != Kind::Module => Kind::Method,
        _ => kind,
    }
}
