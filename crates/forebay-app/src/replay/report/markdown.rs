//! The document as Markdown; charts are bars of characters.

use std::fmt::Write as _;

use forebay_text::invisible;

use super::chart::{Bar, Chart, Tone};
use super::{Block, Chapter, Document, Section, Subject, Table, document};

const BAR_COLUMNS: u64 = 40;
/// Characters for the tones of a bar's parts, in order of the legend.
const MARKS: [char; 4] = ['█', '▓', '▒', '░'];

/// Renders the report.
pub fn render(subject: Subject<'_>) -> String {
    let Document { title, chapters } = document(subject);
    let mut text = format!("# {}\n", escaped(title));
    for Chapter { title, figures, sections } in &chapters {
        let _ = write!(text, "\n## {}\n\n", escaped(title));
        for figure in figures {
            let _ = writeln!(text, "- **{}** {}", escaped(&figure.value), escaped(&figure.label));
        }
        for section in sections {
            write_section(&mut text, section);
        }
    }
    text
}

fn write_section(text: &mut String, Section { title, blocks }: &Section) {
    let _ = write!(text, "\n### {}\n", escaped(title));
    for block in blocks {
        text.push('\n');
        match block {
            Block::Text(paragraph) => {
                let _ = writeln!(text, "{}", escaped(paragraph));
            }
            Block::Table(table) => write_table(text, table),
            Block::Chart(chart) => write_chart(text, chart),
            Block::Definitions(rows) => {
                for (term, meaning) in rows {
                    let _ = writeln!(text, "- **{}**: {}", escaped(term), escaped(meaning));
                }
            }
            Block::List(items) => {
                for item in items {
                    let _ = writeln!(text, "- {}", escaped(item));
                }
            }
        }
    }
}

fn write_table(text: &mut String, table: &Table) {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&line(table.head.iter().map(|cell| escaped(cell)).collect()));
    let rule = (0..table.head.len()).map(|column| if column == 0 { "---" } else { "---:" });
    text.push_str(&line(rule.map(str::to_owned).collect()));
    for row in &table.rows {
        text.push_str(&line(row.iter().map(|cell| escaped(cell)).collect()));
    }
}

fn write_chart(text: &mut String, chart: &Chart) {
    let name = |bar: &Bar| invisible::escape(&bar.label).replace('`', "'");
    let width = chart.bars.iter().map(|bar| name(bar).chars().count()).max().unwrap_or_default();
    let most: u64 = chart.bars.iter().map(total).max().unwrap_or_default();
    let legend: Vec<String> =
        MARKS.iter().zip(&chart.legend).map(|(mark, (_, name))| format!("{mark} {name}")).collect();
    let _ = writeln!(text, "```text\n{}: {}", chart.title, legend.join("  "));
    for bar in &chart.bars {
        let line = format!("{:<width$}  {:<40}  {}", name(bar), marks(chart, bar, most), bar.value);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str("```\n");
}

fn total(bar: &Bar) -> u64 {
    bar.parts.iter().map(|part| part.size).sum()
}

/// The bar in whole characters: a part begins where the ones before end, rounded.
fn marks(chart: &Chart, bar: &Bar, most: u64) -> String {
    let columns = |size: u64| {
        let scaled = u128::from(size) * u128::from(BAR_COLUMNS) * 2 / u128::from(most.max(1));
        scaled.div_ceil(2) as usize
    };
    let (mut text, mut end, mut used) = (String::new(), 0, 0);
    for part in &bar.parts {
        end += part.size;
        let same = |(tone, _): &(Tone, &str)| tone.class() == part.tone.class();
        let mark = chart.legend.iter().position(same).map_or('█', |index| MARKS[index]);
        let until = columns(end);
        text.extend(std::iter::repeat_n(mark, until.saturating_sub(used)));
        used = until.max(used);
    }
    text
}

/// A text that Markdown shows as it is, in a paragraph and in a table.
fn escaped(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len());
    for character in invisible::escape(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '!' => {
                markdown.extend(['\\', character]);
            }
            '\n' | '\r' => markdown.push(' '),
            other => markdown.push(other),
        }
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_markdown_reads() {
        assert_eq!(escaped("a|b<i>[x](y)\n# *z*"), "a\\|b\\<i\\>\\[x\\](y) \\# \\*z\\*");
    }
}
