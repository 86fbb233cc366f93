//! Moves the tables of a generated parser into a compressed file.
//!
//! A grammar crate contains `parser.c`: tables, a lexer, and a `TSLanguage` that points to them. Of each large grammar,
//!
//! 1. a program made from the tables alone writes their bytes, which are compressed;
//! 2. the rest, with null instead of the tables, is compiled together with a function that copies the `TSLanguage` and
//!    sets its pointers to tables in memory;
//! 3. a line of Rust names both (`src/packed.rs`).
//!
//! The parser in the grammar crate itself is then referenced by nothing, and the linker leaves it out. Its scanner, which
//! is another object file, is still used.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A grammar whose tables are compressed.
struct Grammar {
    /// Its constant in the crate.
    name: &'static str,
    package: &'static str,
    /// The folder of `parser.c` in the package.
    folder: &'static str,
    /// The C function that returns the language.
    function: &'static str,
}

const fn grammar(
    name: &'static str,
    package: &'static str,
    folder: &'static str,
    function: &'static str,
) -> Grammar {
    Grammar { name, package, folder, function }
}

/// The grammars with more than 0.5 MB of tables.
const GRAMMARS: &[Grammar] = &[
    grammar("BASH", "tree-sitter-bash", "src", "tree_sitter_bash"),
    grammar("C", "tree-sitter-c", "src", "tree_sitter_c"),
    grammar("CPP", "tree-sitter-cpp", "src", "tree_sitter_cpp"),
    grammar("C_SHARP", "tree-sitter-c-sharp", "src", "tree_sitter_c_sharp"),
    grammar("ELIXIR", "tree-sitter-elixir", "src", "tree_sitter_elixir"),
    grammar("HASKELL", "tree-sitter-haskell", "src", "tree_sitter_haskell"),
    grammar("KOTLIN", "tree-sitter-kotlin-ng", "src", "tree_sitter_kotlin"),
    grammar("MARKDOWN", "tree-sitter-md", "tree-sitter-markdown/src", "tree_sitter_markdown"),
    grammar("PHP", "tree-sitter-php", "php/src", "tree_sitter_php"),
    grammar("RUBY", "tree-sitter-ruby", "src", "tree_sitter_ruby"),
    grammar("RUST", "tree-sitter-rust", "src", "tree_sitter_rust"),
    grammar("SCALA", "tree-sitter-scala", "src", "tree_sitter_scala"),
    grammar("SQL", "tree-sitter-sequel", "src", "tree_sitter_sql"),
    grammar("SWIFT", "tree-sitter-swift", "src", "tree_sitter_swift"),
    grammar("TSX", "tree-sitter-typescript", "tsx/src", "tree_sitter_tsx"),
    grammar("TYPESCRIPT", "tree-sitter-typescript", "typescript/src", "tree_sitter_typescript"),
    grammar("ZIG", "tree-sitter-zig", "src", "tree_sitter_zig"),
];

/// The fields of `TSLanguage` whose arrays, `ts_<field>`, are compressed. They hold numbers only, laid out alike on all
/// little-endian 64-bit machines.
const TABLES: [&str; 6] = [
    "parse_table",
    "small_parse_table",
    "small_parse_table_map",
    "parse_actions",
    "lex_modes",
    "primary_state_ids",
];

/// Each table starts at a multiple of this many bytes.
const ALIGNMENT: usize = 8;

const COMPRESSION_LEVEL: i32 = 19;

pub(crate) fn pack_all() -> Result<()> {
    let is_supported = |width: &str, endian: &str| width == "64" && endian == "little";
    let target =
        (env::var("CARGO_CFG_TARGET_POINTER_WIDTH")?, env::var("CARGO_CFG_TARGET_ENDIAN")?);
    if !is_supported(&target.0, &target.1) || cfg!(target_endian = "big") {
        return Err("the feature `packed` needs little-endian 64-bit machines".into());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let packages = package_folders()?;
    let mut library = cc::Build::new();
    library.std("c11").warnings(false);
    let mut declarations = String::new();
    for grammar in GRAMMARS {
        let folder = packages
            .iter()
            .find(|(name, _)| name == grammar.package)
            .map(|(_, folder)| folder.join(grammar.folder))
            .ok_or_else(|| format!("cargo metadata does not list {}", grammar.package))?;
        let source = Parser::read(&folder)?;
        let tables = source.dump_tables(&out, grammar)?;
        fs::write(
            out.join(format!("{}.zst", grammar.name)),
            zstd::bulk::compress(&tables.bytes, COMPRESSION_LEVEL)?,
        )?;
        library.file(source.write_without_tables(&out, grammar, &tables.offsets)?);
        declarations.push_str(&declaration(grammar, tables.bytes.len()));
    }
    library.compile("forebay-packed-grammars");
    fs::write(out.join("packed.rs"), declarations)?;
    Ok(())
}

fn declaration(grammar: &Grammar, size: usize) -> String {
    let Grammar { name, function, .. } = grammar;
    format!("packed!({name}, {size}, forebay_with_tables_{function});\n")
}

/// Returns the folder of each package that the workspace depends on.
fn package_folders() -> Result<Vec<(String, PathBuf)>> {
    let output = Command::new(env::var_os("CARGO").ok_or("CARGO is not set")?)
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform"])
        .arg(env::var("TARGET")?)
        .current_dir(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let folder = |package: &Value| -> Option<(String, PathBuf)> {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(folder).collect())
}

/// A generated `parser.c`.
struct Parser {
    folder: PathBuf,
    text: String,
}

/// The tables of a parser, one after another.
struct Tables {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Parser {
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("parser.c");
        println!("cargo:rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Ok(Self { folder: folder.to_owned(), text })
    }

    /// Compiles the tables into a program for this machine that writes them, and runs it.
    fn dump_tables(&self, out: &Path, grammar: &Grammar) -> Result<Tables> {
        let source = out.join(format!("{}_tables.c", grammar.name));
        // What follows is the `TSLanguage`, which refers to the scanner.
        let (tables, _) = self.text.split_once("\n#ifdef __cplusplus\n").ok_or("unknown parser")?;
        fs::write(&source, format!("{tables}\n{}", dump_function()))?;
        let program = source.with_extension("run");
        let host = env::var("HOST")?;
        let compiler =
            cc::Build::new().host(&host).target(&host).opt_level(0).try_get_compiler()?;
        let mut command = compiler.to_command();
        command.arg(&source).arg("-I").arg(&self.folder).arg("-w").arg("-o").arg(&program);
        printed_by(&mut command)?;
        let printed = printed_by(&mut Command::new(&program))?;
        read_tables(&printed)
    }

    /// Writes the parser without its tables, and with the function that returns a language with tables.
    fn write_without_tables(
        &self,
        out: &Path,
        grammar: &Grammar,
        offsets: &[usize],
    ) -> Result<PathBuf> {
        let mut text = self.text.clone();
        for table in TABLES {
            remove_array(&mut text, table)?;
            clear_pointer(&mut text, table)?;
        }
        let path = out.join(format!("{}.c", grammar.name));
        let Grammar { function, .. } = grammar;
        // Another name than that of the parser in the grammar crate.
        let text = text.replace(
            &format!("*{function}(void)"),
            &format!("*forebay_without_tables_{function}(void)"),
        );
        let header = self.folder.join("tree_sitter").join("parser.h");
        let text =
            text.replace("#include \"tree_sitter/parser.h\"", &format!("#include {header:?}"));
        fs::write(&path, format!("{text}\n{}", attach_function(function, offsets)))?;
        Ok(path)
    }
}

/// A C program that writes the size and the bytes of each table.
fn dump_function() -> String {
    let tables = TABLES.map(|table| format!("WRITE(ts_{table})")).join("\n  ");
    format!(
        "#include <stdio.h>
#define WRITE(table) {{ uint64_t size = sizeof(table); fwrite(&size, 8, 1, stdout); fwrite(table, 1, size, stdout); }}
int main(void) {{
  {tables}
  return fflush(stdout);
}}
"
    )
}

fn read_tables(mut printed: &[u8]) -> Result<Tables> {
    let mut tables = Tables { bytes: Vec::new(), offsets: Vec::new() };
    for _ in TABLES {
        let (size, rest) = printed.split_first_chunk().ok_or("the tables end early")?;
        let size = usize::try_from(u64::from_le_bytes(*size))?;
        let (table, rest) = rest.split_at_checked(size).ok_or("a table ends early")?;
        tables.offsets.push(tables.bytes.len());
        tables.bytes.extend_from_slice(table);
        tables.bytes.resize(tables.bytes.len().next_multiple_of(ALIGNMENT), 0);
        printed = rest;
    }
    Ok(tables)
}

/// Removes `static const T ts_<table>[..] = { .. };`.
fn remove_array(text: &mut String, table: &str) -> Result<()> {
    let name = format!(" ts_{table}[");
    let is_definition = |start: usize| text[..start].rsplit('\n').next().is_some_and(is_static);
    let start =
        text.match_indices(&name).map(|(start, _)| start).find(|start| is_definition(*start));
    let start = start.ok_or_else(|| format!("no definition of ts_{table}"))?;
    let start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[start..].find("\n};\n").ok_or_else(|| format!("ts_{table} has no end"))?;
    text.replace_range(start..start + end + "\n};\n".len(), "");
    Ok(())
}

fn is_static(start_of_line: &str) -> bool {
    start_of_line.starts_with("static const ")
}

/// Replaces the value of `.<table> = ..,` in the `TSLanguage` by null.
fn clear_pointer(text: &mut String, table: &str) -> Result<()> {
    let field = format!("    .{table} = ");
    let start = text.find(&field).ok_or_else(|| format!("no field {table}"))? + field.len();
    let end = text[start..].find(",\n").ok_or_else(|| format!("no end of the field {table}"))?;
    text.replace_range(start..start + end, "0");
    Ok(())
}

/// A C function that returns a language like that of the parser, but with tables in memory.
fn attach_function(function: &str, offsets: &[usize]) -> String {
    let pointers = TABLES.iter().zip(offsets).map(|(table, offset)| {
        format!("  language->{table} = (const void *)(tables + {offset});\n")
    });
    let pointers: String = pointers.collect();
    format!(
        "#include <stdlib.h>
#include <string.h>
const void *forebay_with_tables_{function}(const unsigned char *tables) {{
  TSLanguage *language = malloc(sizeof *language);
  if (!language) return NULL;
  memcpy(language, forebay_without_tables_{function}(), sizeof *language);
{pointers}  return language;
}}
"
    )
}

fn printed_by(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}: {message}", output.status).into());
    }
    Ok(output.stdout)
}
