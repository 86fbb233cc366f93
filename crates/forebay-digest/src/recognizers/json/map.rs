//! Maps from names to things alike (`packages` of a lock file): what all of them have is told once.

use std::collections::HashMap;

use super::shape::{ELSEWHERE, Field, NAMES, Shape, Spot};

/// An object with so many objects alike, and one more, is a map.
const THINGS: usize = 16;

/// Alike are things when so many percent of them have a key in common.
const IN_COMMON: usize = 60;

/// What is known of the keys of a map.
#[derive(Debug)]
pub(super) struct Map {
    /// All its things as one.
    pub(super) entry: Spot,
    pub(super) keys: u64,
    first: Vec<String>,
}

impl Map {
    fn add(&mut self, key: &str) {
        self.keys += 1;
        if self.first.iter().map(|name| name.len() + 2).sum::<usize>() < NAMES {
            self.first.push(key.to_owned());
        }
    }

    /// The first of its keys.
    pub(super) fn names(&self) -> String {
        let first: Vec<&str> =
            self.first.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let more = if self.keys > self.first.len() as u64 { ", …" } else { "" };
        format!("{}{more}", first.join(", "))
    }
}

impl Shape {
    /// Where the thing with this key goes, if the field is known to be a map.
    pub(super) fn map_entry(&mut self, of: Spot, key: &str) -> Option<Spot> {
        let map = self.fields[of.0].map.as_mut()?;
        map.add(key);
        Some(map.entry)
    }

    /// Whether an object that gets one more key is a map.
    pub(super) fn is_map(&self, of: Spot) -> bool {
        let field = &self.fields[of.0];
        field.order.len() == THINGS
            && field.objects <= 1
            && field.item.is_none()
            && self.has_things_alike(field)
    }

    fn has_things_alike(&self, field: &Field) -> bool {
        let mut having: HashMap<&str, usize> = HashMap::new();
        for thing in field.order.iter().map(|spot| &self.fields[spot.0]) {
            let is_object = thing.objects == 1 && thing.arrays == 0 && thing.values.count == 0;
            if !is_object || self.holds_map(thing) {
                return false;
            }
            thing.children.keys().for_each(|key| *having.entry(key).or_default() += 1);
        }
        having.values().any(|count| count * 100 >= field.order.len() * IN_COMMON)
    }

    /// Maps within things are left as they are.
    fn holds_map(&self, field: &Field) -> bool {
        field.map.is_some() || field.order.iter().any(|below| self.holds_map(&self.fields[below.0]))
    }

    /// Makes one of all the things an object has so far.
    pub(super) fn become_map(&mut self, of: Spot) {
        let things = std::mem::take(&mut self.fields[of.0].order);
        self.fields[of.0].children.clear();
        let dot = if self.fields[of.0].path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}*", self.fields[of.0].path);
        let entry = self.add(of, path, "*");
        // It is told by the map.
        self.fields[of.0].order.clear();
        let mut map = Map { entry, keys: 0, first: Vec::new() };
        for thing in things {
            map.add(&std::mem::take(&mut self.fields[thing.0].key));
            self.merge(thing, entry);
        }
        self.fields[of.0].map = Some(map);
    }

    /// Moves all that is known of one field, and of those below it, to another.
    fn merge(&mut self, from: Spot, into: Spot) {
        if into == ELSEWHERE {
            return;
        }
        let from = std::mem::take(&mut self.fields[from.0]);
        let field = &mut self.fields[into.0];
        field.values.merge(&from.values);
        field.nulls += from.nulls;
        field.objects += from.objects;
        field.arrays += from.arrays;
        field.lengths.merge(from.lengths);
        field.more += from.more;
        for child in from.order.iter().copied().filter(|child| Some(*child) != from.item) {
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
    use super::super::Reader;
    use super::*;
    use crate::recognizers::{Quotes, Report};

    #[track_caller]
    fn told(json: &str) -> String {
        let (mut reader, mut shape) = (Reader::new(), Shape::new());
        reader.read(json, &mut shape);
        assert!(!reader.broken && !reader.is_open(), "{json}");
        let mut report = Report::of(shape.headline(), Quotes::Nothing);
        shape.tell(&mut report, 5);
        report.within(2_000)
    }

    #[test]
    fn things_alike_are_told_once() {
        let things: Vec<String> = (0..40)
            .map(|number| {
                let extra = if number % 4 == 0 { r#", "dev": true"# } else { "" };
                let list = if number == 3 { r#", "os": ["linux", "mac"]"# } else { "" };
                format!(r#""thing-{number}": {{"size": {number}, "kind": {{"name": "k{}"}}{extra}{list}}}"#, number % 2)
            })
            .collect();
        insta::assert_snapshot!(told(&format!(r#"{{"all": {{{}}}, "end": 1}}"#, things.join(", "))), @r"
        object with 2 keys: all, end
        all: map of 40 keys, alike: thing-0, thing-1, thing-2, thing-3, thing-4, thing-5, thing-6, thing-7, thing-8, thing-9, thing-10, thing-11, thing-12, thing-13, thing-14, thing-15, thing-16, …
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
    fn few_things_or_things_of_many_kinds_are_named() {
        let record = |number: u32| format!(r#""f{number}": {{"k{number}": {number}}}"#);
        let records = |count| (0..count).map(record).collect::<Vec<_>>().join(", ");
        assert!(!told(&format!("{{{}}}", records(30))).contains("map of"));
        let few: Vec<String> =
            (0..THINGS).map(|number| format!(r#""f{number}": {{"k": 1}}"#)).collect();
        assert!(!told(&format!("{{{}}}", few.join(", "))).contains("map of"));
    }
}
