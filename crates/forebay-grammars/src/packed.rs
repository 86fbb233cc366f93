//! Grammars with compressed parse tables.
//!
//! `build/pack.rs` makes them. The tables of a grammar are decompressed when it is first used, which takes a few
//! milliseconds, and stay in memory.

#![expect(unsafe_code, reason = "a grammar is a function of C")]

use std::sync::OnceLock;

use tree_sitter_language::LanguageFn;

/// The alignment of the largest number in a table.
const ALIGNMENT: usize = 8;

/// Sets the tables of a copy of the grammar; null if there is no memory.
type WithTables = unsafe extern "C" fn(tables: *const u8) -> *const ();

struct PackedGrammar {
    compressed: &'static [u8],
    size: usize,
    with_tables: WithTables,
    /// The address of the `TSLanguage`.
    language: OnceLock<usize>,
}

impl PackedGrammar {
    fn language(&self) -> *const () {
        let address = self.language.get_or_init(|| {
            let tables = self.tables();
            // SAFETY: the tables are those that the function was generated for, are aligned and are never freed.
            let language = unsafe { (self.with_tables)(tables.as_ptr()) };
            language.expose_provenance()
        });
        std::ptr::with_exposed_provenance(*address)
    }

    fn tables(&self) -> &'static [u8] {
        let buffer = vec![0_u8; self.size + ALIGNMENT].leak();
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        let tables = &mut buffer[start..start + self.size];
        let size = zstd::bulk::decompress_to_buffer(self.compressed, tables);
        assert_eq!(size.ok(), Some(self.size), "the tables are a part of the program");
        tables
    }
}

/// Declares a grammar: its constant, the size of its tables, the C function that sets them.
macro_rules! packed {
    ($name:ident, $size:literal, $with_tables:ident) => {
        unsafe extern "C" {
            fn $with_tables(tables: *const u8) -> *const ();
        }

        pub const $name: LanguageFn = {
            extern "C" fn language() -> *const () {
                static GRAMMAR: PackedGrammar = PackedGrammar {
                    compressed: include_bytes!(concat!(
                        env!("OUT_DIR"),
                        "/",
                        stringify!($name),
                        ".zst"
                    )),
                    size: $size,
                    with_tables: $with_tables,
                    language: OnceLock::new(),
                };
                GRAMMAR.language()
            }
            // SAFETY: it returns a `TSLanguage` of the version that the parser was generated for, the same at each call.
            unsafe { LanguageFn::from_raw(language) }
        };
    };
}

include!(concat!(env!("OUT_DIR"), "/packed.rs"));
