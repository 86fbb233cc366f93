//! Draws the digest and the raw text of the selected call.

use forebay_text::number;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::details::{Details, DigestLine, Piece, RawLine};
use super::layout::Places;
use super::scroll::Scroll;
use super::state::{Pane, Shown, Watch};
use super::view::Theme;

/// In front of a line that the digest has, and of one that it leaves out.
const KEPT: &str = "▌";
const LEFT_OUT: &str = " ";

/// A terminal's colours, by the number that the styles of stored text name them with.
const COLOURS: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

pub(super) fn draw(frame: &mut Frame<'_>, watch: &Watch, theme: Theme, places: &Places) {
    let Shown::Details(details) = &watch.shown else { return };
    if let Some(place) = places.digest {
        let text = Text { watch, theme, pane: Pane::Digest, scroll: watch.digest, place };
        let heading = digest_heading(details, watch);
        text.draw(frame, heading, details.digest.len(), |row| digest_line(&details.digest[row]));
    }
    if let Some(place) = places.raw {
        let text = Text { watch, theme, pane: Pane::Raw, scroll: watch.raw, place };
        let digits = details.lines.to_string().len();
        let heading = format!(
            "raw text · {} tokens · {}",
            number::grouped(details.raw_tokens),
            details.kept_text()
        );
        text.draw(frame, heading, details.raw.len(), |row| {
            raw_line(&details.raw[row], digits, theme)
        });
    }
}

/// `digest · 120 tokens · cargo_test`, or why the line below the cursor is in it.
fn digest_heading(details: &Details, watch: &Watch) -> String {
    let heading = format!("digest · {} tokens", number::grouped(details.digest_tokens));
    let line = details.digest.get(watch.digest.cursor).filter(|_| watch.pane == Pane::Digest);
    let what = match (line.and_then(|line| line.why.as_deref()), &details.remark) {
        (Some(why), _) => format!("this line: {why}"),
        (None, Some(remark)) => remark.clone(),
        (None, None) if details.is_verbatim => "the whole text".to_owned(),
        (None, None) => details.recognizers.join(", "),
    };
    if what.is_empty() { heading } else { format!("{heading} · {what}") }
}

/// A text in its place, with a heading.
struct Text<'a> {
    watch: &'a Watch,
    theme: Theme,
    pane: Pane,
    scroll: Scroll,
    place: Rect,
}

impl Text<'_> {
    fn draw(
        &self,
        frame: &mut Frame<'_>,
        heading: String,
        length: usize,
        line: impl Fn(usize) -> Line<'static>,
    ) {
        let is_focused = self.watch.pane == self.pane;
        let style = if is_focused {
            self.theme.coloured(Color::Cyan).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
        } else {
            Style::new().add_modifier(Modifier::DIM | Modifier::UNDERLINED)
        };
        let [heading_place, text_place] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(self.place);
        // The underline reaches to the end of the row.
        let columns = usize::from(self.place.width);
        frame.render_widget(Line::styled(format!("{heading:<columns$}"), style), heading_place);
        let lines = self.scroll.rows(length).map(|row| {
            let has_cursor = is_focused && row == self.scroll.cursor;
            let modifier = if has_cursor { Modifier::REVERSED } else { Modifier::empty() };
            line(row).patch_style(Style::new().add_modifier(modifier))
        });
        let side = u16::try_from(self.watch.side).unwrap_or(u16::MAX);
        let text = Paragraph::new(lines.collect::<Vec<_>>()).scroll((0, side));
        frame.render_widget(text, text_place);
    }
}

fn digest_line(line: &DigestLine) -> Line<'static> {
    Line::raw(line.text.clone())
}

fn raw_line(line: &RawLine, digits: usize, theme: Theme) -> Line<'static> {
    match line {
        RawLine::Fold { first, last, is_kept } => {
            let what = if *is_kept { "more kept" } else { "left out" };
            let count = number::counted(last + 1 - first, "line");
            let text = format!("{:digits$} ⋯ {count} {what} ({first}-{last})", "");
            Line::styled(text, theme.coloured(Color::Cyan).add_modifier(Modifier::DIM))
        }
        RawLine::Text { number, pieces, is_kept, cut_bytes } => {
            let (mark, style) = if *is_kept {
                (Span::styled(KEPT, theme.coloured(Color::Green)), Style::new())
            } else {
                (Span::raw(LEFT_OUT), Theme::dim())
            };
            let mut spans = vec![Span::styled(format!("{number:>digits$}"), Theme::dim()), mark];
            spans.extend(pieces.iter().map(|piece| styled(piece, style, theme)));
            if *cut_bytes > 0 {
                let rest = format!(" … {} more", number::bytes(*cut_bytes));
                spans.push(Span::styled(rest, theme.coloured(Color::Cyan)));
            }
            Line::from(spans)
        }
    }
}

/// A piece with its own colours, unless the view has none.
fn styled(piece: &Piece, base: Style, theme: Theme) -> Span<'static> {
    let mut style = base;
    for name in piece.styles.split(' ') {
        let colour = |prefix: char| {
            let number: usize = name.strip_prefix(prefix)?.parse().ok()?;
            COLOURS.get(number).copied().filter(|_| theme.has_colours)
        };
        style = match name {
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "underline" => style.add_modifier(Modifier::UNDERLINED),
            "inverse" => style.add_modifier(Modifier::REVERSED),
            "strike" => style.add_modifier(Modifier::CROSSED_OUT),
            _ => match (colour('f'), colour('g')) {
                (Some(foreground), _) => style.fg(foreground),
                (_, Some(background)) => style.bg(background),
                _ => style,
            },
        };
    }
    Span::styled(piece.text.clone(), style)
}

/// A text without line ends.
pub(super) fn on_one_line(text: &str) -> String {
    text.split(['\n', '\t']).map(str::trim_end).collect::<Vec<_>>().join(" ")
}
