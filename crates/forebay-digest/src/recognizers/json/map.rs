//! Maps from names to similar objects (`packages` of a lock file), described once for all entries.

use super::shape::{Field, FieldId, MAX_NAME_LIST_BYTES, OVERFLOW, Shape};
use crate::hash::HashMap;

/// An object with more than this many similar objects is a map.
const MIN_MAP_ENTRIES: usize = 16;

/// Objects are similar if at least this percentage of them shares a key.
const MIN_SHARED_KEY_PERCENT: usize = 60;

/// The entries of a map.
#[derive(Debug)]
pub(super) struct Map {
    /// All values merged into one field.
    pub(super) entry: FieldId,
    pub(super) keys: u64,
    first: Vec<String>,
}

impl Map {
    fn add(&mut self, key: &str) {
        self.keys += 1;
        if self.first.iter().map(|name| name.len() + 2).sum::<usize>() < MAX_NAME_LIST_BYTES {
            self.first.push(key.to_owned());
        }
    }

    /// Lists the first keys.
    pub(super) fn names(&self) -> String {
        let first: Vec<&str> =
            self.first.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let more = if self.keys > self.first.len() as u64 { ", …" } else { "" };
        format!("{}{more}", first.join(", "))
    }
}

impl Shape {
    /// Returns the field for the value of this key if the parent is a map.
    pub(super) fn map_entry(&mut self, parent: FieldId, key: &str) -> Option<FieldId> {
        let map = self.fields[parent.0].map.as_mut()?;
        map.add(key);
        Some(map.entry)
    }

    /// Returns true if an object that gets one more key becomes a map.
    pub(super) fn becomes_map(&self, parent: FieldId) -> bool {
        let field = &self.fields[parent.0];
        field.child_order.len() == MIN_MAP_ENTRIES
            && field.objects <= 1
            && field.item.is_none()
            && self.has_similar_values(field)
    }

    fn has_similar_values(&self, field: &Field) -> bool {
        let mut key_counts: HashMap<&str, usize> = HashMap::default();
        for value in field.child_order.iter().map(|field_id| &self.fields[field_id.0]) {
            let is_object = value.objects == 1 && value.arrays == 0 && value.values.count == 0;
            if !is_object || self.holds_map(value) {
                return false;
            }
            value.children.keys().for_each(|key| *key_counts.entry(key).or_default() += 1);
        }
        key_counts
            .values()
            .any(|count| count * 100 >= field.child_order.len() * MIN_SHARED_KEY_PERCENT)
    }

    /// Returns true if the field contains a map; nested maps are left as they are.
    fn holds_map(&self, field: &Field) -> bool {
        field.map.is_some()
            || field.child_order.iter().any(|below| self.holds_map(&self.fields[below.0]))
    }

    /// Merges all children of an object into one entry.
    pub(super) fn convert_to_map(&mut self, parent: FieldId) {
        let values = std::mem::take(&mut self.fields[parent.0].child_order);
        self.fields[parent.0].children.clear();
        let dot = if self.fields[parent.0].path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}*", self.fields[parent.0].path);
        let entry = self.add(parent, path, "*");
        // The entry is reported through the map.
        self.fields[parent.0].child_order.clear();
        let mut map = Map { entry, keys: 0, first: Vec::new() };
        for value in values {
            map.add(&std::mem::take(&mut self.fields[value.0].key));
            self.merge(value, entry);
        }
        self.fields[parent.0].map = Some(map);
    }

    /// Merges a field and its descendants into another field.
    fn merge(&mut self, from: FieldId, into: FieldId) {
        if into == OVERFLOW {
            return;
        }
        let from = std::mem::take(&mut self.fields[from.0]);
        let field = &mut self.fields[into.0];
        field.values.merge(&from.values);
        field.nulls += from.nulls;
        field.objects += from.objects;
        field.arrays += from.arrays;
        field.lengths.merge(from.lengths);
        field.untracked += from.untracked;
        for child in from.child_order.iter().copied().filter(|child| Some(*child) != from.item) {
            let key = std::mem::take(&mut self.fields[child.0].key);
            let target = self.child(into, &key);
            self.merge(child, target);
        }
        if let Some(item) = from.item {
            let target = self.item(into);
            self.merge(item, target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::JsonReader;
    use super::*;
    use crate::recognizers::{Quotes, Report};

    #[track_caller]
    fn described(json: &str) -> String {
        let (mut reader, mut shape) = (JsonReader::new(), Shape::new());
        reader.read(json, &mut shape);
        assert!(!reader.is_invalid && !reader.is_open(), "{json}");
        let mut report = Report::with_summary(shape.summary(), Quotes::None);
        shape.add_facts(&mut report, 5);
        report.facts_within(2_000).text
    }

    #[test]
    fn summarizes_similar_entries_once() {
        let values: Vec<String> = (0..40)
            .map(|number| {
                let extra = if number % 4 == 0 { r#", "dev": true"# } else { "" };
                let list = if number == 3 { r#", "os": ["linux", "mac"]"# } else { "" };
                format!(r#""thing-{number}": {{"size": {number}, "kind": {{"name": "k{}"}}{extra}{list}}}"#, number % 2)
            })
            .collect();
        insta::assert_snapshot!(described(&format!(r#"{{"all": {{{}}}, "end": 1}}"#, values.join(", "))), @r"
        object with 2 keys: all, end
        all: map of 40 keys to similar objects: thing-0, thing-1, thing-2, thing-3, thing-4, thing-5, thing-6, thing-7, thing-8, thing-9, thing-10, thing-11, thing-12, thing-13, thing-14, thing-15, thing-16, …
        all.*: 4 keys: size, kind, dev, os
        all.*.size: int 0..39, mean 19.5
        all.*.kind: 1 key: name
        all.*.kind.name: text k0: 20, k1: 20
        all.*.dev: text true: 10
        all.*.os: array of 2
        all.*.os[]: text, 2 distinct: linux … mac
        end: 1
        ");
    }

    #[test]
    fn does_not_summarize_few_or_dissimilar_entries() {
        let record = |number: u32| format!(r#""f{number}": {{"k{number}": {number}}}"#);
        let records = |count| (0..count).map(record).collect::<Vec<_>>().join(", ");
        assert!(!described(&format!("{{{}}}", records(30))).contains("map of"));
        let few: Vec<String> =
            (0..MIN_MAP_ENTRIES).map(|number| format!(r#""f{number}": {{"k": 1}}"#)).collect();
        assert!(!described(&format!("{{{}}}", few.join(", "))).contains("map of"));
    }
}
