//! The keys, what they do, and how the help names them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Quit,
    Help,
    /// Rows down.
    Move(isize),
    /// Pages down.
    Page(isize),
    First,
    Last,
    /// Steps to the right.
    Side(isize),
    Enter,
    Back,
    NextPane,
    PreviousPane,
    Filter,
    Pause,
    Copy,
}

/// The keys as the help shows them.
pub(super) const HELP: [(&str, &str); 11] = [
    ("↑ ↓  j k", "the call above or below; in a text, a line"),
    ("PgUp PgDn  g G", "a page; the first, the last"),
    ("← →  h l", "move a text sideways"),
    ("Enter", "open the call; unfold lines that the digest leaves out"),
    ("Esc", "back to the list; then, without the filter"),
    ("Tab", "next part of the screen"),
    ("/", "filter by words: replaced, denied, a tool, a session"),
    ("p", "pause; new calls wait"),
    ("c  y", "copy the reference of the result"),
    ("?", "this help"),
    ("q  Ctrl-C", "quit"),
];

/// What a key does while no text is typed.
pub(super) fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('d' | 'f') => Some(Action::Page(1)),
            KeyCode::Char('u' | 'b') => Some(Action::Page(-1)),
            KeyCode::Char('n') => Some(Action::Move(1)),
            KeyCode::Char('p') => Some(Action::Move(-1)),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char('?') | KeyCode::F(1) => Action::Help,
        KeyCode::Down | KeyCode::Char('j') => Action::Move(1),
        KeyCode::Up | KeyCode::Char('k') => Action::Move(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => Action::Page(1),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::Home | KeyCode::Char('g') => Action::First,
        KeyCode::End | KeyCode::Char('G') => Action::Last,
        KeyCode::Right | KeyCode::Char('l') => Action::Side(1),
        KeyCode::Left | KeyCode::Char('h') => Action::Side(-1),
        KeyCode::Enter => Action::Enter,
        KeyCode::Esc | KeyCode::Backspace => Action::Back,
        KeyCode::Tab => Action::NextPane,
        KeyCode::BackTab => Action::PreviousPane,
        KeyCode::Char('/') => Action::Filter,
        KeyCode::Char('p') => Action::Pause,
        KeyCode::Char('c' | 'y') => Action::Copy,
        _ => return None,
    })
}
