//! JSON schemas of tool inputs, stripped of keys that cost tokens and do not help a model.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Keys that only a validator uses; inputs are validated when they are parsed.
const VALIDATION_KEYS: &[&str] =
    &["$schema", "title", "format", "minimum", "maximum", "additionalProperties", "default"];

pub(super) fn for_input<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema, KeyKind::Keyword);
    if let Value::Object(object) = &mut schema {
        // The type's doc comment repeats the tool's description.
        object.remove("description");
        object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Whether an object's keys are schema keywords or field names.
#[derive(Clone, Copy)]
enum KeyKind {
    Keyword,
    FieldName,
}

fn strip(value: &mut Value, key_kind: KeyKind) {
    let Value::Object(object) = value else { return };
    if let KeyKind::Keyword = key_kind {
        object.retain(|key, _| !VALIDATION_KEYS.contains(&key.as_str()));
        drop_null_type(object);
    }
    for (key, child) in object.iter_mut() {
        let are_fields = matches!(key_kind, KeyKind::Keyword) && key == "properties";
        strip(child, if are_fields { KeyKind::FieldName } else { KeyKind::Keyword });
    }
}

/// Removes `null` from a field's types: an optional field may be absent.
fn drop_null_type(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = object.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        object.insert("type".to_owned(), only);
    }
}
