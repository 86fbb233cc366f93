//! Turns the vocabulary into static lookup tables that need no loading at run time.

#[path = "src/vocab_hash.rs"]
mod vocab_hash;

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use vocab_hash::{PREFIX_BYTES, PREFIX_SLOT_BITS, RollingHash, SLOTS};

fn main() -> Result<(), Box<dyn Error>> {
    const VOCABULARY: &str = "model/vocab.txt";
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=src/vocab_hash.rs");
    let vocabulary = fs::read_to_string(VOCABULARY)?;
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let write = |name, bytes: Vec<u8>| fs::write(Path::new(&folder).join(name), bytes);
    let slots = token_slots(&vocabulary)?.into_iter().flat_map(u64::to_le_bytes);
    write("token_slots", slots.collect())?;
    let lengths = token_lengths(&vocabulary)?.into_iter().flat_map(u32::to_le_bytes);
    write("token_lengths", lengths.collect())?;
    Ok(())
}

/// Builds an open-addressing hash table: each slot has a token's row plus 1 in its low 16 bits and the token's
/// fingerprint above, or 0 if it is empty.
fn token_slots(vocabulary: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut slots = vec![0; SLOTS];
    for (token, row) in vocabulary.lines().zip(1..) {
        let hash = token.bytes().fold(RollingHash::EMPTY, RollingHash::push);
        let mut slot = hash.slot();
        while slots[slot] > 0 {
            assert_ne!(slots[slot] >> u16::BITS, hash.fingerprint(), "hash collision of {token}");
            slot = vocab_hash::next_slot(slot);
        }
        slots[slot] = hash.fingerprint() << u16::BITS | u64::from(u16::try_from(row)?);
    }
    Ok(slots)
}

/// Maps the hash of a prefix to the lengths of the tokens that start with it: a bit per length, the lowest for 1.
///
/// Lengths exclude the `##` of tokens that continue a word.
fn token_lengths(vocabulary: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut lengths = vec![0; 1 << PREFIX_SLOT_BITS];
    for token in vocabulary.lines() {
        // A token that starts with `##` may also start a word; it counts as both.
        for marker in ["", "##"] {
            let Some(text) = token.strip_prefix(marker).filter(|text| text.len() >= PREFIX_BYTES)
            else {
                continue;
            };
            let prefix = token.bytes().take(marker.len() + PREFIX_BYTES);
            let prefix = prefix.fold(RollingHash::EMPTY, RollingHash::push);
            let bit = u32::try_from(text.len() - 1)?;
            // Longer tokens are never looked up.
            lengths[prefix.prefix_slot()] |= 1_u32.checked_shl(bit).unwrap_or_default();
        }
    }
    Ok(lengths)
}
