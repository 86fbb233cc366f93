//! Folds runs of equal lines in a text that is otherwise shown verbatim.

use forebay_text::number::grouped;

/// Shorter runs are shown as they are.
const MIN_RUN: usize = 5;

/// Folding must save this many bytes, so that short texts stay exactly as they are.
const MIN_SAVED_BYTES: usize = 240;

/// Returns the text with each run of equal lines as one line with a count; `None` if it gains little.
pub(crate) fn fold(text: &str) -> Option<String> {
    if text.len() < MIN_SAVED_BYTES {
        return None;
    }
    let mut folded = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let mut count = 1;
        while lines.next_if_eq(&line).is_some() {
            count += 1;
        }
        if count >= MIN_RUN {
            let count = grouped(count as u64);
            if line.trim().is_empty() {
                folded.push_str(&format!("×{count} blank lines\n"));
            } else {
                folded.push_str(&format!("{line} ×{count}\n"));
            }
        } else {
            (0..count).for_each(|_| folded.extend([line, "\n"]));
        }
    }
    (folded.len() + MIN_SAVED_BYTES <= text.len()).then_some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_runs_that_are_worth_it() {
        let text = format!("start\n{}end\nend\n", "waiting for the host\n".repeat(40));
        let expect = "start\nwaiting for the host ×40\nend\nend\n";
        assert_eq!(fold(&text).as_deref(), Some(expect));
        assert_eq!(fold(&"waiting for the host\n".repeat(8)), None);
        let blank = format!("start\n{}end\n", "\n".repeat(300));
        assert_eq!(fold(&blank).as_deref(), Some("start\n×300 blank lines\nend\n"));
        let lines: String = (0..100).map(|number| format!("line {number}\n")).collect();
        assert_eq!(fold(&lines), None);
    }
}
