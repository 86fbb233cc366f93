//! Chunks source code by symbol, each with the docs and attributes above it.

use forebay_skeleton::{Document, FileClass, Symbol, SymbolKind, classify, detect_language};
use forebay_text::chunk::{Cut, Piece, TITLE_SEPARATOR, pack};

/// Deeper symbols are treated like those of this depth.
const MAX_DEPTH: usize = 20;

/// Returns the chunks of source code, or None if no grammar supports the file.
pub(super) fn pieces(name: &str, text: &str) -> Option<Vec<Piece>> {
    let language = detect_language(name, text.as_bytes())?;
    if classify(text.as_bytes()) == FileClass::Minified {
        return None;
    }
    let document = Document::parse(text, language).ok()?;
    let symbols = document.symbols();
    (!symbols.is_empty()).then(|| pack(text, cuts(text, &symbols)))
}

fn cuts(text: &str, symbols: &[Symbol]) -> Vec<Cut> {
    let starts = line_starts(text);
    let mut sorted: Vec<&Symbol> = symbols.iter().filter(|symbol| is_own_chunk(symbol)).collect();
    sorted.sort_by_key(|symbol| (*symbol.lines.start(), std::cmp::Reverse(*symbol.lines.end())));
    // The enclosing symbols, outermost first.
    let mut around: Vec<&Symbol> = Vec::new();
    let mut cuts = Vec::with_capacity(sorted.len());
    for symbol in sorted {
        around.retain(|outer| outer.lines.end() >= symbol.lines.end());
        around.truncate(MAX_DEPTH);
        around.push(symbol);
        let names: Vec<&str> = around.iter().map(|outer| outer.name.as_str()).collect();
        let line = start_with_docs(text, &starts, *symbol.lines.start());
        cuts.push(Cut::new(starts[line - 1], around.len() as u8, names.join(TITLE_SEPARATOR)));
    }
    cuts
}

/// Whether a symbol can be a chunk of its own; fields and variants belong to their type.
fn is_own_chunk(symbol: &Symbol) -> bool {
    !symbol.name.is_empty() && !matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant)
}

fn line_starts(text: &str) -> Vec<usize> {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    [0].into_iter().chain(newlines.filter(|at| *at < text.len())).collect()
}

/// Returns the first line of the comments and attributes directly above a line.
fn start_with_docs(text: &str, starts: &[usize], line: usize) -> usize {
    const MARKS: &[&str] = &["//", "/*", "*", "#", "@", "--", ";", "%", "[", "<!--", "\"\"\""];
    let mut first = line.clamp(1, starts.len());
    while first > 1 {
        let above = text[starts[first - 2]..starts[first - 1]].trim();
        if !MARKS.iter().any(|mark| above.starts_with(mark)) {
            break;
        }
        first -= 1;
    }
    first
}
