//! The access rules as a profile for `sandbox-exec` on macOS.
//!
//! The last matching rule decides, so the profile goes from general to specific. It is compiled and tested on
//! every system, and used on macOS.
#![cfg_attr(
    not(target_os = "macos"),
    allow(dead_code, reason = "used on macOS, tested everywhere")
)]

use std::path::{Path, PathBuf};

use super::AccessRules;

/// Returns the text of the profile.
pub(super) fn profile(rules: &AccessRules) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n");
    if let Some(read) = &rules.read {
        text.push_str("(deny file-read-data)\n");
        text.push_str(&rule("allow", "file-read-data", read));
    }
    text.push_str("(deny file-write*)\n");
    text.push_str(&rule("allow", "file-write*", &rules.write));
    text.push_str(&rule("deny", "file-write*", &rules.read_only));
    text.push_str(&rule("deny", "file-write*", &rules.control));
    text.push_str(&rule("deny", "file-read-data file-write*", &rules.hidden));
    text.push_str(&rule(
        "deny",
        "file-read-data file-write* process-exec*",
        &rules.denied_programs,
    ));
    text.push_str(&rule("allow", "file-read-data", &rules.exceptions));
    if !rules.has_network() {
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

/// Quotes a path as a string literal of the profile language.
fn quoted(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Profile;

    fn rules(profile: Profile, read: Option<Vec<PathBuf>>) -> AccessRules {
        AccessRules {
            profile,
            read,
            write: vec!["/p".into(), "/tmp".into()],
            hidden: vec!["/h/.ssh".into()],
            exceptions: vec!["/h/.ssh/config".into()],
            denied: Vec::new(),
            denied_programs: Vec::new(),
            read_only: vec!["/p/da\"ta".into()],
            control: Vec::new(),
            fixed: Vec::new(),
            closed_sockets: Vec::new(),
            shared_memory: None,
        }
    }

    #[test]
    fn project_profile_restricts_writes_and_secrets() {
        let expected = "(version 1)\n(allow default)\n(deny file-write*)\n\
            (allow file-write* (subpath \"/p\") (subpath \"/tmp\"))\n\
            (deny file-write* (subpath \"/p/da\\\"ta\"))\n\
            (deny file-read-data file-write* (subpath \"/h/.ssh\"))\n\
            (allow file-read-data (subpath \"/h/.ssh/config\"))\n";
        assert_eq!(profile(&rules(Profile::Project, None)), expected);
    }

    #[test]
    fn strict_profile_restricts_reads_and_network() {
        let text = profile(&rules(Profile::Strict, Some(vec!["/usr".into()])));
        assert!(
            text.contains("(deny file-read-data)\n(allow file-read-data (subpath \"/usr\"))\n")
        );
        assert!(text.ends_with("(deny network*)\n"));
    }
}
