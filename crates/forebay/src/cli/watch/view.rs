//! Draws the state.

use forebay_text::number;
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Flex, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Clear, Padding, Paragraph, Row, Table, Wrap};

use super::call::{Call, Outcome};
use super::keys::HELP;
use super::layout::{Places, places};
use super::state::{Pane, Shown, Watch};
use super::texts;

const COLUMN_GAP: u16 = 1;
const TIME_COLUMNS: u16 = 8;
const OUTCOME_COLUMNS: u16 = 8;
const TOKENS_COLUMNS: u16 = 17;
const TOOL_COLUMNS: u16 = 10;
const PROJECT_COLUMNS: u16 = 12;
/// A session's short id; with room also the subagent.
const SESSION_COLUMNS: u16 = 8;
const WIDE_SESSION_COLUMNS: u16 = 22;
/// A list of this width has room for more.
const WIDE: u16 = 110;
/// Narrower lists leave columns out, one after another.
const MIN_WITH_SESSION: u16 = 70;
const MIN_WITH_TOOL: u16 = 50;
const MIN_WITH_TOKENS: u16 = 44;

const EMPTY: &str = "No calls yet. Work with your agent: its calls appear here.\n\nA small result that reaches the \
                     model unchanged is not stored, so it is not here.";

/// The colours of this view, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    pub(super) has_colours: bool,
}

impl Theme {
    pub(super) fn coloured(self, colour: Color) -> Style {
        if self.has_colours { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn dim() -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn bold() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    fn outcome(self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Replaced => self.coloured(Color::Green),
            Outcome::Passed => Style::new(),
            Outcome::Denied | Outcome::Failed => {
                self.coloured(Color::Red).add_modifier(Modifier::BOLD)
            }
            Outcome::Asked | Outcome::Fault => self.coloured(Color::Yellow),
        }
    }
}

/// Draws the view, and fits its parts to the screen.
pub(super) fn draw(frame: &mut Frame<'_>, watch: &mut Watch) {
    let screen = frame.area();
    let Some(places) = places(screen, watch) else {
        frame.render_widget(Paragraph::new("too small").wrap(Wrap { trim: true }), screen);
        return;
    };
    let rows = |place: Option<Rect>| place.map_or(0, |place| place.height.saturating_sub(1));
    let [list, digest, raw] = [places.list, places.digest, places.raw].map(rows).map(usize::from);
    watch.resize(list, digest, raw);
    let theme = Theme { has_colours: watch.has_colours };
    draw_title(frame, watch, theme, places.title);
    if let Some(place) = places.list {
        draw_list(frame, watch, theme, place);
    }
    draw_call(frame, watch, theme, &places);
    draw_footer(frame, watch, places.footer);
    if watch.has_help {
        draw_help(frame, screen);
    }
}

fn draw_title(frame: &mut Frame<'_>, watch: &Watch, theme: Theme, place: Rect) {
    let name = vec![
        Span::styled("forebay watch", Theme::bold()),
        Span::raw("  "),
        Span::raw(watch.about.clone()),
    ];
    frame.render_widget(Line::from(name), place);
    let state = match (watch.is_paused, watch.waiting()) {
        (false, _) => Span::styled("live", theme.coloured(Color::Green)),
        (true, 0) => Span::styled("paused", theme.coloured(Color::Yellow)),
        (true, waiting) => Span::styled(
            format!("paused, {} wait", number::grouped(waiting as u64)),
            theme.coloured(Color::Yellow),
        ),
    };
    let mut sums: Vec<Span<'_>> = Vec::new();
    for (outcome, count) in Outcome::ALL.into_iter().zip(watch.counts) {
        if count > 0 {
            let text = format!("{} {}", number::grouped(count), outcome.as_str());
            sums.extend([Span::styled(text, theme.outcome(outcome)), Span::raw(" · ")]);
        }
    }
    let sign = if watch.saved < 0 { "-" } else { "" };
    let saved = format!("{sign}{} tokens saved", number::rough(watch.saved.unsigned_abs()));
    if watch.counts != [0; Outcome::ALL.len()] && place.width >= MIN_WITH_SESSION {
        sums.extend([Span::raw(saved), Span::raw(" · ")]);
    }
    sums.push(state);
    let sums = Line::from(sums).alignment(Alignment::Right);
    // Over the name, if there is no room for both.
    let width = u16::try_from(sums.width()).unwrap_or(u16::MAX).min(place.width);
    let right = Rect { x: place.right() - width, width, ..place };
    frame.render_widget(Clear, right);
    frame.render_widget(sums, right);
}

fn draw_list(frame: &mut Frame<'_>, watch: &Watch, theme: Theme, place: Rect) {
    if watch.listed() == 0 {
        let text =
            if watch.filter.text.is_empty() { EMPTY } else { "No call contains these words." };
        let padding = Block::new().padding(Padding::new(2, 2, 1, 0));
        let text = Paragraph::new(text).style(Theme::dim()).wrap(Wrap { trim: true });
        frame.render_widget(text.block(padding), place);
        return;
    }
    let columns = Columns::new(place.width, watch.has_projects);
    let rows = watch.list.rows(watch.listed());
    let first = rows.start;
    let is_focused = watch.pane == Pane::List;
    let rows = watch.rows(rows).enumerate().map(|(index, call)| {
        let style = match (first + index == watch.list.cursor, is_focused) {
            (true, true) => Style::new().add_modifier(Modifier::REVERSED),
            (true, false) => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            _ => Style::new(),
        };
        Row::new(columns.cells(watch, call, theme)).style(style)
    });
    let table = Table::new(rows, columns.widths())
        .column_spacing(COLUMN_GAP)
        .header(Row::new(columns.headings()).style(Theme::dim()));
    frame.render_widget(table, place);
}

/// The columns of the list that there is room for.
struct Columns {
    has_tokens: bool,
    has_tool: bool,
    has_project: bool,
    session: Option<u16>,
}

impl Columns {
    fn new(width: u16, has_projects: bool) -> Self {
        let session = if width >= WIDE { WIDE_SESSION_COLUMNS } else { SESSION_COLUMNS };
        Self {
            has_tokens: width >= MIN_WITH_TOKENS,
            has_tool: width >= MIN_WITH_TOOL,
            has_project: has_projects && width >= MIN_WITH_TOOL,
            session: (width >= MIN_WITH_SESSION && !(has_projects && width < WIDE))
                .then_some(session),
        }
    }

    /// The columns in order: each with its heading and width.
    fn list(&self) -> Vec<(&'static str, Constraint)> {
        let mut list = vec![
            ("time", Constraint::Length(TIME_COLUMNS)),
            ("verdict", Constraint::Length(OUTCOME_COLUMNS)),
        ];
        list.extend(self.has_project.then_some(("project", Constraint::Length(PROJECT_COLUMNS))));
        list.extend(self.has_tool.then_some(("tool", Constraint::Length(TOOL_COLUMNS))));
        list.push(("call", Constraint::Fill(1)));
        list.extend(self.has_tokens.then_some(("tokens", Constraint::Length(TOKENS_COLUMNS))));
        list.extend(self.session.map(|width| ("session", Constraint::Length(width))));
        list
    }

    fn widths(&self) -> Vec<Constraint> {
        self.list().into_iter().map(|(_, width)| width).collect()
    }

    fn headings(&self) -> Vec<Cell<'static>> {
        let heading = |(name, _): (&'static str, Constraint)| {
            let is_number = name == "tokens";
            let line = Line::from(name);
            Cell::from(if is_number { line.alignment(Alignment::Right) } else { line })
        };
        self.list().into_iter().map(heading).collect()
    }

    fn cells(&self, watch: &Watch, call: &Call, theme: Theme) -> Vec<Cell<'static>> {
        let cell = |(name, _): (&'static str, Constraint)| match name {
            "time" => Cell::from(call.time(&watch.zone)),
            "verdict" => {
                Cell::from(Span::styled(call.outcome.as_str(), theme.outcome(call.outcome)))
            }
            "project" => Cell::from(call.project_name.clone()),
            "tool" => Cell::from(call.tool.clone()),
            "tokens" => Cell::from(Line::from(call.tokens_text()).alignment(Alignment::Right)),
            "session" => Cell::from(call.session_text()),
            _ => Cell::from(texts::on_one_line(&call.title)),
        };
        self.list().into_iter().map(cell).collect()
    }
}

/// Draws the line about the selected call, and below it its texts.
fn draw_call(frame: &mut Frame<'_>, watch: &Watch, theme: Theme, places: &Places) {
    let (Some(line), Some(text)) = (places.call, places.text) else { return };
    let Some(call) = watch.selected() else { return };
    frame.render_widget(call_line(watch, call, theme), line);
    let message = match &watch.shown {
        Shown::Nothing => call.reason.clone(),
        Shown::Loading(_) => "reading ...".to_owned(),
        Shown::Fault(_, message) => message.clone(),
        Shown::Details(_) => {
            texts::draw(frame, watch, theme, places);
            return;
        }
    };
    let block = Block::new().padding(Padding::new(2, 2, 1, 0));
    frame.render_widget(Paragraph::new(message).wrap(Wrap { trim: false }).block(block), text);
}

/// `exit 2 · [ctx:k3v9m2a1xq] · make test`
fn call_line(watch: &Watch, call: &Call, theme: Theme) -> Line<'static> {
    let mut spans = vec![Span::styled(call.outcome.as_str(), theme.outcome(call.outcome))];
    let mut add = |text: String, style: Style| {
        if !text.is_empty() {
            spans.extend([Span::raw(" · "), Span::styled(text, style)]);
        }
    };
    add(call.ending.clone().unwrap_or_default(), Style::new());
    let reference = call.reference.as_ref().map(|reference| format!("[ctx:{reference}]"));
    add(reference.unwrap_or_default(), theme.coloured(Color::Cyan));
    let is_explained = matches!(watch.shown, Shown::Nothing);
    add(if is_explained { String::new() } else { call.reason.clone() }, Style::new());
    add(texts::on_one_line(&call.title), Theme::bold());
    Line::from(spans)
}

fn draw_footer(frame: &mut Frame<'_>, watch: &Watch, place: Rect) {
    let line = if watch.filter.is_edited {
        Line::from(format!("/{}", watch.filter.text))
    } else if let Some(message) = watch.message.as_ref().or(watch.fault.as_ref()) {
        Line::from(texts::on_one_line(message))
    } else {
        Line::styled(keys_line(watch), Theme::dim())
    };
    frame.render_widget(line, place);
    if watch.filter.is_edited {
        let typed =
            u16::try_from(Line::from(watch.filter.text.as_str()).width()).unwrap_or(u16::MAX);
        let x = place.x.saturating_add(1).saturating_add(typed).min(place.right() - 1);
        frame.set_cursor_position((x, place.y));
    }
}

fn keys_line(watch: &Watch) -> String {
    let filter = match watch.filter.text.as_str() {
        "" => "/ filter".to_owned(),
        text => format!("/{text}  Esc all"),
    };
    let pause = if watch.is_paused { "p go on" } else { "p pause" };
    match watch.pane {
        Pane::List => {
            format!("↑↓ select  Enter open  Tab text  {filter}  {pause}  c copy  ? help  q quit")
        }
        Pane::Digest => "↑↓ ←→ move  Tab raw text  Esc list  c copy  ? help  q quit".to_owned(),
        Pane::Raw => {
            "↑↓ ←→ move  Enter unfold  Tab digest  Esc list  c copy  ? help  q quit".to_owned()
        }
    }
}

fn draw_help(frame: &mut Frame<'_>, screen: Rect) {
    let keys = HELP.iter().map(|(keys, _)| keys.chars().count()).max().unwrap_or_default();
    let lines: Vec<Line<'_>> = HELP
        .iter()
        .map(|(key, meaning)| {
            Line::from(vec![
                Span::styled(format!("{key:<keys$}  "), Theme::bold()),
                Span::raw(*meaning),
            ])
        })
        .collect();
    let width = lines.iter().map(Line::width).max().unwrap_or_default();
    let width = u16::try_from(width + 4).unwrap_or(u16::MAX).min(screen.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(screen.height);
    let [row] = Layout::vertical([Constraint::Length(height)]).flex(Flex::Center).areas(screen);
    let [place] = Layout::horizontal([Constraint::Length(width)]).flex(Flex::Center).areas(row);
    let block = Block::new()
        .borders(Borders::ALL)
        .padding(Padding::horizontal(1))
        .title(" keys ")
        .title_bottom(" any key closes ");
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
