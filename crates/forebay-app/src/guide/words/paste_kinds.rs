//! Pastes that are recognised by how they start: elements, mails and quoted lines.

/// Lines in which a mail's head names both sender and subject.
const MAX_HEAD_LINES: usize = 8;

const SENDERS: &[&str] = &["From:", "Von:", "De:", "发件人", "差出人", "送信者"];
const SUBJECTS: &[&str] = &["Subject:", "Betreff:", "Asunto:", "主题", "件名"];

/// Returns where a paste that starts here ends; `None` if its start tells nothing.
pub(super) fn end(lines: &[&str], start: usize) -> Option<usize> {
    element_end(lines, start).or_else(|| mail_end(lines, start)).or_else(|| quote_end(lines, start))
}

/// Returns the end of an element whose tags start and end lines: `<file path="a.md">` to `</file>`.
fn element_end(lines: &[&str], start: usize) -> Option<usize> {
    let name = element_name(lines[start].trim())?;
    let close = format!("</{name}>");
    let count = lines[start..].iter().position(|line| line.trim_end().ends_with(&close))?;
    Some(start + count + 1)
}

fn element_name(line: &str) -> Option<&str> {
    let tag = line.strip_prefix('<')?;
    let (tag, _) = tag.split_once('>')?;
    let name = tag.split_whitespace().next()?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    (name.starts_with(char::is_alphabetic) && name.chars().all(is_word)).then_some(name)
}

/// A mail has no end: what follows its head may be part of it.
fn mail_end(lines: &[&str], start: usize) -> Option<usize> {
    let starts = |line: &str, labels: &[&str]| labels.iter().any(|label| line.starts_with(label));
    let is_head = |line: &&&str| line.contains([':', '：']);
    let head: Vec<&&str> = lines[start..].iter().take(MAX_HEAD_LINES).take_while(is_head).collect();
    let has = |labels: &[&str]| head.iter().any(|line| starts(line.trim_start(), labels));
    let first = head.first()?.trim_start();
    let is_mail =
        (starts(first, SENDERS) || starts(first, SUBJECTS)) && has(SENDERS) && has(SUBJECTS);
    is_mail.then_some(lines.len())
}

fn quote_end(lines: &[&str], start: usize) -> Option<usize> {
    let count = lines[start..].iter().take_while(|line| line.trim_start().starts_with('>')).count();
    (count > 0).then_some(start + count)
}

/// Whether a line is surely not the user's own: the mark of a build or an alert, a warning with its place, the
/// heading of a document in brackets.
pub(super) fn is_machine_line(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_heading = line.starts_with('【') && line.ends_with('】');
    let is_alert = ["[FIRING", "[RESOLVED", "[ALERT"].iter().any(|start| line.starts_with(start));
    line.starts_with("##[")
        || is_heading
        || is_alert
        || is_place(first)
        || is_failure(line)
        || starts_with_timestamp(line)
}

/// Whether a line begins as loggers write it, with a time to the second: `[2026-11-17 09:00:01`, `Nov 17 09:00:01`.
fn starts_with_timestamp(line: &str) -> bool {
    const MAX_OFFSET: usize = 16;
    const MONTHS: &[&str] =
        &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let is_seconds = |window: &[u8]| {
        let digits = [0, 1, 3, 4, 6, 7].iter().all(|&at: &usize| window[at].is_ascii_digit());
        digits && window[2] == b':' && window[5] == b':'
    };
    let starts_like_a_date = line.starts_with(|c: char| c.is_ascii_digit() || c == '[')
        || MONTHS.iter().any(|month| line.starts_with(month));
    starts_like_a_date && line.as_bytes().windows(8).take(MAX_OFFSET).any(is_seconds)
}

/// Whether a line may go on with what a machine said: a label before a text, or code in it.
pub(super) fn goes_on(line: &str) -> bool {
    let line = line.trim();
    let label = line.split_once(": ").map(|(label, _)| label);
    let is_label = |label: &str| {
        label.starts_with(char::is_uppercase) && label.chars().all(char::is_alphanumeric)
    };
    let has_code = line.contains("=(") || line.contains("()") || line.contains("==");
    !line.ends_with(['?', '？']) && (label.is_some_and(is_label) || has_code || is_failure(line))
}

/// Whether a word is a file with a line number: `src/a.py:10:`.
fn is_place(word: &str) -> bool {
    let mut parts = word.split(':');
    let file = parts.next().unwrap_or_default();
    let number = parts.next().unwrap_or_default();
    file.contains(['/', '.'])
        && parts.next().is_some()
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
}

/// Whether a line begins as tools report failures: `npm error code`, `error[E0308]:`, `Traceback`.
fn is_failure(line: &str) -> bool {
    const STARTS: &[&str] =
        &["npm error ", "npm warn ", "npm ERR! ", "error[", "Traceback ", "Exception in "];
    STARTS.iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_machines_are_told_from_words() {
        for line in [
            "##[group]Run tests",
            "[FIRING:2] DiskFull (db)",
            "/usr/lib/python3/x.py:10: UserWarning: no",
            "src/a.ts:4:1 - error",
            "npm error code E404",
            "【使用说明】",
            "[2026-11-17 09:00:01,201] INFO - NOTE: do not rerun without approval",
            "2026-11-17T09:00:10Z checkout INFO policy: operators must drain the node",
            "Nov 17 09:00:01 host sshd: never do that",
            "09:00:01 worker started",
        ] {
            assert!(is_machine_line(line), "{line}");
        }
        for line in [
            "[x] done",
            "[LATER] ask Ann",
            "meet at 10:30: bring the list",
            "at 09:00:01 it stopped, never restart it",
            "2026-11-17: release, never push before",
            "look at src/a.ts: it is slow",
            "error handling is missing",
            "【请注意】不要改",
        ] {
            assert!(!is_machine_line(line), "{line}");
        }
        assert!(goes_on("Hint: raise the limit") && goes_on("always pass bounds=(0, 1)."));
        assert!(!goes_on("Find what stalls.") && !goes_on("Note: what is this?"));
    }
}
