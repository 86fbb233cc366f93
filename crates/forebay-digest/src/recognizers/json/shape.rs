//! The shape of JSON data: which fields there are, how often, and what values they have.

use std::collections::HashMap;

use forebay_text::cut;
use forebay_text::number::{counted, grouped};

use super::map::Map;
use crate::recognizers::Report;
use crate::tally::{Fast, Range, Values};

/// Fields beyond so many are read and not told apart.
const FIELDS: usize = 1_500;

/// Likewise within one object, which then is a map rather than a record.
const FIELDS_OF_ONE: usize = 80;

/// A field of the data; all items of an array are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::recognizers) struct Spot(pub(super) usize);

/// Where fields go that are not told apart.
pub(super) const ELSEWHERE: Spot = Spot(0);
const ROOT: Spot = Spot(1);

#[derive(Debug, Default)]
pub(super) struct Field {
    pub(super) path: String,
    /// The last part of the path.
    pub(super) key: String,
    pub(super) depth: usize,
    /// Among the children of its parent.
    pub(super) place: usize,
    pub(super) children: HashMap<String, Spot, Fast>,
    pub(super) order: Vec<Spot>,
    /// Records alike have their keys in the same order, so this child is looked at first.
    pub(super) next: usize,
    pub(super) more: u64,
    pub(super) item: Option<Spot>,
    pub(super) map: Option<Map>,
    pub(super) values: Values,
    pub(super) nulls: u64,
    pub(super) objects: u64,
    pub(super) arrays: u64,
    pub(super) lengths: Range,
}

#[derive(Debug)]
pub(in crate::recognizers) struct Shape {
    pub(super) fields: Vec<Field>,
}

impl Shape {
    pub(in crate::recognizers) fn new() -> Self {
        Self { fields: vec![Field::default(), Field::default()] }
    }

    pub(in crate::recognizers) fn root(&mut self) -> Spot {
        ROOT
    }

    pub(in crate::recognizers) fn child(&mut self, of: Spot, key: &str) -> Spot {
        if of == ELSEWHERE {
            return ELSEWHERE;
        }
        let next = self.fields[of.0].next;
        if let Some(entry) = self.map_entry(of, key) {
            return entry;
        }
        if let Some(spot) = self.fields[of.0].order.get(next).copied()
            && self.fields[of.0].item != Some(spot)
            && self.fields[spot.0].key == key
        {
            self.fields[of.0].next = next + 1;
            return spot;
        }
        if let Some(spot) = self.fields[of.0].children.get(key).copied() {
            let at = self.fields[spot.0].place;
            self.fields[of.0].next = at + 1;
            return spot;
        }
        if self.is_map(of) {
            self.become_map(of);
            return self.map_entry(of, key).unwrap_or(ELSEWHERE);
        }
        let parent = &mut self.fields[of.0];
        if parent.children.len() >= FIELDS_OF_ONE {
            parent.more += 1;
            return ELSEWHERE;
        }
        let dot = if parent.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", parent.path, cut::prefix(key, 60));
        let spot = self.add(of, path, key);
        let parent = &mut self.fields[of.0];
        if spot == ELSEWHERE {
            parent.more += 1;
        } else {
            parent.children.insert(key.to_owned(), spot);
        }
        spot
    }

    pub(in crate::recognizers) fn item(&mut self, of: Spot) -> Spot {
        if of == ELSEWHERE {
            return ELSEWHERE;
        }
        if let Some(spot) = self.fields[of.0].item {
            return spot;
        }
        let path = format!("{}[]", self.fields[of.0].path);
        let spot = self.add(of, path, "");
        self.fields[of.0].item = Some(spot);
        spot
    }

    pub(in crate::recognizers) fn container(&mut self, spot: Spot, is_object: bool) {
        let field = &mut self.fields[spot.0];
        *(if is_object { &mut field.objects } else { &mut field.arrays }) += 1;
    }

    pub(in crate::recognizers) fn closed(&mut self, spot: Spot, is_object: bool, items: u64) {
        if !is_object {
            self.fields[spot.0].lengths.add(items as f64);
        }
    }

    pub(in crate::recognizers) fn string(&mut self, spot: Spot, text: &str) {
        if spot != ELSEWHERE {
            self.fields[spot.0].values.add_text(text);
        }
    }

    pub(in crate::recognizers) fn scalar(&mut self, spot: Spot, text: &str) {
        if spot == ELSEWHERE {
            return;
        }
        let field = &mut self.fields[spot.0];
        if text == "null" { field.nulls += 1 } else { field.values.add(text) }
    }

    /// `array of 120 objects`, `object with 5 keys`.
    pub(in crate::recognizers) fn headline(&self) -> String {
        let root = &self.fields[ROOT.0];
        if let (1, Some(items)) = (root.arrays, root.item) {
            let count = root.lengths.most as u64;
            let items = &self.fields[items.0];
            let noun = match () {
                () if items.objects == count => "object",
                () if items.arrays == count => "array",
                () => "item",
            };
            return format!("array of {}", counted(count, noun));
        }
        match root.objects {
            0 | 1 => {
                format!("object with {}: {}", counted(self.keys(root), "key"), self.key_names(root))
            }
            many => format!("{} with {}", counted(many, "object"), counted(self.keys(root), "key")),
        }
    }

    /// `5 keys: a, b, c`, of all that is at the top.
    pub(in crate::recognizers) fn keys_said(&self) -> String {
        let root = &self.fields[ROOT.0];
        format!("{}: {}", counted(self.keys(root), "key"), self.key_names(root))
    }

    /// One fact a field, the outer ones first.
    pub(in crate::recognizers) fn tell(&self, report: &mut Report, most: usize) {
        self.tell_below(ROOT, report, most);
    }

    fn tell_below(&self, spot: Spot, report: &mut Report, most: usize) {
        let field = &self.fields[spot.0];
        if spot != ROOT || field.values.count > 0 {
            self.tell_one(field, report, most);
        }
        // Where each key is the name of a thing, two of them show how all are.
        let shown = if field.order.len() > RECORD { 2 } else { field.order.len() };
        for child in &field.order[..shown] {
            self.tell_below(*child, report, most);
        }
        if let Some(map) = &field.map {
            self.tell_below(map.entry, report, most);
        }
    }

    fn tell_one(&self, field: &Field, report: &mut Report, most: usize) {
        let mut said = Vec::new();
        let is_name = IDENTITY.contains(&field.key.as_str());
        if let Some(value) = field.values.only() {
            said.push(cut::one_line(value, 80));
        } else if is_name
            && field.values.kind() == "text"
            && field.values.texts().distinct() > 2 * most
        {
            let distinct = field.values.texts().distinct_said();
            said.push(format!("{distinct} distinct: {}", field.values.names(NAMES)));
        } else if field.values.count > 0 {
            said.push(field.values.describe(most));
        }
        if field.arrays > 0 {
            let times = if field.arrays > 1 {
                format!("{} arrays of ", grouped(field.arrays))
            } else {
                "array of ".to_owned()
            };
            said.push(format!("{times}{}", field.lengths.show()));
        }
        if let Some(map) = &field.map {
            said.push(format!("map of {}, alike: {}", counted(map.keys, "key"), map.names()));
        } else if field.objects > 0 && !field.children.is_empty() {
            said.push(format!("{}: {}", counted(self.keys(field), "key"), self.key_names(field)));
        }
        if field.nulls > 0 {
            said.push(format!("{} null", grouped(field.nulls)));
        }
        if !said.is_empty() {
            report.add(weight(field), format!("{}: {}", field.path, said.join(", ")));
        }
    }

    fn keys(&self, field: &Field) -> u64 {
        let in_map = field.map.as_ref().map_or(0, |map| map.keys);
        field.children.len() as u64 + field.more + in_map
    }

    fn key_names(&self, field: &Field) -> String {
        if let Some(map) = &field.map {
            return map.names();
        }
        let keys = field.order.iter().filter(|spot| Some(**spot) != field.item);
        let names: Vec<&str> = keys.take(12).map(|spot| self.fields[spot.0].key.as_str()).collect();
        let more = if self.keys(field) > 12 { ", …" } else { "" };
        format!("{}{more}", names.join(", "))
    }

    pub(super) fn add(&mut self, of: Spot, path: String, key: &str) -> Spot {
        if self.fields.len() >= FIELDS {
            return ELSEWHERE;
        }
        let spot = Spot(self.fields.len());
        let depth = self.fields[of.0].depth + usize::from(!path.ends_with("[]"));
        let place = self.fields[of.0].order.len();
        self.fields.push(Field { path, key: key.to_owned(), depth, place, ..Field::default() });
        self.fields[of.0].order.push(spot);
        spot
    }
}

/// Names by which people and later steps refer to a thing.
const IDENTITY: &[&str] = &[
    "id", "name", "key", "title", "status", "state", "level", "type", "version", "total", "count",
    "error", "message",
];

/// Names of the field that says how bad a thing is.
const SEVERITY: &[&str] = &["level", "severity", "lvl"];

/// An object with more fields is a map from names to things.
const RECORD: usize = 40;

/// So many bytes of names are listed.
pub(super) const NAMES: usize = 160;

fn weight(field: &Field) -> u32 {
    let name = field.key.as_str();
    let identity: u32 = if IDENTITY.contains(&name) { 8 } else { 0 };
    // Which keys there are says more than what one of them holds.
    let many = field.children.len() > 1 || field.map.is_some();
    let keys = if field.objects > 0 && many { 14 } else { 0 };
    // A choice among few values, or a span of time, says more than values that are all different.
    let choice = if field.values.is_choice() || field.values.kind() == "date" { 6 } else { 0 };
    // How bad it was is what a log is read for.
    let severity: u32 = if SEVERITY.contains(&name) { 20 } else { 0 };
    (70 + identity + keys + choice + severity).saturating_sub(12 * field.depth as u32)
}
