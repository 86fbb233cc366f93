//! strace: calls by name, failed calls by error; quotes failed calls.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "strace",
    keeps: "calls by name, failed calls by error; processes; failed calls, the last first",
    commands: &["strace", "ltrace"],
    scope: Scope::Whole(claims),
    create: || Box::<Strace>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let rows = start.nonblank_lines().filter(|line| call(line).is_some()).count();
    (rows >= 5 && rows * 10 >= start.nonblank_lines().count() * 7).then_some(Claim::Sure)
}

/// Parses the name of a call and its process: `[pid 12] openat(...) = 3`.
fn call(line: &str) -> Option<(&str, Option<&str>)> {
    let (process, rest) = match line.strip_prefix("[pid ") {
        Some(rest) => rest.split_once("] ").map(|(process, rest)| (Some(process.trim()), rest))?,
        None => (None, line),
    };
    let (name, rest) = rest.split_once('(')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    (is_name && (rest.contains(" = ") || rest.contains("<unfinished"))).then_some((name, process))
}

#[derive(Debug, Default)]
struct Strace {
    calls: ValueCounts,
    errors: ValueCounts,
    processes: ValueCounts,
    paths: ValueCounts,
}

/// Errors that occur whenever a program starts.
const ROUTINE_ERRORS: &[&str] = &[
    "/etc/ld.so.preload",
    "/lib/",
    "\"/usr/",
    "\"/proc/",
    "\"/sys/",
    "\"/bin/",
    "\"/sbin/",
    "/usr/lib/",
    "/usr/share/locale",
    "ld.so",
    "ECHILD",
    "/locale",
    "ENOTTY",
    "gconv",
];

/// Calls that search a program or file in several folders.
const SEARCH_CALLS: &[&str] =
    &["newfstatat", "stat", "access", "faccessat", "faccessat2", "execve", "readlink"];

impl Recognizer for Strace {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some((name, process)) = call(line.text) else {
            return match line.text.get(..3) {
                Some("---") if line.text.contains("SIGCHLD") => Mark::Weight(10),
                Some("---" | "+++") if line.text.ends_with(['-', '+']) => Mark::Weight(45),
                _ if line.text.contains("<... ") || line.text.contains("[pid ") => Mark::Plain,
                _ if line.text.starts_with("strace: ") => Mark::Plain,
                _ => Mark::Foreign,
            };
        };
        self.calls.add(name);
        if let Some(process) = process {
            self.processes.add(process);
        }
        let Some((_, error)) = line.text.rsplit_once(" = -1 ") else { return Mark::Noise };
        let error = error.split(' ').next().unwrap_or(error);
        self.errors.add(error);
        if line.text.contains('"') && !ROUTINE_ERRORS.iter().any(|part| line.text.contains(part)) {
            self.paths.add(line.text.split('"').nth(1).unwrap_or_default());
            return Mark::Weight(match error {
                "ENOENT" if SEARCH_CALLS.contains(&name) => 15,
                "ENOENT" => 40,
                _ => 50,
            });
        }
        Mark::Weight(8)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let processes = if self.processes.is_empty() {
            String::new()
        } else {
            format!(", {} processes", self.processes.distinct_label())
        };
        let summary = format!("strace: {} calls{processes}", self.calls.total());
        let mut report = Report::with_summary(summary, Quotes::Marked);
        report.add(90, format!("calls: {}", self.calls.list(8)));
        report.add(92, format!("errors: {}", self.errors.list(6)));
        Some(report)
    }
}
