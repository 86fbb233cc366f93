//! The settings page, from the default settings and the list of environment variables.

use anyhow::{Context, Result, ensure};

use super::{GENERATED, table};
use crate::workspace;

/// The file that defines environment variables which are not settings.
const ENVIRONMENT: &str = "crates/forebay/src/config/environment.rs";

/// A setting with its default.
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
    ensure!(!settings.is_empty(), "there are no default settings");
    let source = std::fs::read_to_string(workspace::root().join(ENVIRONMENT))
        .with_context(|| ENVIRONMENT.to_owned())?;
    let variables = variables(&source);
    ensure!(!variables.is_empty(), "{ENVIRONMENT} defines no variable");
    Ok(format!(
        "{GENERATED}\n\n# Settings\n\n\
         Settings are read in this order, and later values override earlier ones: defaults, the user's file,\n\
         the project's `.forebay.toml`, the environment, `--set KEY=VALUE`. `forebay config` prints each\n\
         value and its source; `forebay config set KEY VALUE` and `forebay config edit` change your own file, with\n\
         `--project` the project's, and keep its comments.\n\n\
         An error is reported as `file:line:column`. Commands that only show something, and hooks, go on without a\n\
         project's invalid file; all others refuse, because the file may restrict what is allowed.\n\n{}\n## Recognizers\n\n\
         `[recognizers.<name>]` in a settings file defines a recognizer for the output of further commands;\n\
         see the example in [digests](digests.md#custom-recognizers). A later file replaces a recognizer of the same name.\n\n\
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

/// Parses settings of a TOML text; a comment applies to the keys that follow it, up to the next comment.
fn settings(text: &str) -> Vec<Setting> {
    let (mut section, mut comment, mut is_comment) = (String::new(), String::new(), false);
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix('#') {
            comment = if is_comment {
                format!("{comment} {}", text.trim())
            } else {
                text.trim().to_owned()
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
        is_comment = line.starts_with('#');
    }
    found
}

/// Finds constants with a variable's name, each with the comment above it.
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
    fn comment_applies_up_to_the_next_one() {
        let text = "[keep]\n# Days,\n# counted.\nruns = 30\nnotes = 0\n\n[get]\nbudget = 2\n";
        let rows: Vec<String> = settings(text)
            .into_iter()
            .map(|setting| format!("{} {} {}", setting.key, setting.default, setting.meaning))
            .collect();
        assert_eq!(
            rows,
            ["keep.runs 30 Days, counted.", "keep.notes 0 Days, counted.", "get.budget 2 "]
        );
    }

    #[test]
    fn every_default_has_a_meaning() {
        let defaults: toml::Table = toml::from_str(forebay_app::settings::DEFAULTS).unwrap();
        let found = settings(forebay_app::settings::DEFAULTS);
        let count: usize = defaults.values().map(|section| section.as_table().unwrap().len()).sum();
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|setting| !setting.meaning.is_empty()), "{found:?}");
    }

    #[test]
    fn parses_variables_with_their_comment() {
        let source = "/// The data folder.\npub(crate) const HOME: &str = \"FOREBAY_HOME\";\n";
        assert_eq!(variables(source), [["`FOREBAY_HOME`", "The data folder."]]);
    }
}
