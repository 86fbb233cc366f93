//! Which parts are on the screen, and where.

use ratatui::layout::{Constraint, Layout, Rect};

use super::state::{Pane, Watch};

/// From this width on, the digest is beside the raw text.
const MIN_SIDE_BY_SIDE: u16 = 100;
/// A body with fewer rows shows one part at a time.
const MIN_WITH_TEXTS: u16 = 14;
const MIN_TWO_TEXTS: u16 = 8;
/// Nothing can be read on a smaller screen.
const MIN_COLUMNS: u16 = 24;
const MIN_ROWS: u16 = 4;

/// The parts of the screen; those without a place are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Places {
    pub(super) title: Rect,
    pub(super) list: Option<Rect>,
    /// The line about the selected call.
    pub(super) call: Option<Rect>,
    /// Where a fault or the reason of a rule is shown.
    pub(super) text: Option<Rect>,
    pub(super) digest: Option<Rect>,
    pub(super) raw: Option<Rect>,
    pub(super) footer: Rect,
}

/// Returns the places on a screen of this size; none if it is too small.
pub(super) fn places(screen: Rect, watch: &Watch) -> Option<Places> {
    if screen.width < MIN_COLUMNS || screen.height < MIN_ROWS {
        return None;
    }
    let [title, body, footer] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(screen);
    let places = Places { title, footer, ..Places::default() };
    let has_room = body.height >= MIN_WITH_TEXTS;
    if !watch.is_open && !has_room && watch.pane == Pane::List {
        return Some(Places { list: Some(body), ..places });
    }
    let is_alone = watch.is_open || !has_room;
    let list_rows = if is_alone { 0 } else { list_rows(body) };
    let [list, call, texts] = Layout::vertical([
        Constraint::Length(list_rows),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(body);
    let list = (!is_alone).then_some(list);
    let [digest, raw] = text_places(texts, watch.pane);
    Some(Places { list, call: Some(call), text: Some(texts), digest, raw, ..places })
}

/// About a third, with its headings.
fn list_rows(body: Rect) -> u16 {
    if body.width >= MIN_SIDE_BY_SIDE { body.height * 2 / 5 } else { body.height * 3 / 8 }
}

/// The digest and the raw text: side by side, one above the other, or only the one that keys act on.
fn text_places(texts: Rect, pane: Pane) -> [Option<Rect>; 2] {
    if texts.width >= MIN_SIDE_BY_SIDE {
        let halves = [Constraint::Fill(1), Constraint::Fill(1)];
        return Layout::horizontal(halves).spacing(1).areas::<2>(texts).map(Some);
    }
    if texts.height >= MIN_TWO_TEXTS {
        let parts = [Constraint::Fill(2), Constraint::Fill(3)];
        return Layout::vertical(parts).areas::<2>(texts).map(Some);
    }
    if pane == Pane::Raw { [None, Some(texts)] } else { [Some(texts), None] }
}
