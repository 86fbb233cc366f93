//! Manual pages and help (`man`, `--help`): the beginning, sections, names of options and commands.

use std::borrow::Cow;

use forebay_text::cut;
use forebay_text::number::counted;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::location;

pub(super) const FORMAT: Format = Format {
    name: "man, --help",
    keeps: "the beginning; sections with their lines; names of options and commands, as many as fit",
    commands: &["man", "git help", "info"],
    scope: Scope::Whole(claims),
    create: || Box::<Manual>::default(),
};

/// Number of lines quoted of the beginning, and bytes of each.
const BEGINNING_LINES: u32 = 7;

/// Lines of a usage that go on with options, which are listed anyway; and lines in which a usage is looked for.
const MAX_USAGE_OPTIONS: u32 = 2;
const USAGE_LINES: usize = 12;

/// Titles of sections that belong to the beginning.
const BEGINNING_TITLES: &[&str] = &["usage", "synopsis", "description", "name", "about"];
const MAX_LINE_BYTES: usize = 100;

/// Names are indented by at most this much; deeper lines are prose.
const MAX_INDENT: usize = 8;

/// Percentage of the budget for the beginning and the names, and bytes around a title.
const NAMES_SHARE: usize = 90;
const TITLE_BYTES: usize = 22;

/// Bytes shown of the names of an option.
const MAX_NAME_BYTES: usize = 48;

/// Longer values of options go first where space is short.
const MAX_VALUE_BYTES: usize = 6;

/// Maximum numbers of sections, and of names in each, that are held.
const MAX_SECTIONS: usize = 100;
const MAX_NAMES: usize = 400;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.nonblank_lines().next()?;
    let options = start.nonblank_lines().filter(|line| option(&unframed(line)).is_some()).count();
    let commands = start.nonblank_lines().filter(|line| command(line).is_some()).count();
    let starts_usage = |line: &str| {
        line.trim_start().get(..7).is_some_and(|start| start.eq_ignore_ascii_case("usage: "))
    };
    let is_usage = start.nonblank_lines().take(USAGE_LINES).any(starts_usage);
    let is_help = start.command.asks_for_help() && (options >= 3 || is_usage || commands >= 6);
    let is_page = is_page_header(first)
        && start.nonblank_lines().skip(1).take(8).any(|line| line.trim() == "NAME");
    // Documents quote the help of programs.
    let is_document =
        start.lines.iter().any(|line| line.starts_with("```") || line.starts_with('#'));
    let is_shown_help = is_usage && options >= 6 && !is_document;
    (is_page || is_help || is_shown_help).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Manual {
    is_page: bool,
    lines: u32,
    /// Lines up to here, without options of a usage.
    beginning_lines: u32,
    usage_options: u32,
    beginning: Vec<String>,
    /// True if an option came, which ends the beginning.
    has_names: bool,
    sections: Vec<Section>,
    /// The previous line is unindented prose, which may go on.
    in_prose: bool,
}

#[derive(Debug, Default)]
struct Section {
    line: u64,
    title: String,
    names: Vec<String>,
    more_names: u64,
}

impl Recognizer for Manual {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = unframed(line.text.trim_end());
        let text = &*text;
        if text.is_empty() {
            self.in_prose = false;
            return Mark::Noise;
        }
        if self.lines == 0 {
            self.is_page = is_page_header(text);
        }
        let is_indented = text.starts_with([' ', '\t']);
        let is_title = self.is_title(text, is_indented);
        // Indented text may be anything but the result of a test.
        let is_result = text.trim_start().starts_with("--- ");
        let is_known = is_indented || is_title || self.continues(text) || option(text).is_some();
        let is_finding = !is_indented && location::located_message(text).is_some();
        if is_result || is_finding || !is_known {
            return Mark::Foreign;
        }
        self.in_prose = !is_indented && !is_title;
        self.lines += 1;
        self.has_names |= option(text).is_some();
        if is_title {
            self.beginning_lines += 1;
        } else {
            self.add_to_beginning(text);
        }
        if is_title && self.sections.len() < MAX_SECTIONS {
            let title = cut::one_line(text.trim().trim_end_matches(':'), MAX_NAME_BYTES);
            self.sections.push(Section { line: line.number, title, ..Section::default() });
        } else if let Some(name) =
            option(text).or_else(|| if self.is_page { None } else { command(text) })
        {
            self.add_name(name);
        }
        Mark::Noise
    }

    fn can_resume(&self) -> bool {
        // Any indented line may be part of a manual.
        false
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let what = if self.is_page { "manual page" } else { "help" };
        let mut report = Report::with_summary(
            format!("{what}: the beginning, sections by line, names"),
            Quotes::None,
        );
        for (index, line) in self.beginning.iter().enumerate() {
            report.add(99 - index as u32, line.clone());
        }
        let used: usize = self.beginning.iter().map(|line| line.len() + 1).sum();
        let max_bytes = (context.max_bytes * NAMES_SHARE / 100).saturating_sub(used);
        if !self.is_page && self.bytes_of_all_names() > self.bytes_of_names(max_bytes) {
            self.remove_values();
        }
        let shown = self.names_within(max_bytes);
        for (section, shown) in self.sections.iter().zip(shown) {
            let has_names = shown.contains(&true);
            if !section.title.is_empty() {
                report.add_named(
                    if has_names { 80 } else { 70 },
                    format!("line {}: {}", section.line, section.title),
                    " section",
                );
            }
            report.add(if has_names { 79 } else { 69 }, section.list_names(&shown));
        }
        Some(report)
    }
}

impl Section {
    /// Returns `  -a, --all; -f, --force; +3 more names`.
    fn list_names(&self, shown: &[bool]) -> String {
        let chosen = self.names.iter().zip(shown).filter(|(_, shown)| **shown);
        let mut names: Vec<String> = chosen.map(|(name, _)| name.clone()).collect();
        let more = (self.names.len() - names.len()) as u64 + self.more_names;
        if more > 0 {
            names.push(format!("+{}", counted(more, "more name")));
        }
        if names.is_empty() { String::new() } else { format!("  {}", names.join("; ")) }
    }
}

impl Manual {
    /// Quotes a line before the first option and the first section that is about something else.
    fn add_to_beginning(&mut self, text: &str) {
        let goes_on =
            text.starts_with(' ') && text.trim_start().starts_with(['[', '-', '<', '(', '{']);
        if goes_on && !self.is_page {
            self.usage_options += 1;
            if self.usage_options > MAX_USAGE_OPTIONS {
                return;
            }
        }
        self.beginning_lines += 1;
        let is_beginning = |section: &Section| {
            let title = section.title.to_ascii_lowercase();
            BEGINNING_TITLES.iter().any(|start| title.starts_with(start))
        };
        let may_add = self.is_page || self.sections.last().is_none_or(is_beginning);
        if self.beginning_lines <= BEGINNING_LINES && !self.has_names && may_add {
            self.beginning.push(cut::one_line(text, MAX_LINE_BYTES));
        }
    }

    fn bytes_of_all_names(&self) -> usize {
        self.sections.iter().flat_map(|section| &section.names).map(|name| name.len() + 2).sum()
    }

    /// Leaves the names of options without long values, so that more of them have space.
    fn remove_values(&mut self) {
        let names = self.sections.iter_mut().flat_map(|section| &mut section.names);
        for name in names.filter(|name| name.starts_with('-')) {
            *name = without_values(name);
        }
    }

    /// Chooses names within a number of bytes: those of short options first, because these are used most.
    fn names_within(&self, max_bytes: usize) -> Vec<Vec<bool>> {
        let mut remaining = self.bytes_of_names(max_bytes);
        let mut shown: Vec<Vec<bool>> =
            self.sections.iter().map(|section| vec![false; section.names.len()]).collect();
        for wants_short in [true, false] {
            for (section, shown) in self.sections.iter().zip(&mut shown) {
                for (name, shown) in section.names.iter().zip(shown) {
                    let fits = name.len() + 2 <= remaining;
                    if is_short_option(name) == wants_short && fits {
                        remaining -= name.len() + 2;
                        *shown = true;
                    }
                }
            }
        }
        shown
    }

    /// Divides the bytes between titles and names. Titles of sections without names leave half of them to names.
    fn bytes_of_names(&self, max_bytes: usize) -> usize {
        let bytes = |section: &Section| section.title.len() + TITLE_BYTES;
        let with_names = self.sections.iter().filter(|section| !section.names.is_empty());
        let beside_all = max_bytes.saturating_sub(self.sections.iter().map(bytes).sum());
        let beside_own = (max_bytes / 2).saturating_sub(with_names.map(bytes).sum());
        beside_all.max(beside_own)
    }

    /// Returns true for `OPTIONS` of a page, ` Main operation mode:` of a help.
    fn is_title(&self, text: &str, is_indented: bool) -> bool {
        if self.is_page {
            let is_upper =
                |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || " -,/()&".contains(c);
            return !is_indented && text.len() < 60 && text.chars().all(is_upper);
        }
        let indent = text.len() - text.trim_start().len();
        text.ends_with(':') && indent <= 2 && text.len() < 70 && option(text).is_none()
    }

    /// Returns true for an unindented line of prose, the header or the footer of a page.
    fn continues(&self, text: &str) -> bool {
        let starts_sentence = text.starts_with(|c: char| c.is_ascii_uppercase() || c == '<')
            || text.to_ascii_lowercase().starts_with("usage");
        if self.is_page { text.contains("   ") } else { starts_sentence || self.in_prose }
    }

    fn add_name(&mut self, name: String) {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        let Some(section) = self.sections.last_mut() else { return };
        if section.names.len() < MAX_NAMES {
            section.names.push(name);
        } else {
            section.more_names += 1;
        }
    }
}

/// Removes long values: `-o, --out` for `-o, --out=<one|two|three>`.
fn without_values(name: &str) -> String {
    let short = |word: &str| word.len() <= MAX_VALUE_BYTES;
    let words = name.split(' ').filter_map(|word| {
        if !word.starts_with('-') {
            return short(word).then(|| word.to_owned());
        }
        let end = word.find(['=', '[', '<']).filter(|end| !short(&word[*end..]));
        let comma = if word.ends_with(',') { "," } else { "" };
        Some(end.map_or_else(|| word.to_owned(), |end| format!("{}{comma}", &word[..end])))
    });
    words.collect::<Vec<_>>().join(" ").trim_end_matches([',', '…']).to_owned()
}

/// Removes the frame that some programs draw around each section: `╭─ Options ─╮`, `│ --all │`.
fn unframed(text: &str) -> Cow<'_, str> {
    let framed = text.trim();
    if let Some(inner) = framed.strip_prefix('│').and_then(|text| text.strip_suffix('│')) {
        return Cow::Borrowed(inner.trim_end());
    }
    match framed.chars().next() {
        Some('╰') => Cow::Borrowed(""),
        Some('╭') => {
            let title = framed.trim_matches(|c| "╭─╮ ".contains(c));
            Cow::Owned(if title.is_empty() { String::new() } else { format!("{title}:") })
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns true for `-a, --all`.
fn is_short_option(name: &str) -> bool {
    let is_short = |word: &str| word.len() == 2 && word.starts_with('-') && word != "--";
    name.split([' ', ',']).next().is_some_and(is_short)
}

/// Returns true for `LS(1)     User Commands     LS(1)`.
fn is_page_header(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let (Some(first), Some(last)) = (words.next(), words.next_back()) else { return false };
    first == last && first.ends_with(')') && first.contains('(') && line.contains("  ")
}

/// Returns the names of an option with its values: `-a, --all`, `--block-size=SIZE`, `-o <file>`.
fn option(line: &str) -> Option<String> {
    let text = line.trim_start_matches(' ');
    if !text.starts_with('-') || line.len() - text.len() > MAX_INDENT {
        return None;
    }
    let after_dashes = text.trim_start_matches('-');
    let is_name =
        after_dashes.starts_with(|c: char| c.is_ascii_alphanumeric() || "?#[@".contains(c));
    if !is_name || text.len() - after_dashes.len() > 2 {
        return None;
    }
    let text = text.split("  ").next().unwrap_or(text);
    let mut names = String::new();
    let mut is_open = false;
    for word in text.split(' ') {
        let is_value = word.starts_with(['<', '[', '{', '|'])
            || word.chars().all(|c| c.is_ascii_uppercase() || "_,|.=".contains(c));
        if !(word.starts_with('-') || is_value || is_open) {
            break;
        }
        is_open = (is_open || word.contains('<')) && !word.contains('>');
        if !names.is_empty() {
            names.push(' ');
        }
        names.push_str(word);
    }
    Some(cut::one_line(names.trim_end_matches(','), MAX_NAME_BYTES))
}

/// Returns the name of a command of a help: `   commit      Record changes`.
fn command(line: &str) -> Option<String> {
    let (name, description) = indented(line)?.split_once("  ")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() < 30
        && !name.contains([' ', ':'])
        && !description.trim().is_empty();
    is_name.then(|| name.to_owned())
}

/// Returns the text of a line that is indented a little.
fn indented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (1..=MAX_INDENT).contains(&(line.len() - text.len())).then_some(text)
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Hint};

    fn help(raw: &str, tokens: u64) -> String {
        let hint = Hint { command: Some("tool --help"), ..Hint::default() };
        crate::digest(raw.as_bytes(), hint, None, Budget::exactly(tokens)).text
    }

    #[test]
    fn names_have_no_values_where_space_is_short() {
        let options: String = (0..40)
            .map(|n| {
                format!("  --option-{n}=<one|two|three>   Does something that is described here.\n")
            })
            .collect();
        let raw = format!("A tool.\n\nUsage: tool [OPTIONS]\n\nOptions:\n{options}");
        let text = help(&raw, 250);
        assert!(text.contains("Usage: tool [OPTIONS]\n"), "{text}");
        assert!(text.contains("--option-7; ") && text.contains("--option-39"), "{text}");
    }

    #[test]
    fn sections_in_frames_are_read() {
        let options: String =
            (0..20).map(|n| format!("│ --option-{n}   <str>   Does something here. │\n")).collect();
        let raw = format!(
            " Usage: tool [OPTIONS]\n\n╭─ Options ─────╮\n{options}╰─────╯\n╭─ Commands ───╮\n\
             │ run   Runs it. │\n╰─────╯\n"
        );
        let text = help(&raw, 200);
        for part in ["line 3: Options", "--option-3", "Commands", "run"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn options_of_a_usage_are_not_repeated() {
        let usage = "usage: tool [-h]\n".to_owned() + &"            [-a ONE] [-b TWO]\n".repeat(9);
        let options: String = (0..30)
            .map(|n| format!("  --option-{n}   Does something that is described.\n"))
            .collect();
        let text =
            help(&format!("{usage}\nChecks files for mistakes.\n\noptions:\n{options}"), 250);
        assert_eq!(text.matches("[-a ONE]").count(), 2, "{text}");
        assert!(text.contains("Checks files for mistakes."), "{text}");
    }

    #[test]
    fn many_sections_leave_room_for_names() {
        let section = |number: u32| {
            format!("SECTION {}\n       Some prose.\n\n", "X".repeat(number as usize))
        };
        let sections: String = (1..40).map(section).collect();
        let raw = format!(
            "TOOL(1)     General Commands Manual     TOOL(1)\n\nNAME\n       tool - does it\n\n\
             OPTIONS\n       -c     Reads a command.\n       -i     Is interactive.\n\n{sections}"
        );
        let hint = Hint { command: Some("man tool"), ..Hint::default() };
        let text = crate::digest(raw.as_bytes(), hint, None, Budget::exactly(200)).text;
        assert!(text.contains("-c; -i") && text.contains("more section"), "{text}");
    }
}
