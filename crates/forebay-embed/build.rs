//! Turns the vocabulary into a map that is used where it lies, without being read first.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    const VOCABULARY: &str = "model/vocab.txt";
    println!("cargo::rerun-if-changed={VOCABULARY}");
    let text = fs::read_to_string(VOCABULARY)?;
    let mut rows: Vec<(&str, u64)> = text.lines().zip(0..).collect();
    rows.sort_unstable();
    let map = fst::Map::from_iter(rows)?;
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&folder).join("vocabulary.fst"), map.as_fst().as_bytes())?;
    Ok(())
}
