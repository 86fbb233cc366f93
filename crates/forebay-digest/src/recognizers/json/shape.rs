//! Shape of JSON data: its fields, how often they occur, and their values.

use forebay_text::cut;
use forebay_text::number::{counted, grouped};

use super::map::Map;
use crate::hash::HashMap;
use crate::recognizers::Report;
use crate::tally::{NumberRange, ValueStats};

/// Maximum number of fields tracked; further ones are merged.
const MAX_FIELDS: usize = 1_500;

/// Maximum number of fields tracked per object.
const MAX_FIELDS_PER_OBJECT: usize = 80;

/// Identifies a field; all items of an array share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::recognizers) struct FieldId(pub(super) usize);

/// The field for values that are not tracked.
pub(super) const OVERFLOW: FieldId = FieldId(0);
const ROOT: FieldId = FieldId(1);

#[derive(Debug, Default)]
pub(super) struct Field {
    pub(super) path: String,
    /// The last component of the path.
    pub(super) key: String,
    pub(super) depth: usize,
    /// Index among the children of its parent.
    pub(super) index: usize,
    pub(super) children: HashMap<String, FieldId>,
    pub(super) child_order: Vec<FieldId>,
    /// The child to check first, because similar records have their keys in the same order.
    pub(super) next_index: usize,
    pub(super) untracked: u64,
    pub(super) item: Option<FieldId>,
    pub(super) map: Option<Map>,
    pub(super) values: ValueStats,
    pub(super) nulls: u64,
    pub(super) objects: u64,
    pub(super) arrays: u64,
    pub(super) lengths: NumberRange,
}

#[derive(Debug)]
pub(in crate::recognizers) struct Shape {
    pub(super) fields: Vec<Field>,
}

impl Shape {
    pub(in crate::recognizers) fn new() -> Self {
        Self { fields: vec![Field::default(), Field::default()] }
    }

    pub(in crate::recognizers) fn root(&mut self) -> FieldId {
        ROOT
    }

    pub(in crate::recognizers) fn child(&mut self, parent: FieldId, key: &str) -> FieldId {
        if parent == OVERFLOW {
            return OVERFLOW;
        }
        let next_index = self.fields[parent.0].next_index;
        if let Some(entry) = self.map_entry(parent, key) {
            return entry;
        }
        if let Some(field_id) = self.fields[parent.0].child_order.get(next_index).copied()
            && self.fields[parent.0].item != Some(field_id)
            && self.fields[field_id.0].key == key
        {
            self.fields[parent.0].next_index = next_index + 1;
            return field_id;
        }
        if let Some(field_id) = self.fields[parent.0].children.get(key).copied() {
            let at = self.fields[field_id.0].index;
            self.fields[parent.0].next_index = at + 1;
            return field_id;
        }
        if self.becomes_map(parent) {
            self.convert_to_map(parent);
            return self.map_entry(parent, key).unwrap_or(OVERFLOW);
        }
        let parent_field = &mut self.fields[parent.0];
        if parent_field.children.len() >= MAX_FIELDS_PER_OBJECT {
            parent_field.untracked += 1;
            return OVERFLOW;
        }
        let dot = if parent_field.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", parent_field.path, cut::prefix(key, 60));
        let field_id = self.add(parent, path, key);
        let parent_field = &mut self.fields[parent.0];
        if field_id == OVERFLOW {
            parent_field.untracked += 1;
        } else {
            parent_field.children.insert(key.to_owned(), field_id);
        }
        field_id
    }

    pub(in crate::recognizers) fn item(&mut self, parent: FieldId) -> FieldId {
        if parent == OVERFLOW {
            return OVERFLOW;
        }
        if let Some(field_id) = self.fields[parent.0].item {
            return field_id;
        }
        let path = format!("{}[]", self.fields[parent.0].path);
        let field_id = self.add(parent, path, "");
        self.fields[parent.0].item = Some(field_id);
        field_id
    }

    pub(in crate::recognizers) fn open_container(&mut self, field_id: FieldId, is_object: bool) {
        let field = &mut self.fields[field_id.0];
        *(if is_object { &mut field.objects } else { &mut field.arrays }) += 1;
    }

    pub(in crate::recognizers) fn close_container(
        &mut self,
        field_id: FieldId,
        is_object: bool,
        items: u64,
    ) {
        if !is_object {
            self.fields[field_id.0].lengths.add(items as f64);
        }
    }

    pub(in crate::recognizers) fn string(&mut self, field_id: FieldId, text: &str) {
        if field_id != OVERFLOW {
            self.fields[field_id.0].values.add_text(text);
        }
    }

    pub(in crate::recognizers) fn scalar(&mut self, field_id: FieldId, text: &str) {
        if field_id == OVERFLOW {
            return;
        }
        let field = &mut self.fields[field_id.0];
        if text == "null" { field.nulls += 1 } else { field.values.add(text) }
    }

    /// Returns `array of 120 objects` or `object with 5 keys`.
    pub(in crate::recognizers) fn summary(&self) -> String {
        let root = &self.fields[ROOT.0];
        if let (1, Some(items)) = (root.arrays, root.item) {
            let count = root.lengths.max as u64;
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
            has_keys => {
                format!("{} with {}", counted(has_keys, "object"), counted(self.keys(root), "key"))
            }
        }
    }

    /// Returns `5 keys: a, b, c` for the top level.
    pub(in crate::recognizers) fn describe_keys(&self) -> String {
        let root = &self.fields[ROOT.0];
        format!("{}: {}", counted(self.keys(root), "key"), self.key_names(root))
    }

    /// Returns true if the top level has only values without a structure.
    pub(in crate::recognizers) fn is_scalar(&self) -> bool {
        let root = &self.fields[ROOT.0];
        root.objects + root.arrays == 0
    }

    /// Adds one fact per field, outer fields first.
    pub(in crate::recognizers) fn add_facts(&self, report: &mut Report, max_items: usize) {
        self.add_facts_below(ROOT, report, max_items);
    }

    fn add_facts_below(&self, field_id: FieldId, report: &mut Report, max_items: usize) {
        let field = &self.fields[field_id.0];
        if field_id != ROOT || field.values.count > 0 {
            self.add_field_fact(field, report, max_items);
        }
        // If keys are names of similar objects, two of them are enough as examples.
        let shown =
            if field.child_order.len() > MAX_RECORD_FIELDS { 2 } else { field.child_order.len() };
        for child in &field.child_order[..shown] {
            self.add_facts_below(*child, report, max_items);
        }
        if let Some(map) = &field.map {
            self.add_facts_below(map.entry, report, max_items);
        }
    }

    fn add_field_fact(&self, field: &Field, report: &mut Report, max_items: usize) {
        let mut parts = Vec::new();
        let is_name = IDENTITY.contains(&field.key.as_str());
        if let Some(value) = field.values.only() {
            parts.push(cut::one_line(value, 80));
        } else if is_name
            && field.values.type_name() == "text"
            && field.values.texts().distinct() > 2 * max_items
        {
            let distinct = field.values.texts().distinct_label();
            parts.push(format!("{distinct} distinct: {}", field.values.names(MAX_NAME_LIST_BYTES)));
        } else if field.values.count > 0 {
            parts.push(field.values.describe(max_items));
        }
        if field.arrays > 0 {
            let times = if field.arrays > 1 {
                format!("{} arrays of ", grouped(field.arrays))
            } else {
                "array of ".to_owned()
            };
            parts.push(format!("{times}{}", field.lengths.describe()));
        }
        if let Some(map) = &field.map {
            parts.push(format!(
                "map of {} to similar objects: {}",
                counted(map.keys, "key"),
                map.names()
            ));
        } else if field.objects > 0 && !field.children.is_empty() {
            parts.push(format!("{}: {}", counted(self.keys(field), "key"), self.key_names(field)));
        }
        match field.nulls {
            0 => {}
            1 if parts.is_empty() => parts.push("null".to_owned()),
            nulls => parts.push(format!("{} null", grouped(nulls))),
        }
        if !parts.is_empty() {
            report.add_field(weight(field), format!("{}: {}", field.path, parts.join(", ")));
        }
    }

    fn keys(&self, field: &Field) -> u64 {
        let in_map = field.map.as_ref().map_or(0, |map| map.keys);
        field.children.len() as u64 + field.untracked + in_map
    }

    fn key_names(&self, field: &Field) -> String {
        if let Some(map) = &field.map {
            return map.names();
        }
        let keys = field.child_order.iter().filter(|field_id| Some(**field_id) != field.item);
        let names: Vec<&str> =
            keys.take(12).map(|field_id| self.fields[field_id.0].key.as_str()).collect();
        let untracked = if self.keys(field) > 12 { ", …" } else { "" };
        format!("{}{untracked}", names.join(", "))
    }

    pub(super) fn add(&mut self, parent: FieldId, path: String, key: &str) -> FieldId {
        if self.fields.len() >= MAX_FIELDS {
            return OVERFLOW;
        }
        let field_id = FieldId(self.fields.len());
        let depth = self.fields[parent.0].depth + usize::from(!path.ends_with("[]"));
        let index = self.fields[parent.0].child_order.len();
        self.fields.push(Field { path, key: key.to_owned(), depth, index, ..Field::default() });
        self.fields[parent.0].child_order.push(field_id);
        field_id
    }
}

/// Keys that identify an object.
const IDENTITY: &[&str] = &[
    "id", "name", "key", "title", "status", "state", "level", "type", "version", "total", "count",
    "error", "message",
];

/// Keys that hold the severity of a record.
const SEVERITY: &[&str] = &["level", "severity", "lvl"];

/// An object with more fields than this is treated as a map.
const MAX_RECORD_FIELDS: usize = 40;

/// Maximum bytes of a list of names.
pub(super) const MAX_NAME_LIST_BYTES: usize = 160;

fn weight(field: &Field) -> u32 {
    let name = field.key.as_str();
    let identity: u32 = if IDENTITY.contains(&name) { 8 } else { 0 };
    // The set of keys says more than a single value.
    let has_keys = field.children.len() > 1 || field.map.is_some();
    let keys = if field.objects > 0 && has_keys { 14 } else { 0 };
    // Categories and time ranges say more than values that are all distinct.
    let categorical =
        if field.values.is_categorical() || field.values.type_name() == "date" { 6 } else { 0 };
    // Severity is what logs are read for.
    let severity: u32 = if SEVERITY.contains(&name) { 20 } else { 0 };
    (70 + identity + keys + categorical + severity).saturating_sub(12 * field.depth as u32)
}
