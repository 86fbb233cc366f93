//! The state of the view, and what a key makes of it. Nothing here reads a store or draws.

use std::collections::VecDeque;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::tz::TimeZone;

use super::call::{Call, Outcome};
use super::details::{Details, RawLine, Unfolded};
use super::keys::{self, Action};
use super::scroll::Scroll;

/// Calls in the list; older ones are in the sessions.
const MAX_CALLS: usize = 5_000;
/// Calls that wait while the view is paused.
const MAX_WAITING: usize = MAX_CALLS;
/// Columns that a key moves a text sideways.
const SIDE_STEP: usize = 8;
/// A line that goes on further than this is read elsewhere.
const MAX_SIDE: usize = 4_000;
const MAX_FILTER_BYTES: usize = 200;

/// A part of the screen that keys act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Pane {
    #[default]
    List,
    Digest,
    Raw,
}

/// What is shown of the selected call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Shown {
    #[default]
    Nothing,
    Loading(Target),
    Details(Box<Details>),
    Fault(Target, String),
}

impl Shown {
    /// Whether this is about a stored result, be it read already or not.
    fn is_about(&self, project: usize, reference: &str) -> bool {
        let about = match self {
            Self::Nothing => return false,
            Self::Loading(target) | Self::Fault(target, _) => (target.project, &target.reference),
            Self::Details(details) => (details.project, &details.reference),
        };
        about.0 == project && about.1 == reference
    }
}

/// A stored result that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) project: usize,
    pub(super) reference: String,
}

/// What the state asks of the program around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Load { project: usize, reference: String },
    Unfold { project: usize, reference: String, first: u64 },
    Copy(String),
    Suspend,
    Quit,
}

/// Text that is typed to filter the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filter {
    pub(super) text: String,
    pub(super) is_edited: bool,
}

/// The state of the view.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is set by a key, or by the user's environment"
)]
pub(super) struct Watch {
    pub(super) about: String,
    pub(super) has_projects: bool,
    pub(super) zone: TimeZone,
    pub(super) has_colours: bool,
    /// Each with its number, the latest last.
    calls: VecDeque<(u64, Call)>,
    next_number: u64,
    /// The numbers of the calls that the filter lets through, the latest first.
    listed: Vec<u64>,
    waiting: Vec<Call>,
    pub(super) is_paused: bool,
    pub(super) counts: [u64; Outcome::ALL.len()],
    /// Tokens that were kept out of contexts, less those that were added.
    pub(super) saved: i64,
    pub(super) list: Scroll,
    pub(super) digest: Scroll,
    pub(super) raw: Scroll,
    pub(super) side: usize,
    pub(super) pane: Pane,
    /// The selected call has the screen for itself.
    pub(super) is_open: bool,
    pub(super) shown: Shown,
    pub(super) filter: Filter,
    pub(super) has_help: bool,
    /// The outcome of the last key.
    pub(super) message: Option<String>,
    /// Why something cannot be followed.
    pub(super) fault: Option<String>,
}

impl Watch {
    pub(super) fn new(
        about: String,
        has_projects: bool,
        zone: TimeZone,
        has_colours: bool,
    ) -> Self {
        Self {
            about,
            has_projects,
            zone,
            has_colours,
            calls: VecDeque::new(),
            next_number: 0,
            listed: Vec::new(),
            waiting: Vec::new(),
            is_paused: false,
            counts: [0; Outcome::ALL.len()],
            saved: 0,
            list: Scroll::default(),
            digest: Scroll::default(),
            raw: Scroll::default(),
            side: 0,
            pane: Pane::List,
            is_open: false,
            shown: Shown::Nothing,
            filter: Filter::default(),
            has_help: false,
            message: None,
            fault: None,
        }
    }

    /// Adds calls, the earliest first; while paused, they wait.
    pub(super) fn add(&mut self, calls: Vec<Call>) -> Option<Effect> {
        if calls.is_empty() {
            return None;
        }
        for call in &calls {
            let index = Outcome::ALL.iter().position(|outcome| *outcome == call.outcome);
            self.counts[index.unwrap_or_default()] += 1;
            let (before, after) = call.tokens.unwrap_or_default();
            self.saved += before as i64 - after as i64;
        }
        self.waiting.extend(calls);
        let surplus = self.waiting.len().saturating_sub(MAX_WAITING);
        self.waiting.drain(..surplus);
        if self.is_paused { None } else { self.take_waiting() }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Shows the calls that wait. The selection stays on its call, unless it follows the latest.
    fn take_waiting(&mut self) -> Option<Effect> {
        let selected = self.selected_number();
        let follows = self.list.cursor == 0 && self.pane == Pane::List && !self.is_open;
        for call in std::mem::take(&mut self.waiting) {
            self.calls.push_back((self.next_number, call));
            self.next_number += 1;
        }
        let surplus = self.calls.len().saturating_sub(MAX_CALLS);
        self.calls.drain(..surplus);
        self.relist(if follows { None } else { selected })
    }

    /// Lists the calls that the filter lets through, and selects the one with this number, or the latest.
    fn relist(&mut self, number: Option<u64>) -> Option<Effect> {
        let filter = self.filter.text.to_lowercase();
        let wanted = self.calls.iter().rev().filter(|(_, call)| call.contains(&filter));
        self.listed = wanted.map(|(number, _)| *number).collect();
        let found = number.and_then(|number| self.listed.iter().position(|one| *one == number));
        self.list.cursor = found.unwrap_or(0);
        self.list.fit(self.listed.len());
        self.select()
    }

    fn call(&self, number: u64) -> Option<&Call> {
        let first = self.calls.front()?.0;
        self.calls.get(usize::try_from(number.checked_sub(first)?).ok()?).map(|(_, call)| call)
    }

    fn selected_number(&self) -> Option<u64> {
        self.listed.get(self.list.cursor).copied()
    }

    pub(super) fn selected(&self) -> Option<&Call> {
        self.call(self.selected_number()?)
    }

    pub(super) fn listed(&self) -> usize {
        self.listed.len()
    }

    /// The calls in these rows of the list.
    pub(super) fn rows(&self, rows: std::ops::Range<usize>) -> impl Iterator<Item = &Call> {
        self.listed[rows].iter().filter_map(|number| self.call(*number))
    }

    /// Shows the selected call, unless it is shown already.
    fn select(&mut self) -> Option<Effect> {
        let Some(call) = self.selected() else {
            self.show(Shown::Nothing);
            return None;
        };
        let Some(reference) = call.reference.clone() else {
            self.show(Shown::Nothing);
            return None;
        };
        let project = call.project;
        if self.shown.is_about(project, &reference) {
            return None;
        }
        self.show(Shown::Loading(Target { project, reference: reference.clone() }));
        Some(Effect::Load { project, reference })
    }

    fn show(&mut self, shown: Shown) {
        self.shown = shown;
        self.side = 0;
        for scroll in [&mut self.digest, &mut self.raw] {
            scroll.cursor = 0;
            scroll.fit(0);
        }
    }

    /// Shows the details of a result, if it is the one that is awaited.
    pub(super) fn loaded(
        &mut self,
        project: usize,
        reference: &str,
        loaded: Result<Details, String>,
    ) {
        if !self.shown.is_about(project, reference) {
            return;
        }
        self.show(match loaded {
            Ok(details) => Shown::Details(Box::new(details)),
            Err(message) => {
                Shown::Fault(Target { project, reference: reference.to_owned() }, message)
            }
        });
        self.fit_panes();
        self.raw.cursor = self.first_kept().unwrap_or(0);
        self.fit_panes();
    }

    pub(super) fn unfolded(&mut self, project: usize, reference: &str, unfolded: Unfolded) {
        if !self.shown.is_about(project, reference) {
            return;
        }
        if let Shown::Details(details) = &mut self.shown {
            details.unfold(unfolded);
        }
        self.fit_panes();
    }

    /// The first line that the digest has: what is folded above it says little.
    fn first_kept(&self) -> Option<usize> {
        let Shown::Details(details) = &self.shown else { return None };
        details.raw.iter().position(|line| matches!(line, RawLine::Text { is_kept: true, .. }))
    }

    /// The numbers of lines of the digest and of the raw text.
    pub(super) fn lengths(&self) -> (usize, usize) {
        match &self.shown {
            Shown::Details(details) => (details.digest.len(), details.raw.len()),
            _ => (0, 0),
        }
    }

    fn fit_panes(&mut self) {
        let (digest, raw) = self.lengths();
        self.digest.fit(digest);
        self.raw.fit(raw);
    }

    /// Fits the panes to their heights on the screen.
    pub(super) fn resize(&mut self, list: usize, digest: usize, raw: usize) {
        let (digest_length, raw_length) = self.lengths();
        self.list.resize(list, self.listed.len());
        self.digest.resize(digest, digest_length);
        self.raw.resize(raw, raw_length);
    }

    /// Handles a key.
    pub(super) fn press(&mut self, key: KeyEvent) -> Option<Effect> {
        self.message = None;
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return Some(Effect::Quit),
            KeyCode::Char('z') if is_control => return Some(Effect::Suspend),
            _ => {}
        }
        if self.filter.is_edited {
            return self.edit_filter(key.code, is_control);
        }
        let action = keys::action(key)?;
        if self.has_help && !matches!(action, Action::Quit) {
            self.has_help = false;
            return None;
        }
        self.act(action)
    }

    fn act(&mut self, action: Action) -> Option<Effect> {
        match action {
            Action::Quit => return Some(Effect::Quit),
            Action::Help => self.has_help = true,
            Action::Move(rows) => return self.move_by(rows),
            Action::Page(pages) => return self.move_by(pages * self.scroll().page()),
            Action::First => return self.move_by(isize::MIN),
            Action::Last => return self.move_by(isize::MAX),
            Action::Side(steps) => self.move_sideways(steps),
            Action::Enter => return self.enter(),
            Action::Back => return self.back(),
            Action::NextPane => self.pane = self.next_pane(1),
            Action::PreviousPane => self.pane = self.next_pane(2),
            Action::Filter => {
                self.filter.is_edited = true;
                self.pane = Pane::List;
                self.is_open = false;
            }
            Action::Pause => {
                self.is_paused = !self.is_paused;
                return if self.is_paused { None } else { self.take_waiting() };
            }
            Action::Copy => return self.copy(),
        }
        None
    }

    fn scroll(&self) -> &Scroll {
        match self.pane {
            Pane::List => &self.list,
            Pane::Digest => &self.digest,
            Pane::Raw => &self.raw,
        }
    }

    fn move_by(&mut self, rows: isize) -> Option<Effect> {
        let (digest, raw) = self.lengths();
        match self.pane {
            Pane::List => {
                self.list.move_by(rows, self.listed.len());
                return self.select();
            }
            Pane::Digest => self.digest.move_by(rows, digest),
            Pane::Raw => self.raw.move_by(rows, raw),
        }
        None
    }

    fn move_sideways(&mut self, steps: isize) {
        if self.pane != Pane::List {
            let columns = steps * SIDE_STEP as isize;
            self.side = self.side.saturating_add_signed(columns).min(MAX_SIDE);
        }
    }

    /// Opens the selected call, or unfolds what is folded below the cursor.
    fn enter(&mut self) -> Option<Effect> {
        if self.pane == Pane::List {
            self.is_open = self.selected().is_some();
            let has_raw = matches!(&self.shown, Shown::Details(_) | Shown::Loading(_));
            if self.is_open && has_raw {
                self.pane = Pane::Raw;
            }
            return None;
        }
        let Shown::Details(details) = &self.shown else { return None };
        let folded = details.raw.get(self.raw.cursor).filter(|_| self.pane == Pane::Raw)?;
        let RawLine::Fold { first, .. } = folded else { return None };
        Some(Effect::Unfold {
            project: details.project,
            reference: details.reference.clone(),
            first: *first,
        })
    }

    /// Goes back one step: to the list, or to all calls.
    fn back(&mut self) -> Option<Effect> {
        if self.is_open || self.pane != Pane::List {
            self.is_open = false;
            self.pane = Pane::List;
            return None;
        }
        if self.filter.text.is_empty() {
            return None;
        }
        self.filter.text.clear();
        self.relist(self.selected_number())
    }

    /// The pane some steps further; the list only where it is on the screen.
    fn next_pane(&self, steps: usize) -> Pane {
        const PANES: [Pane; 3] = [Pane::List, Pane::Digest, Pane::Raw];
        let panes = if self.is_open { &PANES[1..] } else { &PANES[..] };
        let index = panes.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        // Two steps forward among three are one step back.
        panes[(index + if panes.len() == 2 { 1 } else { steps }) % panes.len()]
    }

    fn copy(&mut self) -> Option<Effect> {
        let reference = self.selected()?.reference.as_ref();
        let Some(reference) = reference.map(|reference| format!("[ctx:{reference}]")) else {
            self.message = Some("this call has no stored result".to_owned());
            return None;
        };
        self.message = Some(format!("copied {reference}, if the terminal lets programs copy"));
        Some(Effect::Copy(reference))
    }

    fn edit_filter(&mut self, code: KeyCode, is_control: bool) -> Option<Effect> {
        match code {
            KeyCode::Enter => self.filter.is_edited = false,
            KeyCode::Esc => {
                self.filter = Filter::default();
                return self.relist(self.selected_number());
            }
            KeyCode::Backspace => {
                self.filter.text.pop();
                return self.relist(self.selected_number());
            }
            KeyCode::Char('u') if is_control => {
                self.filter.text.clear();
                return self.relist(self.selected_number());
            }
            KeyCode::Char(c) if !is_control && self.filter.text.len() < MAX_FILTER_BYTES => {
                self.filter.text.push(c);
                return self.relist(self.selected_number());
            }
            KeyCode::Up => return self.move_by(-1),
            KeyCode::Down => return self.move_by(1),
            _ => {}
        }
        None
    }
}
