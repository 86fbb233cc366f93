//! Serves the line ranker to `evals/line-ranker/train.py`: candidates with their features, and digests with other trees.
//!
//! Each request on stdin consists of two fields, the command of an output and its raw bytes, each preceded by its length
//! as a little-endian u32; so is each answer on stdout. A command with `!` before it failed.
//!
//! - `line_ranker names`: no request; the names of the features.
//! - `line_ranker candidates log|output`: for each candidate its features as i16, the length of its text as u32, its text.
//! - `line_ranker digest log|output MODEL TOKENS...`: one answer per budget.

#![allow(clippy::print_stdout, reason = "the answer of a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use forebay_digest::training::{FEATURES, Model, TextKind, candidates, feature_names};
use forebay_digest::{Budget, Digester, Hint};

const USAGE: &str =
    "usage: line_ranker names | candidates log|output | digest log|output MODEL TOKENS...";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["names"] => feature_names().for_each(|name| println!("{name}")),
        ["candidates", kind] => {
            let kind = text_kind(kind)?;
            serve(|output, out| answer(out, &encoded_candidates(&output.raw, kind)))?;
        }
        ["digest", kind, model, ref budgets @ ..] => {
            let kind = text_kind(kind)?;
            let model = Model::parse(&std::fs::read(model)?, FEATURES)?;
            let model: &'static Model = Box::leak(Box::new(model));
            let budgets: Vec<u64> =
                budgets.iter().map(|tokens| tokens.parse()).collect::<Result<_, _>>()?;
            serve(|output, out| {
                let digest = |tokens: &u64| output.digest(kind, model, *tokens);
                budgets.iter().try_for_each(|tokens| answer(out, digest(tokens).as_bytes()))
            })?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn text_kind(name: &str) -> Result<TextKind, &'static str> {
    match name {
        "log" => Ok(TextKind::Log),
        "output" => Ok(TextKind::Output),
        _ => Err(USAGE),
    }
}

fn serve(mut respond: impl FnMut(&Output, &mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = Output::read(&mut input) {
        respond(&request, &mut output)?;
        output.flush()?;
    }
    Ok(())
}

/// The output of a command.
struct Output {
    command: String,
    failed: bool,
    raw: Vec<u8>,
}

impl Output {
    /// Returns none at the end of the input.
    fn read(input: &mut impl Read) -> Option<Self> {
        let (command, raw) = (field(input)?, field(input)?);
        let command = String::from_utf8_lossy(&command);
        let failing = command.strip_prefix('!');
        let failed = failing.is_some();
        Some(Self { command: failing.unwrap_or(&command).to_owned(), failed, raw })
    }

    fn digest(&self, kind: TextKind, model: &'static Model, tokens: u64) -> String {
        let hint = Hint { command: Some(&self.command), failed: self.failed, ..Hint::default() };
        let digester = Digester::new(hint, None, Budget::exactly(tokens));
        let mut digester = digester.with_model(kind, model);
        digester.push(&self.raw);
        digester.finish().text
    }
}

fn field(input: &mut impl Read) -> Option<Vec<u8>> {
    let mut len = [0; 4];
    input.read_exact(&mut len).ok()?;
    let mut field = vec![0; u32::from_le_bytes(len) as usize];
    input.read_exact(&mut field).ok()?;
    Some(field)
}

fn answer(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)
}

fn encoded_candidates(text: &[u8], kind: TextKind) -> Vec<u8> {
    let mut encoded = Vec::new();
    for candidate in candidates(text, kind) {
        encoded.extend(candidate.features.iter().flat_map(|feature| feature.to_le_bytes()));
        encoded.extend((candidate.text.len() as u32).to_le_bytes());
        encoded.extend(candidate.text);
    }
    encoded
}
