//! The last commits of a branch, from its reflog.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use forebay_text::cut;

const MAX_COMMITS: usize = 3;
/// Bytes read from the end of the reflog.
const TAIL_BYTES: u64 = 8 * 1024;

/// Returns the subjects of the last commits, latest first.
pub(super) fn last(git_folder: &Path, branch: Option<&str>) -> Vec<String> {
    let log = branch.and_then(|branch| read_tail(git_folder, &format!("logs/refs/heads/{branch}")));
    log.or_else(|| read_tail(git_folder, "logs/HEAD")).map(|log| subjects(&log)).unwrap_or_default()
}

/// Reads the end of a reflog; a worktree's branches are in the common git folder.
fn read_tail(git_folder: &Path, name: &str) -> Option<String> {
    let shared = || {
        let named = std::fs::read_to_string(git_folder.join("commondir")).ok()?;
        Some(git_folder.join(named.trim()).join(name))
    };
    tail(&git_folder.join(name)).or_else(|| tail(&shared()?))
}

fn tail(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES))).ok()?;
    let mut text = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Parses lines `old new name <mail> time zone<tab>commit: subject`, back to the last reset.
fn subjects(log: &str) -> Vec<String> {
    let messages = log.lines().rev().filter_map(|line| Some(line.split_once('\t')?.1));
    let since_reset = messages.take_while(|message| !message.starts_with("reset:"));
    let mut skips_amended = false;
    let mut found = Vec::new();
    for message in since_reset {
        let Some(rest) = message.strip_prefix("commit") else { continue };
        let Some((how, subject)) = rest.split_once(": ") else { continue };
        if !skips_amended {
            found.push(cut::one_line(subject, 100));
        }
        // The commit before an amended one is the one it replaced.
        skips_amended = how.contains("amend");
    }
    found.truncate(MAX_COMMITS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(messages: &[&str], expect: &[&str]) {
        let line = |message: &&str| format!("0 1 A <a@b> 1 +0000\t{message}\n");
        assert_eq!(subjects(&messages.iter().map(line).collect::<String>()), expect);
    }

    #[test]
    fn skips_amended_and_reset_commits() {
        check(&["commit (initial): one", "commit: two", "commit: three"], &["three", "two", "one"]);
        check(&["commit: one", "commit: tow", "commit (amend): two"], &["two", "one"]);
        check(&["commit: one", "reset: moving to HEAD~1"], &[]);
        check(&["branch: Created from HEAD", "merge x: Fast-forward"], &[]);
        check(&[], &[]);
    }
}
