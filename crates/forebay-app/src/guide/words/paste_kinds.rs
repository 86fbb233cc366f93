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
