//! The table of targets and measurements.

use std::thread;

/// A row of the table.
pub(super) struct Row {
    name: String,
    target: String,
    measured: String,
    verdict: &'static str,
}

impl Row {
    /// A measurement with an upper limit; `remark` adds details.
    pub(super) fn at_most(
        name: impl Into<String>,
        limit: f64,
        value: f64,
        unit: &str,
        remark: impl AsRef<str>,
    ) -> Self {
        Self {
            name: name.into(),
            target: format!("<= {limit} {unit}"),
            measured: with_remark(format!("{value:.2} {unit}"), remark.as_ref()),
            verdict: if value <= limit { "met" } else { "MISSED" },
        }
    }

    /// A measurement with a lower limit.
    pub(super) fn at_least(
        name: impl Into<String>,
        limit: f64,
        value: f64,
        unit: &str,
        remark: impl AsRef<str>,
    ) -> Self {
        Self {
            name: name.into(),
            target: format!(">= {limit} {unit}"),
            measured: with_remark(format!("{value:.0} {unit}"), remark.as_ref()),
            verdict: if value >= limit { "met" } else { "MISSED" },
        }
    }

    /// A claim that is true or false.
    pub(super) fn claim(name: impl Into<String>, holds: bool, measured: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            target: "holds".to_owned(),
            measured: measured.into(),
            verdict: if holds { "met" } else { "MISSED" },
        }
    }

    /// A measurement without a target.
    pub(super) fn figure(name: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { name: name.into(), target: String::new(), measured: measured.into(), verdict: "" }
    }

    fn cells(&self) -> [&str; 4] {
        [&self.name, &self.target, &self.measured, self.verdict]
    }
}

fn with_remark(text: String, remark: &str) -> String {
    if remark.is_empty() { text } else { format!("{text} ({remark})") }
}

/// Renders the table in Markdown, with a description of the machine.
pub(super) fn render(rows: &[Row], quick: bool) -> String {
    const HEAD: [&str; 4] = ["name", "target", "measured", "verdict"];
    let mut widths = HEAD.map(|word| word.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row.cells()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = format!("{}\n\n{}", machine(quick), line(HEAD, widths));
    text.push_str(&format!(
        "|{}\n",
        widths.map(|width| format!("{}|", "-".repeat(width + 2))).concat()
    ));
    text.extend(rows.iter().map(|row| line(row.cells(), widths)));
    text
}

fn line(cells: [&str; 4], widths: [usize; 4]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:<width$} |"));
    format!("|{}\n", padded.collect::<String>())
}

fn machine(quick: bool) -> String {
    let cores = thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let note = if quick { "; --quick: these results mean nothing" } else { "" };
    format!("Medians, on {cores} cores, {system} {processor}{note}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_follows_the_target() {
        assert_eq!(Row::at_most("a", 2.0, 2.0, "ms", "").verdict, "met");
        assert_eq!(Row::at_most("a", 2.0, 2.1, "ms", "").verdict, "MISSED");
        assert_eq!(Row::claim("a", false, "1 of 2").verdict, "MISSED");
        assert_eq!(Row::figure("a", "1").verdict, "");
    }

    #[test]
    fn columns_are_aligned() {
        let table = render(&[Row::at_most("start", 10.0, 3.5, "ms", "p95 4")], true);
        let lengths: Vec<usize> = table.lines().skip(2).map(|line| line.chars().count()).collect();
        assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
    }
}
