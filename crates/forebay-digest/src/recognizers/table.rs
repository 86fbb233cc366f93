//! Tables with an uppercase header (`ps`, `docker ps`, `kubectl get`, `df`): rows and column
//! values.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueCounts, ValueStats, has_other_types};

pub(super) const FORMAT: Format = Format {
    name: "ps, docker, kubectl",
    keeps: "number of rows; values of columns such as STATUS; rows that are unhealthy or use most resources",
    commands: &[
        "ps",
        "docker ps",
        "docker images",
        "docker",
        "kubectl get",
        "kubectl top",
        "df",
        "lsof",
        "ss",
        "systemctl",
        "podman",
        "helm",
    ],
    scope: Scope::Whole(claims),
    create: || Box::<Table>::default(),
};

/// Captions that contain spaces.
const MULTI_WORD_CAPTIONS: &[&str] = &[
    "CONTAINER ID",
    "IMAGE ID",
    "NOMINATED NODE",
    "READINESS GATES",
    "LAST SEEN",
    "CPU %",
    "MEM %",
    "MEM USAGE / LIMIT",
    "NET I/O",
    "BLOCK I/O",
    "APP VERSION",
];

/// After this many rows, the types of the columns are known.
const MIN_TYPED_ROWS: u64 = 5;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let mut lines = start.nonblank_lines();
    let header = lines.next()?;
    let columns = header.split_ascii_whitespace().count();
    let is_sql = header.starts_with("CREATE ") || header.ends_with(';');
    let is_header = header.split_ascii_whitespace().take(2).all(is_caption)
        && !header.contains(": ")
        && !is_sql;
    if columns < 3 || !is_header {
        return None;
    }
    let wide_rows = start
        .nonblank_lines()
        .skip(1)
        .filter(|line| line.split_ascii_whitespace().count() + 2 >= columns.min(6))
        .count();
    let rows = start.nonblank_lines().count() - 1;
    (rows >= 2 && wide_rows * 10 >= rows * 9).then_some(start.claim())
}

fn is_caption(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    letters > 0 && !word.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        || matches!(word, "Filesystem" | "Netid" | "Proto")
}

#[derive(Debug, Default)]
struct Table {
    captions: Vec<String>,
    /// The header line.
    header: String,
    /// Start of each column if columns are aligned with the header.
    starts: Option<Vec<usize>>,
    /// Start and end of each caption.
    spans: Vec<(usize, usize)>,
    columns: Vec<ValueStats>,
    rows: u64,
    /// Some row has an empty cell, so words are not enough to tell its columns.
    has_empty_cell: bool,
    /// Some row does not stand below the captions, so only its words tell its columns.
    has_shifted_row: bool,
    /// The rows with the most CPU or memory usage.
    heavy: Vec<(f64, u64, String)>,
    programs: ValueCounts,
    /// The column with the state of each row, and its values without durations.
    state_caption: String,
    states: ValueCounts,
    unhealthy: u64,
}

impl Recognizer for Table {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if self.captions.is_empty() {
            self.header(text);
            // The facts repeat the header, so unhealthy rows take precedence.
            return Mark::Weight(54);
        }
        if text.is_empty() || text == self.header {
            return Mark::Noise;
        }
        if text.starts_with(['|', '+', '{', '<', '=']) {
            // Rows of these tables have no frame.
            return Mark::Foreign;
        }
        let Some(cells) = self.cells(text) else { return Mark::Foreign };
        let cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
        // Words below each of many captions are no accident.
        let is_aligned = self.captions.len() >= 6 && self.cells_below_captions(text).is_some();
        let is_unlike = self.has_other_types(&cells) || self.has_new_values(&cells);
        if !is_aligned && is_unlike || self.has_too_few(&cells) {
            return Mark::Foreign;
        }
        self.rows += 1;
        for (column, cell) in self.columns.iter_mut().zip(&cells) {
            column.add(cell);
        }
        if let Some((_, cell)) =
            self.captions.iter().zip(&cells).find(|(caption, _)| **caption == self.state_caption)
        {
            self.states.add(&without_duration(cell));
        }
        if let Some(at) =
            self.captions.iter().position(|caption| matches!(caption.as_str(), "COMMAND" | "CMD"))
        {
            let cell = cells.get(at).map(String::as_str).unwrap_or_default();
            // Docker truncates quoted commands; the remaining part names the program.
            let cell = cell.trim_start_matches(['\\', '_', '|', ' ', '"']);
            self.programs.add(program_name(cell.trim_matches('"')));
        }
        self.add_heavy(text, &cells);
        if cells.iter().zip(&self.captions).any(|(cell, caption)| is_unhealthy(caption, cell)) {
            self.unhealthy += 1;
            return Mark::REASON;
        }
        // Listening ports, and deleted files that are still open.
        if text.ends_with("(LISTEN)") || text.ends_with("(deleted)") {
            return Mark::Weight(40);
        }
        Mark::Weight(if self.rows <= 3 { 16 } else { 12 })
    }

    fn can_resume(&self) -> bool {
        // Any line of enough words may be a row.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.rows == 0 {
            return None;
        }
        let summary = format!("table: {} rows; columns {}", self.rows, self.captions.join(" "));
        let mut report = Report::with_summary(summary, Quotes::Marked);
        if self.unhealthy > 0 {
            // Unhealthy rows matter more than statistics of the others.
            report.facts_share = 45;
        }
        if self.has_empty_cell && self.has_shifted_row {
            // It is unknown which cell is in which column.
            return Some(report);
        }
        let max_items = if context.max_bytes > 2_000 { 10 } else { 6 };
        if self.states.distinct() > 1 {
            report.add(90, format!("{}: {}", self.state_caption, self.states.list(max_items)));
        }
        for (caption, values) in self.captions.iter().zip(&self.columns) {
            if *caption == self.state_caption {
                continue;
            }
            let repeats =
                values.texts().distinct() as u64 * 2 <= values.count || values.is_numeric();
            if repeats && values.texts().distinct() > 1 {
                report.add(
                    if values.is_numeric() { 60 } else { 80 },
                    format!("{caption}: {}", values.describe(max_items)),
                );
            }
        }
        if self.programs.total() > self.programs.distinct() as u64 {
            report.add(78, format!("programs: {}", self.programs.list(max_items)));
        }
        for (index, (_, _, row)) in self.heavy.iter().take(context.max_bytes / 250).enumerate() {
            report.add(
                75 - index as u32,
                format!("heaviest: {}", forebay_text::cut::one_line(row, 120)),
            );
        }
        Some(report)
    }
}

impl Table {
    fn header(&mut self, text: &str) {
        let wide_rows: Vec<&str> =
            text.split("  ").map(str::trim).filter(|caption| !caption.is_empty()).collect();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        // Columns are aligned with the header if only known captions contain spaces.
        let known =
            |caption: &&str| !caption.contains(' ') || MULTI_WORD_CAPTIONS.contains(caption);
        let by_width = wide_rows.len() > 2 && wide_rows.iter().all(known);
        let captions = if by_width { wide_rows } else { words.clone() };
        self.starts = by_width
            .then(|| captions.iter().map(|caption| text.find(caption).unwrap_or(0)).collect());
        self.spans = words
            .iter()
            .map(|word| {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                (start, start + word.len())
            })
            .collect();
        text.clone_into(&mut self.header);
        self.captions = captions.iter().map(|caption| (*caption).to_owned()).collect();
        self.columns = vec![ValueStats::default(); self.captions.len()];
        let state =
            self.captions.iter().find(|caption| matches!(caption.as_str(), "STATUS" | "STATE"));
        self.state_caption = state.cloned().unwrap_or_default();
    }

    /// Splits a row into cells; `None` if it is not a row of this table.
    fn cells<'a>(&mut self, row: &'a str) -> Option<Vec<&'a str>> {
        let aligned = self.starts.as_ref().filter(|starts| {
            starts
                .iter()
                .skip(1)
                .all(|start| row.get(start.saturating_sub(1)..*start).is_none_or(|gap| gap == " "))
        });
        if let Some(starts) = aligned {
            let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
            return Some(
                starts
                    .iter()
                    .zip(ends)
                    .map(|(start, end)| {
                        row.get(*start..end.min(row.len())).unwrap_or_default().trim()
                    })
                    .collect(),
            );
        }
        if let Some(cells) = self.cells_below_captions(row) {
            self.has_empty_cell |= cells.iter().any(|cell| cell.is_empty());
            return Some(cells);
        }
        let mut cells: Vec<&str> = row.split_ascii_whitespace().collect();
        let last = *cells.get(self.captions.len() - 1)?;
        self.has_shifted_row = true;
        // The last column takes the rest: a command with its arguments.
        let at = last.as_ptr() as usize - row.as_ptr() as usize;
        cells.truncate(self.captions.len() - 1);
        cells.push(&row[at..]);
        Some(cells)
    }

    /// Assigns each word to the caption above it; `None` if a word is below none or below two.
    fn cells_below_captions<'a>(&self, row: &'a str) -> Option<Vec<&'a str>> {
        if self.spans.len() != self.captions.len() {
            return None;
        }
        let mut cells = vec![""; self.spans.len()];
        let last = self.spans.len() - 1;
        for word in row.split_ascii_whitespace() {
            let start = word.as_ptr() as usize - row.as_ptr() as usize;
            let end = start + word.len();
            if !cells[last].is_empty() || start >= self.spans[last].0 {
                // The last column takes the rest: a command with its arguments.
                cells[last] = &row[start..];
                break;
            }
            let mut above = (0..=last)
                .filter(|index| start < self.spans[*index].1 && self.spans[*index].0 < end);
            let column = above.next()?;
            if above.next().is_some() || !cells[column].is_empty() {
                return None;
            }
            cells[column] = word;
            if column == last {
                cells[last] = &row[start..];
                break;
            }
        }
        Some(cells)
    }

    /// Returns true if most columns that had only numbers so far have something else in this row.
    fn has_other_types(&self, cells: &[String]) -> bool {
        self.rows >= MIN_TYPED_ROWS
            && has_other_types(&self.columns, cells.iter().map(String::as_str))
    }

    /// Returns true if most columns whose values repeat have a value that was not there before.
    fn has_new_values(&self, cells: &[String]) -> bool {
        let repeats = |column: &ValueStats| {
            column.texts().distinct() as u64 * 2 <= column.count - column.empty
        };
        let last = self.columns.len() - 1;
        let columns = self.columns[..last].iter().zip(cells).filter(|(column, _)| repeats(column));
        let (mut known, mut new) = (0, 0);
        for (column, cell) in columns.filter(|(column, _)| !column.is_numeric()) {
            *(if column.texts().count_of(cell) > 0 { &mut known } else { &mut new }) += 1;
        }
        self.rows >= MIN_TYPED_ROWS && new > known
    }

    /// Returns true if several columns that were filled in all rows so far are empty in this row.
    fn has_too_few(&self, cells: &[String]) -> bool {
        let is_new = |(column, cell): &(&ValueStats, &String)| column.empty == 0 && cell.is_empty();
        self.rows >= MIN_TYPED_ROWS && self.columns.iter().zip(cells).filter(is_new).count() > 1
    }

    fn add_heavy(&mut self, row: &str, cells: &[String]) {
        let Some(at) = self.captions.iter().position(|caption| {
            matches!(caption.as_str(), "%CPU" | "CPU%" | "CPU %" | "RSS" | "%MEM")
        }) else {
            return;
        };
        let Some(number) =
            cells.get(at).and_then(|cell| cell.trim_end_matches('%').parse::<f64>().ok())
        else {
            return;
        };
        self.heavy.push((number, self.rows, row.to_owned()));
        self.heavy.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        self.heavy.truncate(10);
    }
}

/// Returns the name of the program in a command; a kernel thread is named in brackets.
fn program_name(command: &str) -> &str {
    if command.starts_with('[')
        && let Some(end) = command.find(']')
    {
        return &command[..=end];
    }
    let program = command.split([' ', ':']).next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program)
}

/// Strips the duration from a state: `Up 3 days (unhealthy)` becomes `Up (unhealthy)`,
/// `Exited (1) 2 hours ago` becomes `Exited (1)`.
fn without_duration(state: &str) -> String {
    const UNITS: &[&str] = &[
        "second", "minute", "hour", "day", "week", "month", "year", "About", "Less", "than", "ago",
        "an", "a",
    ];
    let is_time = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || UNITS.contains(&word.trim_end_matches('s'))
            || UNITS.contains(&word)
    };
    let mut words = state.split(' ');
    let first = words.next().unwrap_or_default();
    if !matches!(first, "Up" | "Exited" | "Restarting" | "Created" | "Paused" | "Dead") {
        return state.to_owned();
    }
    words.filter(|word| !is_time(word)).fold(first.to_owned(), |state, word| state + " " + word)
}

/// Returns true if the state of a row indicates a problem.
fn is_unhealthy(caption: &str, cell: &str) -> bool {
    const BAD: &[&str] = &[
        "Error",
        "CrashLoop",
        "Pending",
        "Failed",
        "Evicted",
        "ImagePull",
        "ErrImage",
        "OOMKilled",
        "Unknown",
        "NotReady",
        "Exited",
        "unhealthy",
        "Restarting",
        "Dead",
        "Terminating",
        "failed",
        "pending-",
    ];
    matches!(caption, "STATUS" | "STATE" | "ACTIVE" | "SUB")
        && BAD.iter().any(|bad| cell.contains(bad))
}
