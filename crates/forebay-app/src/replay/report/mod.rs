//! What was measured in a project, and a replay of past conversations, as a document to hand around: figures, plots, tables,
//! the methods and their limits.
//!
//! The document is written once, as blocks: `measured` has the chapter about the ledger, `replayed` that about the replay;
//! [`html`] and [`markdown`] render them. It contains no words of the conversations: of their texts only the names of tools, and the name of the project.

mod chart;
pub mod html;
pub mod markdown;
mod measured;
mod replayed;

use self::chart::Chart;
use super::Replay;
use crate::ledger::Ledger;

pub use self::replayed::svg;

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub ledger: &'a Ledger,
    pub replay: &'a Replay,
}

/// A document.
struct Document {
    title: &'static str,
    chapters: Vec<Chapter>,
}

struct Chapter {
    title: &'static str,
    /// The most important figures, each with what it is about.
    figures: Vec<Figure>,
    sections: Vec<Section>,
}

struct Figure {
    value: String,
    label: String,
}

struct Section {
    title: &'static str,
    blocks: Vec<Block>,
}

enum Block {
    Text(String),
    Table(Table),
    Chart(Chart),
    /// Terms with their explanations.
    Definitions(Vec<(&'static str, String)>),
    List(Vec<String>),
}

/// A table whose first column is text and whose other columns are figures.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// The last row is a sum.
    has_sum: bool,
}

fn document(subject: Subject<'_>) -> Document {
    Document {
        title: "What Forebay saves",
        chapters: vec![measured::chapter(subject.ledger), replayed::chapter(subject.replay)],
    }
}

/// `41 %`; `0 of 0` has no share.
fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "–".to_owned(),
        _ => format!("{:.0} %", part as f64 * 100.0 / whole as f64),
    }
}
