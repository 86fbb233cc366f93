//! The environment variables that Forebay reads; those of agent hosts are in the platforms' tables.

use forebay_platforms::PLATFORMS;

/// The data directory.
pub(crate) const HOME: &str = "FOREBAY_HOME";
/// The conversation, if the host names none.
pub(crate) const SESSION: &str = "FOREBAY_SESSION";
/// The log level: error, warn, info, debug or trace.
pub(crate) const LOG: &str = "FOREBAY_LOG";

/// The user's editors, in order of preference.
pub(crate) const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];

/// Every variable that is valid Unicode, for redaction.
pub(crate) fn all() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Every non-empty `FOREBAY_*` variable.
pub(crate) fn forebay_variables() -> impl Iterator<Item = (String, String)> {
    all().into_iter().filter(|(name, value)| name.starts_with("FOREBAY_") && !value.is_empty())
}

/// A variable, if set and not empty.
pub(crate) fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The session that the host of this process names.
pub(crate) fn host_session() -> Option<String> {
    PLATFORMS.iter().flat_map(|platform| platform.session_env).find_map(|name| read(name))
}
