//! What a caller that states no intent probably looks for: the user's last request.

use forebay_domain::event::RecordedEvent;
use forebay_domain::{EventKind, session};
use forebay_store::EventPage;
use forebay_text::words;

use crate::App;

/// Requests of fewer words tell nothing: "yes, go on".
const MIN_WORDS: usize = 3;
/// Words that are read of a request.
const MAX_WORDS: usize = 32;
/// Requests that are read until one of them tells something.
const MAX_REQUESTS: usize = 4;

/// Returns the last request of the conversation that tells what is looked for; of a subagent, its order.
///
/// It is a guess, so that a store that cannot be read is no error.
pub(crate) fn last_request(app: &App) -> Option<String> {
    if !app.is_conversation() {
        return None;
    }
    let asked =
        if session::is_subagent(&app.session) { EventKind::Goal } else { EventKind::Prompt };
    let page = EventPage {
        session: Some(app.session.clone()),
        // What was asked before the user cleared the conversation is over.
        kinds: vec![asked, EventKind::Topic],
        limit: MAX_REQUESTS,
        ..EventPage::default()
    };
    let said = app.stores.own().ok()?.events(&page).ok()?;
    let requests = said.into_iter().take_while(|one: &RecordedEvent| one.event.kind == asked);
    let mut texts = requests.map(|one| one.event.text);
    texts.find(|text| words::significant(text, MAX_WORDS).len() >= MIN_WORDS)
}
