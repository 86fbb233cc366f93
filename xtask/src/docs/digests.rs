//! The digests page: what each recognizer keeps, with an example.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use forebay_app::settings::recognizers::EXAMPLE as CUSTOM;
use forebay_digest::{Budget, FormatRow, Hint, digest, formats};
use serde::Deserialize;

use super::{GENERATED, table};
use crate::workspace;

/// Recorded outputs, each with a TOML file that names its command.
const SAMPLES: &str = "crates/forebay-digest/samples";

/// Budget of an example, in tokens.
const TOKENS: u64 = 120;

/// The fields of a sample's TOML file that this page needs.
#[derive(Deserialize)]
struct Card {
    command: String,
}

struct Sample {
    command: String,
    output: PathBuf,
}

pub(super) fn page() -> Result<String> {
    let samples = samples()?;
    ensure!(!samples.is_empty(), "{SAMPLES} contains no recorded output");
    let rows: Vec<Vec<String>> = formats().map(row).collect();
    let examples: Vec<String> = formats()
        .filter_map(|format| example(format, &samples).transpose())
        .collect::<Result<_>>()?;
    Ok(format!(
        "{GENERATED}\n\n# Digests\n\n\
         Output larger than the budget is reduced to a digest. Facts come first: counts, failing names,\n\
         locations and reasons. Then come the most relevant lines; each gap names the line numbers left out.\n\
         A recognizer is chosen by the command and the first lines; one output may contain several formats.\n\
         A recognizer reports a count only if it is certain; text that no recognizer understands is quoted.\n\n{}\n## Custom recognizers\n\n\
         A settings file, the user's or the project's `.forebay.toml`, can define further recognizers. They run\n\
         before the built-in ones and apply to every digest; lines they do not mention are left to the formats\n\
         above. Patterns use the syntax of Rust's `regex` crate. `forebay digest --check` tests each recognizer\n\
         on its sample and exits with 1 if one fails. See the [guide](../guides/recognizers.md).\n\n```toml\n{CUSTOM}```\n\n## Examples\n\n\
         Digests of recorded outputs with a budget of {TOKENS} tokens.\n{}",
        table(&["format", "kept", "commands"], &rows),
        examples.concat()
    ))
}

fn row(format: FormatRow) -> Vec<String> {
    let commands: Vec<String> =
        format.commands.iter().map(|command| format!("`{command}`")).collect();
    vec![format.name.to_owned(), format.keeps.to_owned(), commands.join(", ")]
}

/// Digests the first recorded output of a command that prints this format.
fn example(format: FormatRow, samples: &[Sample]) -> Result<Option<String>> {
    let Some(sample) = samples.iter().find(|sample| format.is_printed_by(&sample.command)) else {
        return Ok(None);
    };
    let raw = fs::read(&sample.output).with_context(|| sample.output.display().to_string())?;
    let hint = Hint { command: Some(&sample.command), ..Hint::default() };
    let shown = digest(&raw, hint, None, Budget::exactly(TOKENS)).text;
    Ok(Some(format!(
        "\n### {}\n\n`{}`\n\n````text\n{}\n````\n",
        format.name,
        sample.command,
        shown.trim_end()
    )))
}

/// Returns all recorded outputs, sorted by path.
fn samples() -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for tool in entries(&workspace::root().join(SAMPLES))?.into_iter().filter(|path| path.is_dir())
    {
        let cards = entries(&tool)?;
        for card in
            cards.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml"))
        {
            let text = fs::read_to_string(&card).with_context(|| card.display().to_string())?;
            let Card { command } =
                toml::from_str(&text).with_context(|| card.display().to_string())?;
            samples.push(Sample { command, output: card.with_extension("txt") });
        }
    }
    Ok(samples)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> =
        read.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}
