//! What the dashboard shows: one function per list or view, which returns a page of it as data.
//!
//! - `search`, `entry`, `json_tree`, `image`, `skeleton`: what is stored; `styled` turns terminal colours into styles;
//! - `explained`: which lines a digest keeps, and why;
//! - `sessions`, `guide_sources`: conversations, and the guide that a resume would get now;
//! - `memory`: notes and sources; `rules`: permission rules, and what they say about a command;
//! - `overview`: what was saved and spent; `live`: what is being stored, and how long hooks take;
//! - `team`: who works in a workspace of a server;
//! - `change`: what a user may change of the memory, each with a preview;
//! - `shown`: makes all text in the data bounded and visible.
//!
//! Only `change` changes what is stored, except that a search indexes what is pending, as any search does.

mod change;
mod entry;
mod explained;
mod guide_sources;
mod image;
mod json_tree;
mod live;
mod memory;
mod overview;
mod rules;
mod search;
mod sessions;
mod shown;
mod skeleton;
mod styled;
mod team;

pub use self::change::{Change, apply, note_text, preview};
pub use self::entry::{entry, lines};
pub use self::explained::explained;
pub use self::image::{Image, image};
pub use self::json_tree::children as json_children;
pub use self::live::{LiveBatch, LivePosition, LiveReader, latency};
pub use self::memory::{notes, sources};
pub use self::overview::{OverviewSpan, growth, overview};
pub use self::rules::{in_force as rules, isolation, judge};
pub use self::search::{SearchQuery, search};
pub use self::sessions::{guide, session, sessions, stored, timeline};
pub use self::skeleton::of_source as skeleton;
pub use self::team::team;

use serde_json::{Value, json};

/// One page of a list that is read as a whole: its items, and the number of the next page.
fn page(items: Vec<Value>, number: usize, size: usize) -> Value {
    let total = items.len();
    let start = number.saturating_mul(size);
    let shown: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    let has_more = start.saturating_add(shown.len()) < total;
    json!({ "items": shown, "total": total, "next": has_more.then(|| number + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_paged() {
        let items = || (0..5).map(Value::from).collect::<Vec<_>>();
        assert_eq!(page(items(), 0, 2), json!({ "items": [0, 1], "total": 5, "next": 1 }));
        assert_eq!(page(items(), 2, 2), json!({ "items": [4], "total": 5, "next": null }));
        assert_eq!(page(items(), usize::MAX, 2)["items"], json!([]));
    }
}
