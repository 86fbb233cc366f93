//! The settings page, from the file of defaults and the list of environment variables.

use anyhow::{Context, Result, ensure};

use super::{GENERATED, table};
use crate::workspace;

/// Declares the environment variables that are not settings.
const ENVIRONMENT: &str = "crates/forebay/src/config/environment.rs";

/// A setting in the file of defaults.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    /// `digest.budget`
    key: String,
    default: String,
    meaning: String,
}

pub(super) fn page() -> Result<String> {
    let settings: Vec<Vec<String>> =
        settings(forebay_app::settings::DEFAULTS).iter().map(Setting::row).collect();
    ensure!(!settings.is_empty(), "the defaults contain no settings");
    let source = std::fs::read_to_string(workspace::root().join(ENVIRONMENT))
        .with_context(|| ENVIRONMENT.to_owned())?;
    let variables = variables(&source);
    ensure!(!variables.is_empty(), "{ENVIRONMENT} declares no variables");
    Ok(format!(
        "{GENERATED}\n\n# Settings\n\n\
         Settings are read from these layers; later ones override earlier ones: built-in defaults, the user's\n\
         `settings.toml`, the project's `.forebay.toml`, environment variables, `--set KEY=VALUE`.\n\
         `forebay config` prints every value and the layer it came from.\n\n{}\n## Recognizers\n\n\
         A `[recognizers.<name>]` table defines how the output of a command is digested; see the\n\
         [example](digests.md#custom-recognizers). A later layer replaces a recognizer of the same name.\n\n\
         ## Other variables\n\n{}",
        table(&["key", "default", "environment", "meaning"], &settings),
        table(&["variable", "meaning"], &variables)
    ))
}

impl Setting {
    fn row(&self) -> Vec<String> {
        let variable = forebay_app::settings::variable(&self.key);
        vec![
            format!("`{}`", self.key),
            format!("`{}`", self.default),
            format!("`{variable}`"),
            self.meaning.clone(),
        ]
    }
}

/// Parses settings from a TOML text; a comment applies to all keys up to the next comment.
fn settings(text: &str) -> Vec<Setting> {
    let (mut section, mut comment, mut is_open) = (String::new(), String::new(), false);
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix('#') {
            comment = if is_open {
                format!("{comment} {}", words.trim())
            } else {
                words.trim().to_owned()
            };
        } else if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').clone_into(&mut section);
            comment.clear();
        } else if let Some((key, default)) = line.split_once('=') {
            found.push(Setting {
                key: format!("{section}.{}", key.trim()),
                default: default.trim().to_owned(),
                meaning: comment.clone(),
            });
        }
        is_open = line.starts_with('#');
    }
    found
}

/// Finds the constants that name a variable, each with the comment above it.
fn variables(source: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = source.lines().collect();
    lines.windows(2).filter_map(|pair| variable(pair[0], pair[1])).collect()
}

fn variable(comment: &str, line: &str) -> Option<Vec<String>> {
    let meaning = comment.strip_prefix("/// ")?;
    let (_, value) = line.strip_prefix("pub(crate) const ")?.split_once(": &str = \"")?;
    Some(vec![format!("`{}`", value.strip_suffix("\";")?), meaning.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_applies_until_the_next_one() {
        let text = "[keep]\n# Days,\n# counted.\nruns = 30\nnotes = 0\n\n[get]\nbudget = 2\n";
        let listed: Vec<String> = settings(text)
            .into_iter()
            .map(|one| format!("{} {} {}", one.key, one.default, one.meaning))
            .collect();
        assert_eq!(
            listed,
            ["keep.runs 30 Days, counted.", "keep.notes 0 Days, counted.", "get.budget 2 "]
        );
    }

    #[test]
    fn lists_every_default_with_its_meaning() {
        let defaults: toml::Table = toml::from_str(forebay_app::settings::DEFAULTS).unwrap();
        let found = settings(forebay_app::settings::DEFAULTS);
        let count: usize = defaults.values().map(|section| section.as_table().unwrap().len()).sum();
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|setting| !setting.meaning.is_empty()), "{found:?}");
    }

    #[test]
    fn reads_variables_with_their_comments() {
        let source = "/// The data folder.\npub(crate) const HOME: &str = \"FOREBAY_HOME\";\n";
        assert_eq!(variables(source), [["`FOREBAY_HOME`", "The data folder."]]);
    }
}
