//! Cuts what a user pasted into a prompt to its first and last line.
//!
//! A paste is recognised by the look of its lines, not by their language: code fences, quotes, and runs of lines
//! that look like logs, traces, data or code. Lists that a user writes are none.

use forebay_text::cut;

use super::paste_kinds;

/// Marks the lines that are left of a paste.
pub(crate) const MARK: &str = "| ";
/// Shorter runs count as the user's own words.
const MIN_LINES: usize = 6;
/// Lines within a paste that need not look like it, in a row.
const MAX_GAP: usize = 2;
const MAX_LINE_BYTES: usize = 160;
/// Longer lines are data.
const MAX_WRITTEN_BYTES: usize = 2_000;

/// Returns a prompt with its pastes cut to head and tail; the cuts are marked.
pub(crate) fn condense(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let end = paste_end(&lines, at);
        if end > at {
            push_cut(&mut kept, &lines[at..end]);
            at = end;
        } else {
            kept.push(shorten(lines[at]));
            at += 1;
        }
    }
    kept.join("\n")
}

/// Whether a line is left of a paste.
pub(crate) fn is_pasted(line: &str) -> bool {
    line.starts_with(MARK)
}

/// Returns where the paste that starts here ends; the start if there is none.
fn paste_end(lines: &[&str], start: usize) -> usize {
    if is_fence(lines[start]) {
        let close = lines[start + 1..].iter().position(|line| is_fence(line));
        return close.map_or(lines.len(), |at| start + at + 2);
    }
    if let Some(end) = paste_kinds::end(lines, start) {
        return end;
    }
    if paste_kinds::is_machine_line(lines[start]) {
        return short_paste_end(lines, start);
    }
    if !looks_pasted(lines[start]) {
        return start;
    }
    long_paste_end(lines, start)
}

/// Returns the end of a run of lines that look pasted; the start if they are few.
fn long_paste_end(lines: &[&str], start: usize) -> usize {
    let (mut end, mut count, mut gap) = (start, 0, 0);
    for (at, line) in lines.iter().enumerate().skip(start) {
        if is_fence(line) {
            break;
        }
        if looks_pasted(line) {
            (end, count, gap) = (at + 1, count + 1, 0);
        } else if gap < MAX_GAP {
            gap += 1;
        } else {
            break;
        }
    }
    if count >= MIN_LINES { end } else { start }
}

/// Returns the end of a paste that begins with a line which no user writes; a single line is enough.
fn short_paste_end(lines: &[&str], start: usize) -> usize {
    let belongs =
        |line: &&str| looks_pasted(line) || is_list_item(line.trim()) || paste_kinds::goes_on(line);
    let short = start + 1 + lines[start + 1..].iter().take_while(|line| belongs(line)).count();
    short.max(long_paste_end(lines, start))
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn push_cut(kept: &mut Vec<String>, paste: &[&str]) {
    let is_content = |line: &&&str| !line.trim().is_empty() && !is_fence(line);
    let lines: Vec<&&str> = paste.iter().filter(is_content).collect();
    let marked = |line: &str| format!("{MARK}{}", cut::one_line(line, MAX_LINE_BYTES));
    if let Some(first) = lines.first() {
        kept.push(marked(first));
    }
    if lines.len() > 2 {
        kept.push(format!("{MARK}… {} more lines pasted …", lines.len() - 2));
    }
    if let Some(last) = lines.get(1..).and_then(<[_]>::last) {
        kept.push(marked(last));
    }
}

fn shorten(line: &str) -> String {
    if line.len() <= MAX_WRITTEN_BYTES {
        return line.to_owned();
    }
    format!("{MARK}{} … {}", cut::prefix(line, 200), cut::suffix(line, 200))
}

/// Whether a line looks like a log, a trace, data or code.
fn looks_pasted(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.is_empty() || is_list_item(trimmed) {
        return false;
    }
    let is_indented = line.starts_with("  ") || line.starts_with('\t');
    is_indented
        || trimmed.starts_with(['{', '}', '[', ']', '"', '<', '>', '|', '+', '@', '$'])
        || trimmed.ends_with(['{', '}', ';', '\\'])
        || starts_with_time(trimmed)
        || ["at ", "File \"", "Traceback", "Caused by"]
            .iter()
            .any(|start| trimmed.starts_with(start))
        || has_level(trimmed)
        || trimmed.len() > 30 && !trimmed.contains(' ') && trimmed.is_ascii()
        || is_mostly_symbols(trimmed)
        || is_table_row(trimmed)
}

fn is_list_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && rest.starts_with([')', '.']);
    is_numbered || ["- ", "* ", "• ", "– "].iter().any(|mark| line.starts_with(mark))
}

/// Whether a line starts with a date or a time: `2026-11-17`, `09:00:01`, `[12/Nov/2026`.
fn starts_with_time(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    let mut after = rest.chars();
    digits >= 2
        && matches!(after.next(), Some(':' | '-' | '/' | '.'))
        && after.next().is_some_and(|c| c.is_ascii_digit())
}

fn has_level(line: &str) -> bool {
    const LEVELS: &[&str] = &["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL"];
    line.split(|c: char| !c.is_ascii_alphabetic()).any(|word| LEVELS.contains(&word))
}

fn is_mostly_symbols(line: &str) -> bool {
    let is_symbol = |c: &char| c.is_ascii_punctuation() && !matches!(c, '.' | ',' | '\'');
    let (symbols, all) = (line.chars().filter(is_symbol).count(), line.chars().count());
    all >= 12 && symbols * 5 > all
}

/// Whether a line consists of fields: `1000,ES,87.95,open`. In sentences, a blank follows a comma.
fn is_table_row(line: &str) -> bool {
    [',', ';', '|', '\t'].iter().any(|delimiter| {
        let mut fields = line.split(*delimiter);
        let is_first_full = fields.next().is_some_and(|field| !field.is_empty());
        let others: Vec<&str> = fields.collect();
        is_first_full && others.len() >= 2 && !others.iter().any(|field| field.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pastes_keep_their_first_and_last_line() {
        let log: String = (0..40)
            .map(|second| format!("09:00:{second:02} pod/cron-{second} Pulled image\n"))
            .collect();
        let condensed = condense(&format!("Here is the log:\n{log}Find what stalls."));
        assert_eq!(
            condensed,
            "Here is the log:\n| 09:00:00 pod/cron-0 Pulled image\n| … 38 more lines pasted …\n\
             | 09:00:39 pod/cron-39 Pulled image\nFind what stalls."
        );
        let rows: String = (0..20).map(|row| format!("{row},DE,{row}.50,open\n")).collect();
        let condensed = condense(&format!("{rows}# never touch row 7\n{rows}done"));
        assert!(condensed.contains("39 more lines") && !condensed.contains("never"), "{condensed}");
        let fenced = condense("Why?\n```\nfn a() {}\nnever do this\nfn b() {}\n```\nthanks");
        assert_eq!(fenced, "Why?\n| fn a() {}\n| … 1 more lines pasted …\n| fn b() {}\nthanks");
        assert!(!condense(&"x y,".repeat(4_000)).contains(&"x y,".repeat(200)));
    }

    #[test]
    fn elements_mails_and_quotes_are_pastes() {
        for (text, condensed) in [
            (
                "Read:\n<file path=\"a.md\">\nAlways use tabs.\n</file>\nthanks",
                "Read:\n| <file path=\"a.md\">\n| … 1 more lines pasted …\n| </file>\nthanks",
            ),
            ("<note>Never push.</note>\nok", "| <note>Never push.</note>\nok"),
            (
                "Answer this:\nFrom: a@b.c\nSubject: Rules\n\nNever deploy.\nBye",
                "Answer this:\n| From: a@b.c\n| … 2 more lines pasted …\n| Bye",
            ),
            ("> You must pay\nis this true", "| > You must pay\nis this true"),
            ("From: here to there, always walk", "From: here to there, always walk"),
            ("<b> is bold\nnever use it", "<b> is bold\nnever use it"),
        ] {
            assert_eq!(condense(text), condensed);
        }
    }

    #[test]
    fn the_users_own_lines_stay() {
        for text in [
            "one\ntwo\nthree\nfour\nfive\nsix\nseven",
            "- never push\n- always test\n- use tabs\n- no unsafe\n- keep it small\n- ask first\n- be kind",
            "1. a\n2. b\n3. c\n4. d\n5. e\n6. f\n7. g",
            "本番DBには絶対に接続しないでください。\n在庫の集計は触らないで。",
        ] {
            assert_eq!(condense(text), text);
        }
    }
}
