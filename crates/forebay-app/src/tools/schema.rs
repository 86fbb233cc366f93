//! JSON schemas of the tools' inputs, stripped of what costs tokens and tells a model nothing.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Keys that only a validator reads; inputs are checked when they are parsed.
const NOISE: &[&str] =
    &["$schema", "title", "format", "minimum", "maximum", "additionalProperties", "default"];

pub(super) fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    slim(&mut schema, Place::Schema);
    if let Value::Object(object) = &mut schema {
        // The type's doc comment repeats the tool's description.
        object.remove("description");
        object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Whether an object's keys are the schema's own words or the names of fields.
#[derive(Clone, Copy)]
enum Place {
    Schema,
    FieldNames,
}

fn slim(value: &mut Value, place: Place) {
    let Value::Object(object) = value else { return };
    if let Place::Schema = place {
        object.retain(|key, _| !NOISE.contains(&key.as_str()));
        drop_null_type(object);
    }
    for (key, child) in object.iter_mut() {
        let names = matches!(place, Place::Schema) && key == "properties";
        slim(child, if names { Place::FieldNames } else { Place::Schema });
    }
}

/// An optional field may simply be absent; that it may be null as well need not be said.
fn drop_null_type(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = object.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        object.insert("type".to_owned(), only);
    }
}
