//! Hooks in a host's settings: one entry an event.

use serde_json::json;

use super::{CannotEdit, HookLayout, entries, json as edit};
use crate::Platform;

const HOOKS: &str = "hooks";
const VERSION: &str = "version";

pub(super) fn add(
    text: &str,
    platform: &Platform,
    layout: HookLayout,
    program: &str,
) -> Result<String, CannotEdit> {
    let had_nothing = edit::is_empty(text)?;
    let mut text = text.to_owned();
    for row in platform.registered() {
        let entry = entries::hook(platform, layout, row.name, program);
        let is_ours = |found: &_| entries::is_hook(found, platform, row.name);
        text = edit::put_item(&text, &[HOOKS, row.name], &entry, is_ours)?;
    }
    // Only a file that was empty gets a version, so that it is known whose it is: it stands behind.
    match layout {
        HookLayout::Flat { version: true } if had_nothing => {
            edit::put(&text, &[VERSION], &json!(1))
        }
        _ => Ok(text),
    }
}

pub(super) fn remove(
    text: &str,
    platform: &Platform,
    layout: HookLayout,
) -> Result<String, CannotEdit> {
    let keys = edit::keys(text)?;
    let is_ours_alone = keys.as_deref() == Some(&[HOOKS.to_owned(), VERSION.to_owned()]);
    let mut text = text.to_owned();
    for row in platform.registered() {
        let is_ours = |found: &_| entries::is_hook(found, platform, row.name);
        text = edit::drop_items(&text, &[HOOKS, row.name], is_ours)?;
    }
    let only_version = edit::keys(&text)?.as_deref() == Some(&[VERSION.to_owned()]);
    match layout {
        HookLayout::Flat { version: true } if is_ours_alone && only_version => {
            edit::drop(&text, &[VERSION])
        }
        _ => Ok(text),
    }
}
