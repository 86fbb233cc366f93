//! The digest page: what a digest keeps of each format, with examples.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use forebay_app::settings::recognizers::EXAMPLE as CUSTOM_EXAMPLE;
use forebay_digest::{Budget, FormatRow, Hint, digest, formats};
use serde::Deserialize;

use super::{GENERATED, table};
use crate::workspace;

/// Recorded outputs, each with a TOML file that names the command.
const SAMPLES: &str = "crates/forebay-digest/samples";

/// The token budget of an example.
const EXAMPLE_TOKENS: u64 = 120;

/// The part of a sample's TOML file that this page uses.
#[derive(Deserialize)]
struct SampleInfo {
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
         Output larger than the budget becomes a digest: first the known facts (counts, what failed, where and\n\
         why), then the most important lines, with the line numbers of each gap. The command and the first\n\
         lines determine the format; a log may contain several. A count is only given if it is certain;\n\
         anything that is not understood is quoted.\n\n{}\n## Custom recognizers\n\n\
         The settings of the user and of the project can define further recognizers. They take precedence over\n\
         built-in ones, apply to every digest, and leave what they do not mention to the formats above.\n\
         Patterns use the syntax of Rust's `regex`. `forebay digest --check` checks each one against its\n\
         sample, reports what fails, and then exits with 1. See the [guide](../guides/recognizers.md).\n\n```toml\n{CUSTOM_EXAMPLE}```\n\n## Examples\n\n\
         Digests of recorded outputs, within {EXAMPLE_TOKENS} tokens.\n{}",
        table(&["format", "kept", "commands"], &rows),
        examples.concat()
    ))
}

fn row(format: FormatRow) -> Vec<String> {
    let commands: Vec<String> =
        format.commands.iter().map(|command| format!("`{command}`")).collect();
    vec![format.name.to_owned(), format.keeps.to_owned(), commands.join(", ")]
}

/// Renders the digest of the first recorded output of this format.
fn example(format: FormatRow, samples: &[Sample]) -> Result<Option<String>> {
    let Some(sample) = samples.iter().find(|sample| format.is_printed_by(&sample.command)) else {
        return Ok(None);
    };
    let raw = fs::read(&sample.output).with_context(|| sample.output.display().to_string())?;
    let hint = Hint { command: Some(&sample.command), ..Hint::default() };
    let text = digest(&raw, hint, None, Budget::exactly(EXAMPLE_TOKENS)).text;
    Ok(Some(format!(
        "\n### {}\n\n`{}`\n\n````text\n{}\n````\n",
        format.name,
        sample.command,
        text.trim_end()
    )))
}

/// Lists all recorded outputs, sorted by name.
fn samples() -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for tool in entries(&workspace::root().join(SAMPLES))?.into_iter().filter(|path| path.is_dir())
    {
        let infos = entries(&tool)?;
        for info in infos
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        {
            let text = fs::read_to_string(&info).with_context(|| info.display().to_string())?;
            let SampleInfo { command } =
                toml::from_str(&text).with_context(|| info.display().to_string())?;
            samples.push(Sample { command, output: info.with_extension("txt") });
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
