//! The view as a terminal shows it, and what keys make of its state.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use serde_json::json;

use super::call::Call;
use super::call::tests::item;
use super::details::tests::sample;
use super::state::{Effect, Pane, Shown, Target, Watch};
use super::view;

const REFERENCE: &str = "k3v9m2a1xq";

fn watch() -> Watch {
    Watch::new("app".to_owned(), false, TimeZone::UTC, true)
}

fn replaced(title: &str) -> Call {
    Call::parse(&item(title, 12_345, 300), 0, "app").unwrap()
}

fn denied() -> Call {
    let verdict = json!({
        "is": "event", "kind": "verdict", "subject": "denied Bash: sudo reboot",
        "text": "rule Bash(sudo:*) of the project", "session": "3f9ac21b-1/agent:reviewer",
        "created": 1_700_000_060_000_i64,
    });
    Call::parse(&verdict, 0, "app").unwrap()
}

/// A view with three calls, of which the last one's texts are known.
fn with_calls() -> Watch {
    let mut watch = watch();
    let passed = Call::parse(&item("echo short", 4, 4), 0, "app").unwrap();
    let passed = Call { reference: Some("aaaaaaaaaa".to_owned()), ..passed };
    watch.add(vec![denied(), passed, replaced("make all")]);
    watch.loaded(0, REFERENCE, Ok(sample()));
    watch
}

fn press(watch: &mut Watch, code: KeyCode) -> Option<Effect> {
    watch.press(KeyEvent::new(code, KeyModifiers::NONE))
}

fn type_text(watch: &mut Watch, text: &str) {
    for c in text.chars() {
        press(watch, KeyCode::Char(c));
    }
}

fn terminal(watch: &mut Watch, columns: u16, rows: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| view::draw(frame, watch)).unwrap();
    terminal
}

/// The screen as text.
fn screen(watch: &mut Watch, columns: u16, rows: u16) -> String {
    terminal(watch, columns, rows).backend().to_string()
}

#[test]
fn one_above_the_other_on_a_usual_terminal() {
    insta::assert_snapshot!(screen(&mut with_calls(), 80, 24));
}

#[test]
fn side_by_side_on_a_wide_terminal() {
    insta::assert_snapshot!(screen(&mut with_calls(), 120, 30));
}

#[test]
fn an_open_call_has_the_screen_for_itself() {
    let mut watch = with_calls();
    press(&mut watch, KeyCode::Enter);
    assert_eq!(watch.pane, Pane::Raw);
    insta::assert_snapshot!(screen(&mut watch, 80, 24));
}

#[test]
fn a_denied_call_says_why() {
    let mut watch = with_calls();
    press(&mut watch, KeyCode::Char('G'));
    insta::assert_snapshot!(screen(&mut watch, 80, 24));
}

#[test]
fn nothing_yet_help_and_a_small_terminal() {
    let mut watch = watch();
    insta::assert_snapshot!("nothing", screen(&mut watch, 80, 12));
    press(&mut watch, KeyCode::Char('?'));
    insta::assert_snapshot!("help", screen(&mut watch, 80, 24));
    press(&mut watch, KeyCode::Char('x'));
    press(&mut watch, KeyCode::Char('j'));
    assert!(!watch.has_help, "a key closes it");
    insta::assert_snapshot!("small", screen(&mut with_calls(), 40, 8));
    assert!(screen(&mut with_calls(), 20, 3).contains("too small"));
    for (columns, rows) in [(24, 4), (25, 5), (1, 1), (80, 5), (300, 100)] {
        for is_open in [false, true] {
            let mut watch = with_calls();
            watch.is_open = is_open;
            watch.has_help = true;
            screen(&mut watch, columns, rows);
        }
    }
}

#[test]
fn all_projects_have_a_column() {
    let mut watch = Watch::new("2 projects".to_owned(), true, TimeZone::UTC, true);
    watch.add(vec![replaced("make all")]);
    let shown = screen(&mut watch, 120, 24);
    assert!(shown.contains("project") && shown.contains("replaced app"), "{shown}");
}

#[test]
fn the_selection_follows_the_latest_unless_it_was_moved() {
    let mut watch = with_calls();
    let load = watch.add(vec![Call { reference: Some("b".repeat(10)), ..replaced("later") }]);
    assert_eq!(load, Some(Effect::Load { project: 0, reference: "b".repeat(10) }));
    assert_eq!(watch.selected().unwrap().title, "later");
    press(&mut watch, KeyCode::Char('j'));
    assert_eq!(watch.selected().unwrap().title, "make all");
    watch.loaded(0, REFERENCE, Ok(sample()));
    assert_eq!(watch.add(vec![replaced("latest")]), None, "the same texts are shown");
    assert_eq!(watch.selected().unwrap().title, "make all");
    assert_eq!(watch.list.cursor, 2);
}

#[test]
fn texts_of_another_call_are_not_shown() {
    let mut watch = with_calls();
    press(&mut watch, KeyCode::Char('j'));
    let target = Target { project: 0, reference: "aaaaaaaaaa".to_owned() };
    assert_eq!(watch.shown, Shown::Loading(target.clone()));
    watch.loaded(0, REFERENCE, Ok(sample()));
    assert_eq!(watch.shown, Shown::Loading(target));
    assert_eq!(watch.add(vec![replaced("later")]), None, "it is being read");
    watch.loaded(0, "aaaaaaaaaa", Err("purged".to_owned()));
    assert!(screen(&mut watch, 80, 24).contains("purged"));
    assert_eq!(watch.add(vec![replaced("latest")]), None, "it is not read again and again");
    assert!(screen(&mut watch, 80, 24).contains("purged"));
}

#[test]
fn a_filter_is_typed_and_taken_back() {
    let mut watch = with_calls();
    type_text(&mut watch, "/denied");
    assert_eq!(watch.listed(), 1);
    assert!(screen(&mut watch, 80, 24).contains("/denied"));
    press(&mut watch, KeyCode::Enter);
    type_text(&mut watch, "p");
    assert!(watch.is_paused, "keys are commands again");
    press(&mut watch, KeyCode::Esc);
    assert_eq!(watch.listed(), 3);
    assert_eq!(watch.selected().unwrap().title, "sudo reboot", "it stays selected");
    type_text(&mut watch, "/nothing has these");
    assert!(screen(&mut watch, 80, 24).contains("No call contains these words"));
    press(&mut watch, KeyCode::Esc);
    assert_eq!((watch.listed(), &*watch.filter.text), (3, ""));
}

#[test]
fn calls_wait_while_paused() {
    let mut watch = with_calls();
    press(&mut watch, KeyCode::Char('p'));
    watch.add(vec![replaced("later"), replaced("latest")]);
    assert_eq!((watch.listed(), watch.waiting()), (3, 2));
    assert!(screen(&mut watch, 80, 24).contains("paused, 2 wait"));
    press(&mut watch, KeyCode::Char('p'));
    assert_eq!((watch.listed(), watch.waiting()), (5, 0));
}

#[test]
fn a_reference_is_copied() {
    let mut watch = with_calls();
    for key in ['c', 'y'] {
        let copied = press(&mut watch, KeyCode::Char(key));
        assert_eq!(copied, Some(Effect::Copy(format!("[ctx:{REFERENCE}]"))));
    }
    press(&mut watch, KeyCode::End);
    assert_eq!(press(&mut watch, KeyCode::Char('c')), None);
    assert_eq!(watch.message.as_deref(), Some("this call has no stored result"));
}

#[test]
fn enter_opens_a_call_and_unfolds_what_is_left_out() {
    let mut watch = with_calls();
    screen(&mut watch, 80, 24);
    press(&mut watch, KeyCode::Enter);
    assert_eq!(watch.raw.cursor, 1, "the first line of the digest");
    assert_eq!(press(&mut watch, KeyCode::Enter), None, "it is not folded");
    press(&mut watch, KeyCode::Up);
    let unfold = press(&mut watch, KeyCode::Enter);
    let expected = Effect::Unfold { project: 0, reference: REFERENCE.to_owned(), first: 1 };
    assert_eq!(unfold, Some(expected));
    press(&mut watch, KeyCode::Tab);
    assert_eq!(watch.pane, Pane::Digest);
    press(&mut watch, KeyCode::Tab);
    assert_eq!(watch.pane, Pane::Raw);
    press(&mut watch, KeyCode::Esc);
    assert_eq!((watch.pane, watch.is_open), (Pane::List, false));
    press(&mut watch, KeyCode::BackTab);
    assert_eq!(watch.pane, Pane::Raw);
}

#[test]
fn the_list_is_bounded_and_counts_all() {
    let mut watch = watch();
    for number in 0..6_000 {
        watch.add(vec![replaced(&format!("call {number}"))]);
    }
    assert_eq!((watch.listed(), watch.counts[0]), (5_000, 6_000));
    assert_eq!(watch.selected().unwrap().title, "call 5999");
    press(&mut watch, KeyCode::Char('G'));
    assert_eq!(watch.selected().unwrap().title, "call 1000");
}

#[test]
fn control_keys() {
    let mut watch = with_calls();
    let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
    type_text(&mut watch, "/q");
    assert_eq!(watch.press(control('c')), Some(Effect::Quit), "also while a filter is typed");
    assert_eq!(watch.press(control('z')), Some(Effect::Suspend));
    press(&mut watch, KeyCode::Esc);
    assert_eq!(press(&mut watch, KeyCode::Char('q')), Some(Effect::Quit));
}

#[test]
fn colours_of_the_text_are_shown_unless_the_user_wants_none() {
    for has_colours in [true, false] {
        let mut watch = with_calls();
        watch.has_colours = has_colours;
        let terminal = terminal(&mut watch, 120, 30);
        let cells = &terminal.backend().buffer().content;
        let has_red = cells.iter().any(|cell| cell.fg == Color::Red && cell.symbol() == "e");
        let is_plain = cells.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
        assert_eq!((has_red, is_plain), (has_colours, !has_colours));
        let is_bold = |symbol| {
            cells
                .iter()
                .any(|cell| cell.symbol() == symbol && cell.modifier.contains(Modifier::BOLD))
        };
        assert!(is_bold("e"), "emphasis stays");
    }
}
