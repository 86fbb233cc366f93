//! The shape of JSON data: which fields there are, how often, and what values they have.

use std::collections::HashMap;

use forebay_domain::text::cut;
use forebay_domain::text::number::{counted, grouped};

use crate::recognizers::Report;
use crate::tally::{Fast, Range, Values};

/// Fields beyond so many are read and not told apart.
const FIELDS: usize = 1_500;

/// Likewise within one object, which then is a map rather than a record.
const FIELDS_OF_ONE: usize = 80;

/// A field of the data; all items of an array are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::recognizers) struct Spot(usize);

/// Where fields go that are not told apart.
const ELSEWHERE: Spot = Spot(0);
const ROOT: Spot = Spot(1);

#[derive(Debug, Default)]
struct Field {
    path: String,
    /// The last part of the path.
    key: String,
    depth: usize,
    children: HashMap<String, Spot, Fast>,
    order: Vec<Spot>,
    more: u64,
    item: Option<Spot>,
    values: Values,
    nulls: u64,
    objects: u64,
    arrays: u64,
    lengths: Range,
}

#[derive(Debug)]
pub(in crate::recognizers) struct Shape {
    fields: Vec<Field>,
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
        if let Some(spot) = self.fields[of.0].children.get(key) {
            return *spot;
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
        self.scalar(spot, text);
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
            0 | 1 => format!("object with {}: {}", counted(self.keys(root), "key"), self.key_names(root)),
            many => format!("{} with {}", counted(many, "object"), counted(self.keys(root), "key")),
        }
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
    }

    fn tell_one(&self, field: &Field, report: &mut Report, most: usize) {
        let mut said = Vec::new();
        let is_name = IDENTITY.contains(&field.key.as_str());
        if let Some(value) = field.values.only() {
            said.push(cut::one_line(value, 80));
        } else if is_name && field.values.kind() == "text" && field.values.texts().distinct() > 2 * most {
            let distinct = field.values.texts().distinct_said();
            said.push(format!("{distinct} distinct: {}", field.values.names(NAMES)));
        } else if field.values.count > 0 {
            said.push(field.values.describe(most));
        }
        if field.arrays > 0 {
            let times = if field.arrays > 1 { format!("{} arrays of ", grouped(field.arrays)) } else { "array of ".to_owned() };
            said.push(format!("{times}{}", field.lengths.show()));
        }
        if field.objects > 0 && !field.children.is_empty() {
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
        field.children.len() as u64 + field.more
    }

    fn key_names(&self, field: &Field) -> String {
        let names: Vec<&str> = field.order.iter().take(12).map(|spot| self.fields[spot.0].key.as_str()).collect();
        let more = if self.keys(field) > 12 { ", …" } else { "" };
        format!("{}{more}", names.join(", "))
    }

    fn add(&mut self, of: Spot, path: String, key: &str) -> Spot {
        if self.fields.len() >= FIELDS {
            return ELSEWHERE;
        }
        let spot = Spot(self.fields.len());
        let depth = self.fields[of.0].depth + usize::from(!path.ends_with("[]"));
        self.fields.push(Field { path, key: key.to_owned(), depth, ..Field::default() });
        self.fields[of.0].order.push(spot);
        spot
    }
}

/// Names by which people and later steps refer to a thing.
const IDENTITY: &[&str] = &["id", "name", "key", "title", "status", "state", "level", "type", "version", "total", "count", "error", "message"];

/// An object with more fields is a map from names to things.
const RECORD: usize = 40;

/// So many bytes of names are listed.
const NAMES: usize = 160;

fn weight(field: &Field) -> u32 {
    let name = field.key.as_str();
    let identity: u32 = if IDENTITY.contains(&name) { 8 } else { 0 };
    // Which keys there are says more than what one of them holds.
    let keys = if field.objects > 0 && field.children.len() > 1 { 14 } else { 0 };
    (70 + identity + keys).saturating_sub(12 * field.depth as u32)
}
