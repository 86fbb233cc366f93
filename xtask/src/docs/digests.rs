//! The page on digests: what is kept of each format, each with an example.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use forebay_app::settings::recognizers::EXAMPLE as OWN;
use forebay_digest::{Budget, FormatRow, Hint, digest, formats};
use serde::Deserialize;

use super::{GENERATED, table};
use crate::workspace;

/// Recorded outputs, each with a card that says which command printed it.
const SAMPLES: &str = "crates/forebay-digest/samples";

/// Tokens of an example.
const TOKENS: u64 = 120;

/// The part of a card that matters here.
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
    ensure!(!samples.is_empty(), "{SAMPLES} holds no recorded output");
    let rows: Vec<Vec<String>> = formats().map(row).collect();
    let examples: Vec<String> = formats()
        .filter_map(|format| example(format, &samples).transpose())
        .collect::<Result<_>>()?;
    Ok(format!(
        "{GENERATED}\n\n# Digests\n\n\
         Output that is larger than the budget becomes a digest: first what is known of it (counts, what\n\
         failed, where and why), then the lines that matter most, each gap with the numbers of the lines\n\
         left out. The command and the first lines decide who reads it; a log may hold several formats.\n\
         A count is only given where it is sure; what is not understood is quoted.\n\n{}\n## Your own\n\n\
         A settings file can define further recognizers, the project's as well as the user's. They are asked\n\
         before all others, hold for every digest, and leave what they do not mention to the formats above.\n\
         Patterns are regular expressions as Rust's `regex` has them. `forebay digest --check` tries each one\n\
         on its sample, says what fails, and then exits with 1.\n\n```toml\n{OWN}```\n\n## Examples\n\n\
         Digests of recorded outputs, within {TOKENS} tokens.\n{}",
        table(&["format", "kept", "commands"], &rows),
        examples.concat()
    ))
}

fn row(format: FormatRow) -> Vec<String> {
    let commands: Vec<String> =
        format.commands.iter().map(|command| format!("`{command}`")).collect();
    vec![format.name.to_owned(), format.keeps.to_owned(), commands.join(", ")]
}

/// The first recorded output of a command that prints this format.
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

/// All recorded outputs, in the order of their names.
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
