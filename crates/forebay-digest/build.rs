//! Turns the patterns of keywords into the table of a finite automaton: compiling them takes longer than the digest of
//! most outputs.

#[path = "src/ranker/keyword_patterns.rs"]
mod keyword_patterns;

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use keyword_patterns::PATTERNS;
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/ranker/keyword_patterns.rs");
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let table = Table::new(&automaton()?)?;
    fs::write(Path::new(&folder).join("keyword_table.rs"), table.source())?;
    Ok(())
}

/// Builds the automaton that finds every pattern that matches anywhere in a text.
fn automaton() -> Result<dense::DFA<Vec<u32>>, Box<dyn Error>> {
    let builder = dense::Config::new().match_kind(MatchKind::All).minimize(true).accelerate(false);
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    Ok(dense::Builder::new().configure(builder).syntax(ascii).build_many(&PATTERNS)?)
}

/// The transitions of the states that a text can lead to, the first of them before any byte.
struct Table {
    /// The column of each byte.
    columns: [usize; 256],
    /// The column of the end of the text.
    end: usize,
    /// The state that follows each state, by column; a power of two columns, so that a shift finds a row.
    next: Vec<Vec<usize>>,
    /// The patterns that have matched one byte before a state, a bit for each.
    matches: Vec<u8>,
}

impl Table {
    fn new(automaton: &dense::DFA<Vec<u32>>) -> Result<Self, Box<dyn Error>> {
        let columns =
            std::array::from_fn(|byte| usize::from(automaton.byte_classes().get(byte as u8)));
        let end = automaton.byte_classes().alphabet_len() - 1;
        let mut states = States::starting_with(automaton.start_state_forward(&Input::new(""))?);
        let (mut next, mut matches) = (Vec::new(), Vec::new());
        while let Some(state) = states.found.get(next.len()).copied() {
            let mut row = vec![0; (end + 1).next_power_of_two()];
            for byte in 0..=u8::MAX {
                row[columns[usize::from(byte)]] = states.number(automaton.next_state(state, byte));
            }
            row[end] = states.number(automaton.next_eoi_state(state));
            next.push(row);
            matches.push(match_bits(automaton, state));
        }
        Ok(Self { columns, end, next, matches })
    }

    fn source(&self) -> String {
        let (states, columns) = (self.next.len(), self.next.first().map_or(0, Vec::len));
        format!(
            "static COLUMNS: [u8; 256] = {:?};\n\
             const END: usize = {};\n\
             static NEXT: [[u16; {columns}]; {states}] = {:?};\n\
             static MATCHES: [u8; {states}] = {:?};\n",
            self.columns, self.end, self.next, self.matches
        )
    }
}

fn match_bits(automaton: &dense::DFA<Vec<u32>>, state: StateID) -> u8 {
    if !automaton.is_match_state(state) {
        return 0;
    }
    let patterns = (0..automaton.match_len(state)).map(|n| automaton.match_pattern(state, n));
    patterns.fold(0, |bits, pattern| bits | 1 << pattern.as_usize())
}

/// Numbers states in the order in which they are found, which puts those of ordinary text close together.
struct States {
    found: Vec<StateID>,
    numbers: HashMap<StateID, usize>,
}

impl States {
    fn starting_with(state: StateID) -> Self {
        Self { found: vec![state], numbers: HashMap::from([(state, 0)]) }
    }

    fn number(&mut self, state: StateID) -> usize {
        *self.numbers.entry(state).or_insert_with(|| {
            self.found.push(state);
            self.found.len() - 1
        })
    }
}
