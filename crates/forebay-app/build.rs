//! Turns the default settings into a table of the program: to read their text took a tenth of a short command. Passes the
//! target triple on.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

fn main() -> Result<(), Box<dyn Error>> {
    const DEFAULTS: &str = "src/settings/settings.toml";
    println!("cargo::rerun-if-changed={DEFAULTS}");
    // The names of released archives contain it.
    println!("cargo::rustc-env=FOREBAY_TARGET={}", env::var("TARGET")?);
    let sections: Table = fs::read_to_string(DEFAULTS)?.parse()?;
    let rows = sections.iter().map(|(name, section)| Ok(format!("({name:?}, {})", rows(section)?)));
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&folder).join("settings.rs"), slice(rows)?)?;
    Ok(())
}

/// The settings of a section with their values.
fn rows(section: &Value) -> Result<String, String> {
    let settings = section.as_table().ok_or("every setting stands in a section")?;
    slice(settings.iter().map(|(name, value)| Ok(format!("({name:?}, {})", plain(value)?))))
}

fn plain(value: &Value) -> Result<String, String> {
    let text = |value: &Value| value.as_str().map(|text| format!("{text:?}"));
    Ok(match value {
        Value::Integer(number) => format!("Plain::Number({number})"),
        Value::Float(number) => format!("Plain::Fraction({number:?})"),
        Value::Boolean(truth) => format!("Plain::Truth({truth})"),
        Value::String(text) => format!("Plain::Text({text:?})"),
        Value::Array(items) => {
            let texts = items.iter().map(|item| text(item).ok_or_else(|| no_setting(value)));
            format!("Plain::Texts({})", slice(texts)?)
        }
        _ => return Err(no_setting(value)),
    })
}

fn no_setting(value: &Value) -> String {
    format!("{value} is no number, fraction, truth, text or list of texts")
}

fn slice(items: impl Iterator<Item = Result<String, String>>) -> Result<String, String> {
    Ok(format!("&[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")))
}
