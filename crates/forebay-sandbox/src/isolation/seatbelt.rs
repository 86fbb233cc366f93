//! What a run can reach, as a profile for macOS's `sandbox-exec`.
//!
//! The last rule that matches decides, so the text goes from the general to the particular. It is made
//! and tested on every system, and used on macOS.
#![cfg_attr(
    not(target_os = "macos"),
    allow(dead_code, reason = "used on macOS, tested everywhere")
)]

use std::path::{Path, PathBuf};

use super::Reach;

/// The profile's text.
pub(super) fn profile(reach: &Reach) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n");
    if let Some(read) = &reach.read {
        text.push_str("(deny file-read-data)\n");
        text.push_str(&rule("allow", "file-read-data", read));
    }
    text.push_str("(deny file-write*)\n");
    text.push_str(&rule("allow", "file-write*", &reach.write));
    text.push_str(&rule("deny", "file-write*", &reach.frozen));
    text.push_str(&rule("deny", "file-read-data file-write*", &reach.hidden));
    text.push_str(&rule("deny", "file-read-data file-write* process-exec*", &reach.programs));
    text.push_str(&rule("allow", "file-read-data", &reach.shown));
    if !reach.has_network() {
        text.push_str("(deny network*)\n");
    }
    text
}

fn rule(verdict: &str, operations: &str, paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let paths: String = paths.iter().map(|path| format!(" (subpath {})", quoted(path))).collect();
    format!("({verdict} {operations}{paths})\n")
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Profile;

    fn reach(profile: Profile, read: Option<Vec<PathBuf>>) -> Reach {
        Reach {
            profile,
            read,
            write: vec!["/p".into(), "/tmp".into()],
            hidden: vec!["/h/.ssh".into()],
            shown: vec!["/h/.ssh/config".into()],
            denied: Vec::new(),
            programs: Vec::new(),
            frozen: vec!["/p/da\"ta".into()],
        }
    }

    #[test]
    fn project_writes_little_and_reads_all_but_secrets() {
        let expected = "(version 1)\n(allow default)\n(deny file-write*)\n\
            (allow file-write* (subpath \"/p\") (subpath \"/tmp\"))\n\
            (deny file-write* (subpath \"/p/da\\\"ta\"))\n\
            (deny file-read-data file-write* (subpath \"/h/.ssh\"))\n\
            (allow file-read-data (subpath \"/h/.ssh/config\"))\n";
        assert_eq!(profile(&reach(Profile::Project, None)), expected);
    }

    #[test]
    fn strict_reads_what_is_listed_and_has_no_network() {
        let text = profile(&reach(Profile::Strict, Some(vec!["/usr".into()])));
        assert!(
            text.contains("(deny file-read-data)\n(allow file-read-data (subpath \"/usr\"))\n")
        );
        assert!(text.ends_with("(deny network*)\n"));
    }
}
