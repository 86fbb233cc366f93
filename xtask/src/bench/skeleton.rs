//! Skeletons of long files, and maps of a large repository with a cold and a warm cache.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;
use crate::mcp_client::Client;

/// A language and a generator of functions in it.
struct Language {
    name: &'static str,
    extension: &'static str,
    function: fn(&str, &mut Words) -> String,
}

const LANGUAGES: &[Language] = &[
    Language { name: "Rust", extension: "rs", function: rust },
    Language { name: "Python", extension: "py", function: python },
    Language { name: "TypeScript", extension: "ts", function: typescript },
];
const LINES: usize = 3_000;
const ROUNDS: usize = 20;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for language in LANGUAGES {
        rows.extend(long_file(env, language)?);
    }
    rows.extend(maps(env, sizes.repository_files)?);
    Ok(rows)
}

/// Each round changes the file, so that the skeleton cache cannot answer.
fn long_file(env: &Installation, language: &Language) -> Result<Vec<Row>> {
    let name = format!("long.{}", language.extension);
    let path = env.project().join(&name);
    let text = source(language, LINES, &mut Words::new(3));
    let mut client = Client::start(env)?;
    let (mut times, mut bytes) = (Sample::default(), 0);
    for round in 0..=ROUNDS {
        fs::write(
            &path,
            format!(
                "{text}\n{}",
                (language.function)(&format!("round_{round}"), &mut Words::new(9))
            ),
        )?;
        let started = Instant::now();
        let answer = client.call("context_peek", &json!({ "paths": [name], "budget": 100_000 }))?;
        // The first round compiles the language's query.
        if round > 0 {
            times.add(started.elapsed());
        }
        bytes = answer.len();
    }
    client.end()?;
    fs::remove_file(path)?;
    let saved = 100.0 - 100.0 * bytes as f64 / text.len() as f64;
    let remark = format!("p95 {:.1}, including the call; {saved:.0} % smaller", times.p95());
    let what = format!("skeleton of {} lines of {}", text.lines().count(), language.name);
    Ok(vec![Row::at_most(what, 8.0, times.median(), "ms", remark)])
}

fn maps(env: &Installation, files: usize) -> Result<Vec<Row>> {
    let mut words = Words::new(11);
    for number in 0..files {
        let language = &LANGUAGES[number % LANGUAGES.len()];
        let folder = env.project().join(format!("part_{}", number / 100));
        fs::create_dir_all(&folder)?;
        write_file(
            &folder.join(format!("file_{number}.{}", language.extension)),
            language,
            &mut words,
        )?;
    }
    let seconds = map_cold(env)?;
    let mut warm = Sample::default();
    let mut client = Client::start(env)?;
    for _ in 0..5 {
        let started = Instant::now();
        client.call("context_peek", &json!({ "paths": ["."] }))?;
        warm.add(started.elapsed());
    }
    client.end()?;
    Ok(vec![
        Row::at_most(format!("map of {files} files, cold"), 5.0, seconds, "s", ""),
        Row::at_most(format!("map of {files} files, warm"), 300.0, warm.median(), "ms", ""),
    ])
}

fn map_cold(env: &Installation) -> Result<f64> {
    let mut client = Client::start(env)?;
    let started = Instant::now();
    client.call("context_peek", &json!({ "paths": ["."] }))?;
    let seconds = started.elapsed().as_secs_f64();
    client.end()?;
    Ok(seconds)
}

fn write_file(path: &Path, language: &Language, words: &mut Words) -> Result<()> {
    let length = 40 + words.below(200);
    Ok(fs::write(path, source(language, length, words))?)
}

fn source(language: &Language, lines: usize, words: &mut Words) -> String {
    let mut text = String::new();
    while text.lines().count() < lines {
        let name = words.phrase(2).replace(' ', "_");
        for number in 0..8 {
            text.push_str(&(language.function)(&format!("{name}_{number}"), words));
        }
    }
    text
}

/// Returns the name of a function that another file may define.
fn callee(words: &mut Words) -> String {
    format!("{}_{}", words.phrase(2).replace(' ', "_"), words.below(8))
}

fn rust(name: &str, words: &mut Words) -> String {
    let (doc, first, second) = (words.phrase(6), callee(words), callee(words));
    format!(
        "/// {doc}.\npub fn {name}(count: usize, name: &str) -> Option<usize> {{\n    \
         let mut total = 0;\n    for index in 0..count {{\n        \
         if name.len() > index {{\n            total += {first}(index, name)?;\n        }}\n    }}\n    \
         let rest = {second}(total, name);\n    rest.map(|rest| rest + total)\n}}\n\n"
    )
}

fn python(name: &str, words: &mut Words) -> String {
    let (doc, first, second) = (words.phrase(6), callee(words), callee(words));
    format!(
        "def {name}(count: int, name: str) -> int:\n    \"\"\"{doc}.\"\"\"\n    total = 0\n    \
         for index in range(count):\n        if len(name) > index:\n            \
         total += {first}(index, name)\n    rest = {second}(total, name)\n    return rest + total\n\n\n"
    )
}

fn typescript(name: &str, words: &mut Words) -> String {
    let (doc, first, second) = (words.phrase(6), callee(words), callee(words));
    format!(
        "/** {doc}. */\nexport function {name}(count: number, name: string): number {{\n  \
         let total = 0;\n  for (let index = 0; index < count; index++) {{\n    \
         if (name.length > index) {{\n      total += {first}(index, name);\n    }}\n  }}\n  \
         const rest = {second}(total, name);\n  return rest + total;\n}}\n\n"
    )
}
