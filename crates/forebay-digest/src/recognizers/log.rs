//! Logs of any program: time range, levels, message templates with counts, rare messages, errors.

use forebay_text::number::grouped;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start, access_log};
use crate::lines::Line;
use crate::tally::{Templates, Tops};
use crate::when::{self, Level, Span};

pub(super) const FORMAT: Format = Format {
    name: "log",
    keeps: "time range; lines by level; message templates with counts; messages seen once; errors quoted",
    commands: &["journalctl", "docker logs", "kubectl logs", "dmesg"],
    scope: Scope::Whole(claims),
    start: || {
        Box::new(Log {
            trace: (super::trace::FORMAT.start)(),
            span: Span::default(),
            stamped: 0,
            levels: Tops::default(),
            programs: Tops::default(),
            templates: Templates::default(),
            after_error: 0,
        })
    },
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let lines = start.telling().count();
    let is_stamped = |line: &&str| {
        let (container, message) = message_of(line);
        when::stamped(message).is_some()
            || container.is_some() && access_log::request(message).is_some()
    };
    let stamped = start.telling().filter(is_stamped).count();
    (lines >= 5 && stamped * 10 >= lines * 6).then_some(Claim::Likely)
}

/// The container of a line, where compose writes it, and what it wrote.
fn message_of(line: &str) -> (Option<&str>, &str) {
    when::container(line).map_or((None, line), |(container, message)| (Some(container), message))
}

#[derive(Debug)]
struct Log {
    /// Lines without a time are often a stack trace.
    trace: Box<dyn Recognizer>,
    span: Span,
    stamped: u64,
    levels: Tops,
    programs: Tops,
    templates: Templates,
    /// The last line had a level that matters; what follows without a time belongs to it.
    after_error: u32,
}

impl Recognizer for Log {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let (container, text) = message_of(line.text);
        if let Some((container, request)) = container.zip(access_log::request(text)) {
            self.stamped += 1;
            self.span.add(request.time);
            self.programs.add(container);
            self.templates.add(text, line.number);
            return if request.status.starts_with('5') { Mark::Weight(35) } else { Mark::Plain };
        }
        let Some((stamp, message)) = when::stamped(text) else {
            return self.unstamped(line);
        };
        self.stamped += 1;
        self.span.add(stamp);
        let message = match container {
            Some(container) => {
                self.programs.add(container);
                message
            }
            None => self.without_program(message),
        };
        let seen = self.templates.add(message, line.number);
        let level = when::lettered_level(text).or_else(|| when::level(message));
        if let Some((_, word)) = level {
            self.levels.add(word);
        }
        self.after_error = 0;
        match level.map(|(level, _)| level) {
            Some(Level::Fatal) => {
                self.after_error = 12;
                Mark::OUTCOME
            }
            Some(Level::Error) => {
                self.after_error = if seen == 0 { 6 } else { 0 };
                if seen == 0 { Mark::FAILURE } else { Mark::Weight(35) }
            }
            Some(Level::Warning) => Mark::Weight(if seen == 0 { 28 } else { 8 }),
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.stamped * 2 < end.lines {
            return None;
        }
        let mut said = format!("log: {} lines", grouped(end.lines));
        if let Some(span) = self.span.show() {
            said += &format!(", {span}");
        }
        if !self.levels.is_empty() {
            said += &format!("; levels: {}", self.levels.list(6));
        }
        let mut report = Report::of(said, Quotes::Usual);
        if self.programs.distinct() > 1 {
            report.add(92, format!("programs: {}", self.programs.list(8)));
        }
        let most = end.room / 300;
        let frequent = self.templates.frequent(most.max(2));
        if !frequent.is_empty() {
            let distinct = self.templates.distinct();
            let noun = if distinct == "1" { "kind" } else { "kinds" };
            report.add(88, format!("{distinct} {noun} of message, the most frequent:"));
            for (index, template) in frequent.into_iter().enumerate() {
                report.add(80 - index as u32, template);
            }
        }
        for message in self.templates.rare(most + 2) {
            report.add(40, format!("once, {message}"));
        }
        Some(report)
    }
}

impl Log {
    fn unstamped(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        let mark = self.trace.take(line);
        if mark != Mark::Plain {
            return mark;
        }
        if self.after_error == 0 || text.trim().is_empty() {
            return Mark::Plain;
        }
        self.after_error -= 1;
        Mark::DETAIL
    }

    /// Counts the program of `host program[12]: message`, as syslog writes it, and cuts it off.
    fn without_program<'a>(&mut self, message: &'a str) -> &'a str {
        let mut colons = memchr::memchr_iter(b':', message.as_bytes());
        let Some(colon) = colons.find(|at| message.as_bytes().get(at + 1) == Some(&b' ')) else {
            return message;
        };
        let (origin, text) = (&message[..colon], &message[colon + 2..]);
        let Some((host, program)) = origin.split_once(' ') else { return message };
        // A level or a sentence is no host and program.
        if program.contains(' ')
            || when::level(host).is_some()
            || host.contains(['[', '=', ']', '('])
        {
            return message;
        }
        self.programs.add(program.split('[').next().unwrap_or(program));
        text
    }
}
