//! Serves the line ranker to `evals/line-ranker/train.py`: candidates with their features, and digests with other trees.
//!
//! Each request on stdin is a text, preceded by its length as a little-endian u32; so is each answer on stdout.
//!
//! - `line_ranker names`: no request; the names of the features.
//! - `line_ranker candidates`: for each candidate its features as i16, the length of its text as u32, its text.
//! - `line_ranker digest MODEL TOKENS...`: one answer per budget.

#![allow(clippy::print_stdout, reason = "the answer of a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use forebay_digest::training::{FEATURES, Model, candidates, feature_names};
use forebay_digest::{Budget, Digester, Hint};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["names"] => feature_names().for_each(|name| println!("{name}")),
        ["candidates"] => serve(|text, out| answer(out, &encoded_candidates(text)))?,
        ["digest", model, ref budgets @ ..] => {
            let model = Model::parse(&std::fs::read(model)?, FEATURES)?;
            let model: &'static Model = Box::leak(Box::new(model));
            let budgets: Vec<u64> =
                budgets.iter().map(|tokens| tokens.parse()).collect::<Result<_, _>>()?;
            serve(|text, out| {
                budgets
                    .iter()
                    .try_for_each(|tokens| answer(out, digest(text, model, *tokens).as_bytes()))
            })?;
        }
        _ => return Err("usage: line_ranker names | candidates | digest MODEL TOKENS...".into()),
    }
    Ok(())
}

fn serve(mut respond: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut len = [0; 4];
    while input.read_exact(&mut len).is_ok() {
        let mut text = vec![0; u32::from_le_bytes(len) as usize];
        input.read_exact(&mut text)?;
        respond(&text, &mut output)?;
        output.flush()?;
    }
    Ok(())
}

fn answer(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)
}

fn encoded_candidates(text: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for candidate in candidates(text) {
        encoded.extend(candidate.features.iter().flat_map(|feature| feature.to_le_bytes()));
        encoded.extend((candidate.text.len() as u32).to_le_bytes());
        encoded.extend(candidate.text);
    }
    encoded
}

fn digest(text: &[u8], model: &'static Model, tokens: u64) -> String {
    let mut digester =
        Digester::new(Hint::default(), None, Budget::exactly(tokens)).with_model(model);
    digester.push(text);
    digester.finish().text
}
