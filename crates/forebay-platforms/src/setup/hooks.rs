//! Hooks in a host's settings: one entry per event.

use serde_json::json;

use super::{EditError, HookLayout, entries, json as edit};
use crate::Platform;

const HOOKS: &str = "hooks";
/// The name of Forebay's set of hooks.
const SET: &str = "forebay";
const VERSION: &str = "version";

pub(super) fn add(
    text: &str,
    platform: &Platform,
    layout: HookLayout,
    program: &str,
) -> Result<String, EditError> {
    let was_empty = edit::is_empty(text)?;
    let mut text = text.to_owned();
    for event in platform.registered_events() {
        let entry = entries::hook(platform, layout, event.name, program);
        let is_ours = |entry: &_| entries::is_hook(entry, platform, event.name);
        text = edit::upsert_item(&text, &[parent(layout), event.name], &entry, is_ours)?;
    }
    // Only an empty file gets a version, and gets it last, so that removal recognizes it as ours.
    match layout {
        HookLayout::Flat { version: true } if was_empty => edit::set(&text, &[VERSION], &json!(1)),
        _ => Ok(text),
    }
}

/// The key above the events.
const fn parent(layout: HookLayout) -> &'static str {
    match layout {
        HookLayout::Named { .. } => SET,
        HookLayout::Grouped { .. } | HookLayout::Flat { .. } => HOOKS,
    }
}

pub(super) fn remove(
    text: &str,
    platform: &Platform,
    layout: HookLayout,
) -> Result<String, EditError> {
    let keys = edit::keys(text)?;
    let may_own_version = keys.as_deref() == Some(&[HOOKS.to_owned(), VERSION.to_owned()]);
    let mut text = text.to_owned();
    for event in platform.registered_events() {
        let is_ours = |entry: &_| entries::is_hook(entry, platform, event.name);
        text = edit::remove_items(&text, &[parent(layout), event.name], is_ours)?;
    }
    let only_version_left = edit::keys(&text)?.as_deref() == Some(&[VERSION.to_owned()]);
    match layout {
        HookLayout::Flat { version: true } if may_own_version && only_version_left => {
            edit::remove(&text, &[VERSION])
        }
        _ => Ok(text),
    }
}
