//! Records a terminal session and draws it as an SVG picture.
//!
//! The session is real: a small crate with two failing tests is tested through `forebay run`, and the output,
//! colours included, becomes text in the picture. References, times and hashes differ each time, so they are
//! masked when a new recording is compared with the committed picture.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use regex::Regex;

use super::console_blocks::masked;
use crate::{console, process, workspace};

pub(super) const PICTURE: &str = "docs/images/run.svg";

/// Writes the project that is tested.
const PROJECT: &str = "docs/examples/shop.sh";
const FONT_SIZE: usize = 14;
const LINE_HEIGHT: usize = 20;
const MARGIN: usize = 20;
/// Width of a character in tenths of the font size; monospace fonts have 5.5 to 6.1.
const ADVANCE_TENTHS: usize = 61;

/// Whether the committed picture shows what the program prints now.
///
/// Another compiler words its test reports differently; then there is nothing to compare.
pub(super) fn is_current(forebay: &Path) -> Result<bool> {
    let picture = workspace::root().join(PICTURE);
    let Ok(committed) = fs::read_to_string(&picture) else { return Ok(false) };
    if !committed.contains(&recorded_with()?) {
        console::line(format!("{PICTURE} was recorded with another compiler; not compared"));
        return Ok(true);
    }
    Ok(comparable(&committed)? == comparable(&record(forebay)?)?)
}

/// Records the picture again, unless only volatile fields would change.
pub(super) fn write(forebay: &Path) -> Result<()> {
    let picture = workspace::root().join(PICTURE);
    let (old, new) = (fs::read_to_string(&picture).unwrap_or_default(), record(forebay)?);
    if comparable(&old)? != comparable(&new)? {
        fs::create_dir_all(picture.with_file_name(""))?;
        fs::write(&picture, new).with_context(|| PICTURE.to_owned())?;
        console::line(format!("wrote {PICTURE}"));
    }
    Ok(())
}

/// The picture without its numbers: thread ids differ from run to run, and with them sizes and token counts.
fn comparable(picture: &str) -> Result<String> {
    let numbers = Regex::new("[0-9][0-9,.]*")?;
    Ok(numbers.replace_all(&masked(picture)?, "0").into_owned())
}

/// Runs the session and draws what it prints.
fn record(forebay: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("shop");
    fs::create_dir(&project)?;
    let script = workspace::root().join(PROJECT);
    process::stdout(process::command("sh").arg(script).current_dir(&project))?;
    // Built before, so that the recording shows the tests and not the compiler.
    let mut cargo = process::cargo();
    cargo.args(["test", "--no-run", "--offline"]).env_remove("CARGO_TARGET_DIR");
    process::stdout(cargo.current_dir(&project))?;
    let run = |arguments: &[&str]| -> Result<String> {
        let mut forebay = process::command(forebay);
        forebay
            .args(arguments)
            .current_dir(&project)
            .env("FOREBAY_HOME", folder.path().join("home"));
        forebay.env("CLICOLOR_FORCE", "1").env("RUST_TEST_THREADS", "1");
        forebay.env_remove("FOREBAY_SESSION").env_remove("RUST_BACKTRACE").env_remove("NO_COLOR");
        forebay.env_remove("CARGO_TARGET_DIR");
        let output = forebay.output().with_context(|| process::command_line(&forebay))?;
        Ok(String::from_utf8(output.stdout)?)
    };
    // One stream, so that the order of the lines is always the same.
    let test = run(&["run", "--budget", "200", "--", "cargo test 2>&1"])?;
    let reference = reference(&test).context("the run printed no reference")?;
    let get = run(&["get", &reference, "--grep", "panicked"])?;
    let screen = format!(
        "{}{test}\n{}{get}",
        prompt("forebay run --budget 200 -- 'cargo test 2>&1'"),
        prompt(&format!("forebay get {reference} --grep panicked"))
    );
    draw(&screen)
}

fn prompt(command: &str) -> String {
    format!("\x1b[2m$\x1b[0m \x1b[32m{command}\x1b[0m\n")
}

fn reference(answer: &str) -> Option<String> {
    let (_, after) = answer.split_once("[ctx:")?;
    Some(after.split_once(']')?.0.to_owned())
}

fn recorded_with() -> Result<String> {
    let version = process::stdout_text(process::command("rustc").arg("--version"))?;
    Ok(format!("Recorded with {}", version.trim()))
}

/// Draws text with ANSI colours on a dark screen, which is readable on light and dark pages.
fn draw(screen: &str) -> Result<String> {
    let lines: Vec<Vec<Span>> = screen.trim_end().lines().map(spans).collect();
    ensure!(lines.len() > 5, "the session printed too little:\n{screen}");
    let width = |line: &Vec<Span>| line.iter().map(|span| span.text.chars().count()).sum::<usize>();
    let columns = lines.iter().map(width).max().unwrap_or_default();
    let width = columns * FONT_SIZE * ADVANCE_TENTHS / 100 + 2 * MARGIN;
    let height = lines.len() * LINE_HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<!-- {}. Written by `cargo xtask docs`. -->\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"A terminal session with forebay\">\n\
         <style>\ntext {{ font: {FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, \
         'DejaVu Sans Mono', monospace; fill: #d8dee9; white-space: pre; }}\n\
         .bold {{ font-weight: bold; }} .dim {{ fill: #8691a6; }} .red {{ fill: #ff7b72; }} \
         .green {{ fill: #7ee787; }}\n.yellow {{ fill: #e3b341; }} .cyan {{ fill: #76d9e6; }}\n</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#161b22\" stroke=\"#30363d\"/>\n",
        recorded_with()?
    );
    for (number, line) in lines.iter().enumerate() {
        let baseline = MARGIN + number * LINE_HEIGHT + FONT_SIZE;
        let spans: String = line.iter().map(Span::draw).collect();
        svg.push_str(&format!(
            "<text x=\"{MARGIN}\" y=\"{baseline}\" xml:space=\"preserve\">{spans}</text>\n"
        ));
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Text of one style.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    /// CSS classes, separated by spaces.
    style: String,
    text: String,
}

impl Span {
    fn draw(&self) -> String {
        let text = self.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        match self.style.as_str() {
            "" => text,
            style => format!("<tspan class=\"{style}\">{text}</tspan>"),
        }
    }
}

/// Splits a line at its ANSI escape sequences.
fn spans(line: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut classes: Vec<&'static str> = Vec::new();
    for (number, part) in line.split("\x1b[").enumerate() {
        let mut text = part;
        if number > 0
            && let Some((codes, rest)) = part.split_once('m')
        {
            codes.split(';').for_each(|code| apply(code, &mut classes));
            text = rest;
        }
        if !text.is_empty() {
            spans.push(Span { style: classes.join(" "), text: text.to_owned() });
        }
    }
    spans
}

/// Applies one SGR code.
fn apply(code: &str, classes: &mut Vec<&'static str>) {
    match code {
        "1" => classes.push("bold"),
        "2" => classes.push("dim"),
        "31" => classes.push("red"),
        "32" => classes.push("green"),
        "33" => classes.push("yellow"),
        "36" => classes.push("cyan"),
        "39" => classes.retain(|class| matches!(*class, "bold" | "dim")),
        _ => classes.clear(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_escape_sequences_into_styles() {
        let line = "\x1b[36m[ctx:a]\x1b[39m\x1b[31m exit 1\x1b[0m · <2 ms";
        let styled: Vec<(String, String)> =
            spans(line).into_iter().map(|span| (span.style, span.text)).collect();
        let expected = [("cyan", "[ctx:a]"), ("red", " exit 1"), ("", " · <2 ms")];
        assert_eq!(styled, expected.map(|(style, text)| (style.to_owned(), text.to_owned())));
    }
}
