//! Turns the vocabulary into a table that is used where it lies, without being read first.

#[path = "src/hash.rs"]
mod hash;

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use hash::{Hash, OPENING, OPENING_BITS, PLACES};

fn main() -> Result<(), Box<dyn Error>> {
    const VOCABULARY: &str = "model/vocab.txt";
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=src/hash.rs");
    let text = fs::read_to_string(VOCABULARY)?;
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let write = |name, bytes: Vec<u8>| fs::write(Path::new(&folder).join(name), bytes);
    write("places", places(&text)?.into_iter().flat_map(u64::to_le_bytes).collect())?;
    write("lengths", lengths(&text)?.into_iter().flat_map(u32::to_le_bytes).collect())?;
    Ok(())
}

/// At each place the row of a piece, counted from 1, and above it the check of its hash; 0 where there is none.
fn places(text: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut places = vec![0; PLACES];
    for (piece, row) in text.lines().zip(1..) {
        let hash = piece.bytes().fold(Hash::EMPTY, Hash::and);
        let mut place = hash.place();
        while places[place] > 0 {
            assert_ne!(places[place] >> u16::BITS, hash.check(), "{piece} is told from no other");
            place = hash::next(place);
        }
        places[place] = hash.check() << u16::BITS | u64::from(u16::try_from(row)?);
    }
    Ok(places)
}

/// The lengths of pieces that begin as an opening does, a bit each and the lowest for 1, without the mark of those
/// that continue a word.
fn lengths(text: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut lengths = vec![0; 1 << OPENING_BITS];
    for piece in text.lines() {
        // A piece that begins with such a mark may also be one that begins a word; it is counted as either.
        for mark in ["", "##"] {
            let Some(own) = piece.strip_prefix(mark).filter(|own| own.len() >= OPENING) else {
                continue;
            };
            let opening = piece.bytes().take(mark.len() + OPENING).fold(Hash::EMPTY, Hash::and);
            let bit = u32::try_from(own.len() - 1)?;
            // Longer pieces are never looked for.
            lengths[opening.opening()] |= 1_u32.checked_shl(bit).unwrap_or_default();
        }
    }
    Ok(lengths)
}
