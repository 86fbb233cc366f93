//! Application logs: time range, levels, message templates with counts, rare messages, errors.

use forebay_text::number::counted;

use super::{
    Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, access_log,
    git_log,
};
use crate::lines::Line;
use crate::log_prefix::{self, Level, TimeRange};
use crate::tally::{MessageTemplates, ValueCounts};

pub(super) const FORMAT: Format = Format {
    name: "log",
    keeps: "time range; lines by level; message templates with counts; messages seen once; errors quoted",
    commands: &["journalctl", "docker logs", "kubectl logs", "dmesg"],
    scope: Scope::Whole(claims),
    create: || {
        Box::new(Log {
            trace: (super::stack_trace::FORMAT.create)(),
            time_range: TimeRange::default(),
            stamped: 0,
            levels: ValueCounts::default(),
            programs: ValueCounts::default(),
            templates: MessageTemplates::default(),
            after_error: 0,
            has_containers: None,
            is_interrupted: false,
        })
    },
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let lines = start.nonblank_lines().count();
    let is_stamped = |line: &&str| {
        let (container, message) = message_of(line);
        log_prefix::split_timestamp(message).is_some()
            || container.is_some() && access_log::request(message).is_some()
    };
    let stamped = start.nonblank_lines().filter(is_stamped).count();
    // A custom format of `git log` may start with the date.
    let is_history = start.command.matches("git log")
        || start.mostly(80, |line| {
            log_prefix::split_timestamp(line).is_some_and(|(_, message)| is_commit(message))
        });
    (lines >= 5 && !is_history && stamped * 10 >= lines * 6).then_some(Claim::Likely)
}

/// Returns true if the message starts with the hash of a commit.
fn is_commit(message: &str) -> bool {
    git_log::one_line_commit(message).is_some_and(|(hash, _)| git_log::has_digits_and_letters(hash))
}

/// Splits off the container name that docker compose writes.
fn message_of(line: &str) -> (Option<&str>, &str) {
    log_prefix::split_container(line)
        .map_or((None, line), |(container, message)| (Some(container), message))
}

#[derive(Debug)]
struct Log {
    /// Lines without a timestamp are often a stack trace.
    trace: Box<dyn Recognizer>,
    time_range: TimeRange,
    stamped: u64,
    levels: ValueCounts,
    programs: ValueCounts,
    templates: MessageTemplates,
    /// Number of following lines without a timestamp that belong to an error.
    after_error: u32,
    /// Whether docker compose wrote the name of a container before each line.
    has_containers: Option<bool>,
    /// Something else came after the last entry, so an indented line does not continue it.
    is_interrupted: bool,
}

impl Recognizer for Log {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let (container, text) = message_of(line.text);
        if let Some((container, request)) = container.zip(access_log::request(text)) {
            if !self.begins_entry(true) {
                return self.unstamped(line);
            }
            self.time_range.add(request.time);
            self.programs.add(container);
            self.templates.add(text, line.number);
            return if request.status.starts_with('5') { Mark::Weight(35) } else { Mark::Plain };
        }
        let Some((stamp, message)) = log_prefix::split_timestamp(text) else {
            return self.unstamped(line);
        };
        if !self.begins_entry(container.is_some()) {
            return self.unstamped(line);
        }
        self.time_range.add(stamp);
        let message = match container {
            Some(container) => {
                self.programs.add(container);
                message
            }
            None => self.without_program(message),
        };
        let occurrences = self.templates.add(message, line.number);
        let (level, stated) = match log_prefix::klog_level(text) {
            Some((level, word)) => (Some(level), Some(word)),
            None => log_prefix::levels(message),
        };
        if let Some(word) = stated {
            self.levels.add(word);
        }
        self.after_error = 0;
        match level {
            Some(Level::Fatal) => {
                self.after_error = 12;
                Mark::OUTCOME
            }
            Some(Level::Error) => {
                self.after_error = if occurrences == 0 { 6 } else { 0 };
                if occurrences == 0 { Mark::FAILURE } else { Mark::Weight(35) }
            }
            Some(Level::Warning) => Mark::Weight(if occurrences == 0 { 28 } else { 8 }),
            _ => Mark::Plain,
        }
    }

    fn counts_lines(&self) -> bool {
        true
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.stamped * 2 < context.lines {
            return None;
        }
        // An entry may have several lines.
        let mut summary = format!("log: {}", counted(self.stamped, "entry"));
        if let Some(time_range) = self.time_range.describe() {
            summary += &format!(", {time_range}");
        }
        if !self.levels.is_empty() {
            summary += &format!("; levels: {}", self.levels.list(6));
        }
        let mut report = Report::with_summary(summary, Quotes::Default);
        if self.programs.distinct() > 1 {
            report.add(92, format!("programs: {}", self.programs.list(8)));
        }
        let max_items = context.max_bytes / 300;
        let frequent = self.templates.frequent(max_items.max(2));
        if !frequent.is_empty() {
            let distinct = self.templates.distinct();
            let noun = if distinct == "1" { "template" } else { "templates" };
            report.add(88, format!("{distinct} message {noun}, most frequent:"));
            for (index, template) in frequent.into_iter().enumerate() {
                report.add_item(80 - index as u32, template);
            }
        }
        for message in self.templates.seen_once(max_items + 2) {
            report.add(40, format!("once, {message}"));
        }
        Some(report)
    }
}

impl Log {
    /// Counts an entry; returns false if the others are written differently.
    fn begins_entry(&mut self, has_container: bool) -> bool {
        let is_own = *self.has_containers.get_or_insert(has_container) == has_container;
        self.stamped += u64::from(is_own);
        self.is_interrupted &= !is_own;
        is_own
    }

    fn unstamped(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        // An indented line continues the message before it.
        let is_continued = text.starts_with([' ', '\t']) || text.trim().is_empty();
        let mark = self.trace.push_line(line);
        if mark != Mark::Plain {
            // The next lines are those of the trace.
            self.is_interrupted = false;
            return mark;
        }
        if self.is_interrupted && !text.trim().is_empty() {
            return Mark::Foreign;
        }
        if self.after_error == 0 || text.trim().is_empty() {
            self.is_interrupted = !is_continued;
            return if is_continued { Mark::Plain } else { Mark::Foreign };
        }
        self.after_error -= 1;
        Mark::DETAIL
    }

    /// Counts the program of a syslog line, `host program[12]: message`, and strips it.
    fn without_program<'a>(&mut self, message: &'a str) -> &'a str {
        let mut colons = memchr::memchr_iter(b':', message.as_bytes());
        let Some(colon) = colons.find(|at| message.as_bytes().get(at + 1) == Some(&b' ')) else {
            return message;
        };
        let (origin, text) = (&message[..colon], &message[colon + 2..]);
        let Some((host, program)) = origin.split_once(' ') else { return message };
        // A level or a sentence, not host and program.
        if program.contains(' ')
            || log_prefix::find_level(host).is_some()
            || host.contains(['[', '=', ']', '('])
        {
            return message;
        }
        self.programs.add(program.split('[').next().unwrap_or(program));
        text
    }
}
