//! The environment variables that Forebay reads; those of agent hosts are in the platforms' tables.

use std::sync::OnceLock;

use forebay_platforms::PLATFORMS;

/// The data directory.
pub(crate) const HOME: &str = "FOREBAY_HOME";
/// The conversation, if the host names none.
pub(crate) const SESSION: &str = "FOREBAY_SESSION";
/// The log level: error, warn, info, debug or trace.
pub(crate) const LOG: &str = "FOREBAY_LOG";

/// The user's editors, in order of preference.
pub(crate) const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];

/// Variables of ours from the command line. The process's own environment stays as it is, and so does that of its children.
static GIVEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Has variables of the command line count before those of the process; the first call does.
pub(crate) fn give(variables: Vec<(String, String)>) {
    // A command line is parsed once.
    let _ = GIVEN.set(variables);
}

/// Whether a variable is one of ours.
pub(crate) fn is_own(name: &str) -> bool {
    name.starts_with("FOREBAY_")
}

/// Every variable that is valid Unicode, for redaction.
pub(crate) fn all() -> Vec<(String, String)> {
    let inherited = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let given = GIVEN.get().into_iter().flatten().cloned();
    let is_inherited =
        |(name, _): &(String, String)| !GIVEN.get().is_some_and(|all| has(all, name));
    given.chain(inherited.filter(is_inherited)).collect()
}

fn has(variables: &[(String, String)], name: &str) -> bool {
    variables.iter().any(|(own, _)| own == name)
}

/// Every non-empty `FOREBAY_*` variable.
pub(crate) fn forebay_variables() -> impl Iterator<Item = (String, String)> {
    all().into_iter().filter(|(name, value)| is_own(name) && !value.is_empty())
}

/// A variable, if set and not empty.
pub(crate) fn read(name: &str) -> Option<String> {
    let given = || GIVEN.get()?.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    given().or_else(|| std::env::var(name).ok()).filter(|value| !value.is_empty())
}

/// The session that the host of this process names.
pub(crate) fn host_session() -> Option<String> {
    PLATFORMS.iter().flat_map(|platform| platform.session_env).find_map(|name| read(name))
}
