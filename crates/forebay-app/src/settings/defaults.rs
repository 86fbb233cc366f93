//! Default values as a table generated at build time, so that no TOML is parsed at startup.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

use super::Settings;

/// The default value of a setting.
#[derive(Debug, Clone, Copy)]
enum Plain {
    Number(u32),
    Fraction(f64),
    Truth(bool),
    Text(&'static str),
    Texts(&'static [&'static str]),
}

/// All sections with their settings, in the order of `settings.toml`.
#[expect(clippy::unreadable_literal, reason = "the build script writes numbers for the compiler")]
static SECTIONS: &[(&str, &[(&str, Plain)])] = include!(concat!(env!("OUT_DIR"), "/settings.rs"));

/// Returns the keys of all settings, such as `digest.budget`.
pub fn keys() -> impl Iterator<Item = String> {
    SECTIONS.iter().flat_map(|(section, settings)| {
        settings.iter().map(move |(name, _)| format!("{section}.{name}"))
    })
}

/// Returns the default value of a setting, or None if there is no such setting.
pub fn default(key: &str) -> Option<Value> {
    let (section, name) = key.split_once('.')?;
    let (_, settings) = SECTIONS.iter().find(|(known, _)| *known == section)?;
    settings.iter().find(|(known, _)| *known == name).map(|(_, plain)| plain.to_value())
}

impl Settings {
    /// Returns the defaults overridden by `given`: values by key, and tables of `recognizers`.
    pub fn with(mut given: BTreeMap<String, Value>) -> Result<Self, toml::de::Error> {
        let mut sections: Vec<(&str, Given)> = Vec::with_capacity(SECTIONS.len() + 1);
        for (section, settings) in SECTIONS {
            let value = |(name, plain): &(&'static str, Plain)| {
                let given = given.remove(&format!("{section}.{name}"));
                (*name, given.map_or(Given::Default(*plain), Given::Value))
            };
            sections.push((section, Given::Section(settings.iter().map(value).collect())));
        }
        let inner =
            |key: String| key.split_once('.').map_or_else(String::new, |(_, name)| name.to_owned());
        let recognizers: Table = given.into_iter().map(|(key, row)| (inner(key), row)).collect();
        sections.push(("recognizers", Given::Value(recognizers.into())));
        Self::deserialize(MapDeserializer::new(sections.into_iter()))
    }
}

impl Plain {
    fn to_value(self) -> Value {
        match self {
            Self::Number(number) => Value::from(number),
            Self::Fraction(number) => Value::from(number),
            Self::Truth(truth) => Value::from(truth),
            Self::Text(text) => Value::from(text),
            Self::Texts(texts) => Value::from(texts.to_vec()),
        }
    }
}

/// A deserializer over one setting or a whole section.
enum Given {
    Default(Plain),
    Value(Value),
    Section(Vec<(&'static str, Self)>),
}

impl IntoDeserializer<'_, toml::de::Error> for Given {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Given {
    type Error = toml::de::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, toml::de::Error> {
        match self {
            Self::Default(Plain::Number(number)) => visitor.visit_u32(number),
            Self::Default(Plain::Fraction(number)) => visitor.visit_f64(number),
            Self::Default(Plain::Truth(truth)) => visitor.visit_bool(truth),
            Self::Default(Plain::Text(text)) => visitor.visit_borrowed_str(text),
            Self::Default(Plain::Texts(texts)) => {
                visitor.visit_seq(SeqDeserializer::new(texts.iter().copied()))
            }
            Self::Value(value) => value.deserialize_any(visitor),
            Self::Section(settings) => {
                visitor.visit_map(MapDeserializer::new(settings.into_iter()))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULTS;
    use super::*;

    #[test]
    fn generated_table_equals_the_file() {
        let read: Settings = toml::from_str(DEFAULTS).unwrap();
        assert_eq!(Settings::with(BTreeMap::new()).unwrap(), read);
    }

    #[test]
    fn given_values_override_defaults() {
        let given = BTreeMap::from([
            ("digest.budget".to_owned(), Value::from(7)),
            ("isolation.write".to_owned(), Value::from(vec!["/a"])),
        ]);
        let settings = Settings::with(given).unwrap();
        assert_eq!((settings.digest.budget, settings.digest.verbatim), (7, 1250));
        assert_eq!(settings.isolation.write, ["/a"]);
    }
}
