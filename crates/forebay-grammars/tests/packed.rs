//! A packed grammar has the same tables as the one in its crate.
#![cfg(feature = "packed")]

use forebay_grammars::unpacked;
use tree_sitter::{Language, Parser};
use tree_sitter_language::LanguageFn;

macro_rules! pairs {
    ($($name:ident),*) => {
        [$((stringify!($name), forebay_grammars::$name, unpacked::$name)),*]
    };
}

/// Name, packed and unpacked grammar.
const PAIRS: [(&str, LanguageFn, LanguageFn); 17] = pairs![
    BASH, C, C_SHARP, CPP, ELIXIR, HASKELL, KOTLIN, MARKDOWN, PHP, RUBY, RUST, SCALA, SQL, SWIFT,
    TSX, TYPESCRIPT, ZIG
];

#[test]
fn packed_grammars_are_other_values_with_equal_tables() {
    for (name, packed, unpacked) in PAIRS {
        let (packed, unpacked) = (Language::new(packed), Language::new(unpacked));
        assert_ne!(packed, unpacked, "{name}");
        assert_eq!(packed.abi_version(), unpacked.abi_version(), "{name}");
        let states = unpacked.parse_state_count();
        assert_eq!(packed.parse_state_count(), states, "{name}");
        assert!(states > 100, "{name}: {states}");
        for state in 0..u16::try_from(states).unwrap() {
            assert_eq!(successors(&packed, state), successors(&unpacked, state), "{name} {state}");
        }
    }
}

/// The symbols that may follow in a state, with the next states.
fn successors(language: &Language, state: u16) -> Vec<(u16, u16)> {
    let symbols = language.lookahead_iterator(state).into_iter().flatten();
    symbols.map(|symbol| (symbol, language.next_state(state, symbol))).collect()
}

#[test]
fn packed_grammars_parse_alike() {
    let text = "class A<T> : B { int f(string x) { return x.Length + 1; } } // 'é\n# `a` {b}\n";
    for (name, packed, unpacked) in PAIRS {
        assert_eq!(tree(packed, text), tree(unpacked, text), "{name}");
    }
}

fn tree(language: LanguageFn, text: &str) -> String {
    let mut parser = Parser::new();
    parser.set_language(&language.into()).unwrap();
    parser.parse(text, None).unwrap().root_node().to_sexp()
}
