//! Custom recognizers of a settings file: `[recognizers.<name>]`.
//!
//! A project may define them: they affect only how output is shown.

use std::collections::BTreeMap;
use std::path::Path;

use forebay_app::settings::recognizers::{Recognizers, Row};
use toml::{Table, Value};

use super::ConfigError;

/// Their section in a settings file.
pub(super) const SECTION: &str = "recognizers";

/// The recognizers of a file by key, if all are valid.
pub(super) fn read(defined: Value, file: &Path) -> Result<Vec<(String, Value)>, ConfigError> {
    let bad = |key: String, message: String| ConfigError::BadRecognizer {
        origin: file.display().to_string(),
        key: if key.is_empty() { SECTION.to_owned() } else { format!("{SECTION}.{key}") },
        message,
    };
    let Value::Table(table) = defined else {
        return Err(bad(String::new(), "write [recognizers.<name>]".to_owned()));
    };
    let rows: BTreeMap<String, Row> = table
        .into_iter()
        .map(|(name, value)| {
            let row: Row = value
                .try_into()
                .map_err(|error: toml::de::Error| bad(name.clone(), error.message().to_owned()))?;
            Ok((name, row.with_sample_beside(file)))
        })
        .collect::<Result<_, ConfigError>>()?;
    let good = Recognizers::try_from(rows).map_err(|error| bad(error.key, error.message))?;
    let Ok(rows) = Table::try_from(&good) else { return Ok(Vec::new()) };
    Ok(rows.into_iter().map(|(name, row)| (format!("{SECTION}.{name}"), row)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, expect: &str) {
        let defined: Table = text.parse().unwrap();
        let error = read(defined[SECTION].clone(), Path::new("/x/.forebay.toml")).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn errors_name_the_key() {
        let row = "[recognizers.a]\ncommands = ['a']\n";
        check_refused(&format!("{row}keep = ['ok', '(']"), "`recognizers.a.keep[1]`: unclosed");
        check_refused(&format!("{row}kep = ['x']"), "`recognizers.a`: unknown field `kep`");
        check_refused(&format!("{row}keep = 'x'"), "`recognizers.a`: invalid type");
        check_refused("recognizers = 3", "`recognizers`: write [recognizers.<name>]");
        check_refused("recognizers.a = 3", "`recognizers.a`: invalid type");
        check_refused(
            "[recognizers.'a b']\ncommands = ['a']\nkeep = ['x']",
            "`recognizers.a b`: a name consists of",
        );
    }

    #[test]
    fn sample_files_are_relative_to_the_settings_file() {
        let text = "[recognizers.a]\ncommands = ['a']\nkeep = ['x']\nsample_file = 'b/c.txt'\n";
        let defined: Table = text.parse().unwrap();
        let rows = read(defined[SECTION].clone(), Path::new("/x/.forebay.toml")).unwrap();
        assert_eq!(rows[0].0, "recognizers.a");
        assert_eq!(rows[0].1["sample_file"].as_str(), Some("/x/b/c.txt"));
    }
}
