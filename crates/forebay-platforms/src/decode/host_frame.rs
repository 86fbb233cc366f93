//! Removes what hosts write around the output of a command, which is not part of the output.
//!
//! Each frame is recognised by its start and its end together, so that an output that looks like one of them stays.

use std::ops::Range;

use forebay_domain::hook::HostCut;

/// What a frame says about the output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Framed {
    pub(super) exit_code: Option<i32>,
    pub(super) cut: Option<HostCut>,
}

/// What Gemini CLI puts around every result.
const UNTRUSTED: (&str, &str) = ("<untrusted_context>\n", "\n</untrusted_context>");

/// What precedes an exit code in the line above an output, and what follows it.
const EXIT_CODE_LINES: &[(&str, &str)] = &[("Exit code ", ""), ("[Command exited with code ", "]")];

/// What starts the output in the labelled lines of Gemini CLI and Qwen Code.
const OUTPUT: &str = "Output: ";
const EMPTY_OUTPUT: &str = "(empty)";
/// The lines above it.
const COMMAND: &str = "Command: ";
const DIRECTORY: &str = "\nDirectory: ";
/// The lines below it, the last one first.
const BELOW: &[&str] =
    &["Process Group PGID: ", "Background PIDs: ", "Signal: ", EXIT_CODE, NO_ERROR];
const EXIT_CODE: &str = "Exit Code: ";
const NO_ERROR: &str = "Error: (none)";

/// The lines of Codex above an output that it cut.
const CODEX_CUT: &str = "Warning: truncated output (original token count: ";
const CODEX_LINES: &str = "Total output lines: ";

/// Removes the frames of a text.
pub(super) fn take(text: &mut String) -> Framed {
    let mut framed = Framed::default();
    let (start, end) = UNTRUSTED;
    if let Some(inner) = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)) {
        keep_only(text, start.len()..start.len() + inner.len());
    }
    if let Some((output, code)) = labelled_output(text) {
        keep_only(text, output);
        framed.exit_code = code;
    }
    if let Some((bytes, code)) = exit_code_line(text) {
        text.drain(..bytes);
        framed.exit_code = Some(code);
    }
    if let Some((bytes, total)) = codex_cut(text) {
        text.drain(..bytes);
        framed.cut = Some(HostCut { total: Some(total), bytes: None });
    }
    framed
}

fn keep_only(text: &mut String, range: Range<usize>) {
    text.truncate(range.end);
    text.drain(..range.start);
}

/// Where the output of a command is in a file that a host saved, by the start and the end of its text.
pub fn output_in_file(start: &str, end: &str, bytes: u64) -> Range<u64> {
    match (output_start(start), labels_below(end)) {
        (Some(above), Some((below, _))) if above as u64 + below as u64 <= bytes => {
            above as u64..bytes - below as u64
        }
        _ => 0..bytes,
    }
}

/// Where the output is among the lines with labels, and the exit code in one of them.
fn labelled_output(text: &str) -> Option<(Range<usize>, Option<i32>)> {
    let start = output_start(text)?;
    let (below, exit_code) = labels_below(&text[start..])?;
    let end = text.len() - below;
    let end = if &text[start..end] == EMPTY_OUTPUT { start } else { end };
    Some((start..end, exit_code))
}

/// The length of the lines below an output, and the exit code in one of them.
fn labels_below(text: &str) -> Option<(usize, Option<i32>)> {
    let mut output = text;
    let mut exit_code = None;
    for (number, label) in BELOW.iter().enumerate() {
        let (rest, last) = output.rsplit_once('\n').unwrap_or(("", output));
        match last.strip_prefix(label) {
            Some(value) if *label == EXIT_CODE => exit_code = value.parse().ok(),
            Some(_) => {}
            // The last line is always there.
            None if number == 0 => return None,
            None => continue,
        }
        output = rest;
    }
    Some((text.len() - output.len(), exit_code))
}

/// Where the text after the label of the output starts.
fn output_start(text: &str) -> Option<usize> {
    if text.starts_with(OUTPUT) {
        return Some(OUTPUT.len());
    }
    let label = text.find("\nOutput: ").filter(|_| text.starts_with(COMMAND))?;
    text[..label].contains(DIRECTORY).then_some(label + 1 + OUTPUT.len())
}

/// The length of the line with the exit code, and the code.
fn exit_code_line(text: &str) -> Option<(usize, i32)> {
    let line = text.lines().next()?;
    let code = EXIT_CODE_LINES.iter().find_map(|(prefix, suffix)| {
        line.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok()
    })?;
    Some((text.len().min(line.len() + 1), code))
}

/// The length of the lines above an output that Codex cut, and how many lines the output had.
fn codex_cut(text: &str) -> Option<(usize, u64)> {
    let (warning, rest) = text.strip_prefix(CODEX_CUT)?.split_once('\n')?;
    warning.strip_suffix(')')?.parse::<u64>().ok()?;
    let (lines, output) = rest.strip_prefix(CODEX_LINES)?.split_once("\n\n")?;
    Some((text.len() - output.len(), lines.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, output: &str, exit_code: Option<i32>) {
        let mut text = text.to_owned();
        let framed = take(&mut text);
        assert_eq!((text.as_str(), framed.exit_code), (output, exit_code));
    }

    #[test]
    fn labels_of_qwen_code_are_removed() {
        let below = "Error: (none)\nExit Code: 101\nSignal: (none)\nProcess Group PGID: (none)";
        let text =
            |output: &str| format!("Command: make\nDirectory: (root)\nOutput: {output}\n{below}");
        check(&text("a\nError: b"), "a\nError: b", Some(101));
        check(&text("(empty)"), "", Some(101));
        check(&text("x\nOutput: y"), "x\nOutput: y", Some(101));
    }

    #[test]
    fn labels_of_gemini_cli_are_removed() {
        let around = |text: &str| format!("<untrusted_context>\n{text}\n</untrusted_context>");
        check(&around("Output: a\nb\nProcess Group PGID: 7"), "a\nb", None);
        check(&around("Output: a\nExit Code: 2\nProcess Group PGID: 7"), "a", Some(2));
        check(
            &around("Output: a\nError: cannot start\nProcess Group PGID: 7"),
            "a\nError: cannot start",
            None,
        );
        check(&around("of another tool\n"), "of another tool\n", None);
    }

    #[test]
    fn labels_in_a_saved_file_are_left_out() {
        let start = "Command: make\nDirectory: (root)\nOutput: ";
        let end = "\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: (none)";
        let text = format!("{start}a\nb{end}");
        let range = output_in_file(&text, &text[20..], text.len() as u64);
        assert_eq!(&text[range.start as usize..range.end as usize], "a\nb");
        assert_eq!(output_in_file("a\nb", "a\nb", 3), 0..3);
        assert_eq!(output_in_file(start, "b", 100), 0..100);
    }

    #[test]
    fn exit_code_above_an_output_is_removed() {
        check("Exit code 101\nerror: test failed\n", "error: test failed\n", Some(101));
        check("[Command exited with code 2]\nx", "x", Some(2));
        check("Exit code 3", "", Some(3));
        check("Exit code unknown\nx", "Exit code unknown\nx", None);
    }

    #[test]
    fn codex_says_how_much_it_cut() {
        let mut text = "Warning: truncated output (original token count: 16173)\nTotal output lines: 900\n\na\n\nb".to_owned();
        let cut = Some(HostCut { total: Some(900), bytes: None });
        assert_eq!(take(&mut text), Framed { exit_code: None, cut });
        assert_eq!(text, "a\n\nb");
    }

    #[test]
    fn text_without_both_ends_of_a_frame_stays() {
        for text in [
            "Output: a\nExit Code: 2",
            "Command: x\nOutput: a\nProcess Group PGID: 7",
            "<untrusted_context>\na",
            "Warning: truncated output (original token count: 1)\na\n\nb",
            "Output: ",
            "",
        ] {
            check(text, text, None);
        }
    }
}
