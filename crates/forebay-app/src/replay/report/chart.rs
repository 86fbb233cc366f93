//! Horizontal bar charts as inline SVG.
//!
//! Bars are as wide as their share in percent and text has a fixed size, so a chart fits any width without scaling.

use std::fmt::Write as _;

use super::html::escaped;

/// Pixels.
const TEXT_HEIGHT: usize = 16;
const BAR_HEIGHT: usize = 12;
const ROW_HEIGHT: usize = TEXT_HEIGHT + BAR_HEIGHT + 12;
const LEGEND_HEIGHT: usize = 22;
const PICTURE_WIDTH: usize = 720;
const PICTURE_PADDING: usize = 16;

/// A bar chart.
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) legend: Vec<(Tone, &'static str)>,
    pub(super) bars: Vec<Bar>,
}

/// A bar with its parts from left to right.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: String,
    pub(super) parts: Vec<BarPart>,
}

#[derive(Clone)]
pub(super) struct BarPart {
    pub(super) tone: Tone,
    pub(super) size: u64,
}

impl BarPart {
    pub(super) fn new(tone: Tone, size: u64) -> Self {
        Self { tone, size }
    }
}

/// A colour with a meaning; the style sheet defines it for light and dark.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Gain,
    Kept,
    Cost,
    Loss,
}

impl Tone {
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Gain => "gain",
            Self::Kept => "kept",
            Self::Cost => "cost",
            Self::Loss => "loss",
        }
    }
}

impl Bar {
    fn size(&self) -> u64 {
        self.parts.iter().map(|part| part.size).sum()
    }
}

impl Chart {
    /// The height of its bars.
    fn height(&self) -> usize {
        self.bars.len() * ROW_HEIGHT
    }

    /// Renders its bars; `attributes` are those of the element.
    pub(super) fn svg(&self, attributes: &str) -> String {
        let height = self.height();
        let title = escaped(self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bars\" role=\"img\" aria-label=\"{title}\" height=\"{height}\" {attributes}>\n"
        );
        let most = self.bars.iter().map(Bar::size).max().unwrap_or_default();
        for (index, bar) in self.bars.iter().enumerate() {
            write_bar(&mut svg, bar, index * ROW_HEIGHT, most);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn write_bar(svg: &mut String, bar: &Bar, top: usize, most: u64) {
    let (label, value) = (escaped(&bar.label), escaped(&bar.value));
    let text_y = top + TEXT_HEIGHT - 4;
    let bar_y = top + TEXT_HEIGHT + 2;
    let _ = writeln!(svg, "<text x=\"0\" y=\"{text_y}\">{label}</text>");
    let _ = writeln!(svg, "<text x=\"100%\" y=\"{text_y}\" class=\"value\">{value}</text>");
    let _ = writeln!(
        svg,
        "<rect x=\"0\" y=\"{bar_y}\" width=\"100%\" height=\"{BAR_HEIGHT}\" class=\"track\"/>"
    );
    let mut left = 0;
    for BarPart { tone, size } in &bar.parts {
        if *size > 0 {
            let (x, width) = (percent(left, most), percent(*size, most));
            let class = tone.class();
            let _ = writeln!(
                svg,
                "<rect x=\"{x}%\" y=\"{bar_y}\" width=\"{width}%\" height=\"{BAR_HEIGHT}\" class=\"{class}\"/>"
            );
        }
        left += size;
    }
}

/// A share in percent with two decimals.
fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}", part as f64 * 100.0 / whole.max(1) as f64)
}

/// The colours of charts, for a document or a picture.
pub(super) const STYLE: &str = "\
:root{--ink:#1b1f24;--soft:#59636e;--page:#fff;--line:#d1d9e0;--track:#eef1f4;--gain:#0b7a75;--kept:#8aa4c8;--cost:#c98a00;--loss:#c0392b}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa7b4;--page:#0d1117;--line:#30363d;--track:#1c232b;--gain:#2fb5ad;--kept:#56729c;--cost:#e0a526;--loss:#ef6a5b}}
.bars text,.legend{font:13px system-ui,sans-serif;fill:var(--ink)}.bars .value{text-anchor:end;fill:var(--soft)}
.gain{fill:var(--gain);background:var(--gain)}.kept{fill:var(--kept);background:var(--kept)}.cost{fill:var(--cost);background:var(--cost)}.loss{fill:var(--loss);background:var(--loss)}.track{fill:var(--track)}
";

impl Chart {
    /// The chart as a file of its own, with its title and legend.
    pub(super) fn picture(&self) -> String {
        let width = PICTURE_WIDTH - 2 * PICTURE_PADDING;
        let top = PICTURE_PADDING + 2 * LEGEND_HEIGHT;
        let height = top + self.height() + PICTURE_PADDING;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bars\" width=\"{PICTURE_WIDTH}\" height=\"{height}\">\n\
             <style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--page)\"/>\n\
             <text x=\"{PICTURE_PADDING}\" y=\"{}\" font-weight=\"bold\">{}</text>\n",
            PICTURE_PADDING + TEXT_HEIGHT - 4,
            escaped(self.title),
        );
        let mut left = PICTURE_PADDING;
        let text_y = PICTURE_PADDING + LEGEND_HEIGHT + TEXT_HEIGHT - 4;
        for (tone, name) in &self.legend {
            let (class, name) = (tone.class(), escaped(name));
            let _ = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{}\" width=\"12\" height=\"12\" class=\"{class}\"/><text x=\"{}\" y=\"{text_y}\">{name}</text>",
                text_y - 11,
                left + 18,
            );
            left += 150;
        }
        svg.push_str(&self.svg(&format!("x=\"{PICTURE_PADDING}\" y=\"{top}\" width=\"{width}\"")));
        svg.push_str("</svg>\n");
        svg
    }
}
