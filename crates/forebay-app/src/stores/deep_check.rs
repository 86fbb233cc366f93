//! The deep check of a store: reads every entry, and saves what is whole if something is damaged.

use forebay_domain::Reference;
use forebay_store::{SincePage, StoreError};
use forebay_text::number;
use serde_json::json;

use crate::stores::registry::{SharedStore, StoreRegistry};
use crate::{Answer, AppError};

/// Entries per query.
const PAGE_ENTRIES: usize = 200;
/// Damaged entries and problems that are named; the others are counted.
const MAX_NAMED: usize = 20;

/// What the user wants done with what was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Salvaged {
    /// It stays in a file beside the store.
    Beside,
    /// It takes the place of the store, which is renamed.
    InPlace,
}

/// What the check found.
#[derive(Default)]
struct Findings {
    entries: u64,
    damaged: Vec<(Reference, String)>,
    problems: Vec<String>,
    /// What happened when the store was opened: a file that is no store was set aside.
    notices: Vec<String>,
}

/// Checks the project's store; `progress` gets the number of entries read and their total.
pub(crate) fn run(
    stores: &StoreRegistry,
    salvaged: Salvaged,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Answer, AppError> {
    let findings = check(&stores.own()?, progress);
    let mut lines = vec![findings.summary()];
    let damaged = findings.damaged.iter().map(|(_, what)| what.as_str());
    add_section(&mut lines, "entries", damaged);
    add_section(&mut lines, "opening", findings.notices.iter().map(String::as_str));
    add_section(&mut lines, "file and index", findings.problems.iter().map(String::as_str));
    let mut salvage = None;
    if findings.has_damage() && !stores.are_on_server() {
        let saved = stores.salvage_own(salvaged)?;
        add_section(&mut lines, "saved", saved.lines());
        salvage = Some(saved);
    }
    let damaged: Vec<&str> = findings.damaged.iter().map(|(entry, _)| entry.as_str()).collect();
    let data = json!({
        "healthy": findings.is_intact(),
        "entries": findings.entries,
        "damaged": damaged,
        "problems": findings.problems,
        "notices": findings.notices,
        "salvage": salvage,
    });
    Ok(Answer::new(lines.join("\n"), data))
}

/// Adds a heading with its details, the first of them if there are many.
fn add_section<'a>(
    lines: &mut Vec<String>,
    heading: &str,
    mut details: impl Iterator<Item = &'a str>,
) {
    let named: Vec<&str> = details.by_ref().take(MAX_NAMED).collect();
    if named.is_empty() {
        return;
    }
    lines.push(format!("{heading}:"));
    lines.extend(named.into_iter().map(|detail| format!("  {detail}")));
    let others = details.count() as u64;
    if others > 0 {
        lines.push(format!("  and {} more", number::grouped(others)));
    }
}

impl Findings {
    fn is_intact(&self) -> bool {
        !self.has_damage() && self.notices.is_empty()
    }

    /// Whether the store that is open now is damaged.
    fn has_damage(&self) -> bool {
        !self.damaged.is_empty() || !self.problems.is_empty()
    }

    fn summary(&self) -> String {
        let read = format!("deep check: {} read", number::counted(self.entries, "entry"));
        if self.is_intact() {
            return format!("{read}, all intact");
        }
        format!("{read}, {} of them damaged", number::grouped(self.damaged.len() as u64))
    }
}

fn check(store: &SharedStore, progress: &mut dyn FnMut(u64, u64)) -> Findings {
    let mut findings = Findings { notices: store.notices().to_vec(), ..Findings::default() };
    match store.deep_problems() {
        Ok(problems) => findings.problems = problems,
        Err(error) => findings.problems.push(error.to_string()),
    }
    let total = store.stats().map_or(0, |stats| stats.entries.values().sum());
    let mut after = 0;
    loop {
        let page = SincePage { after, limit: PAGE_ENTRIES, ..SincePage::default() };
        let entries = match store.entries_since(&page) {
            Ok(entries) => entries,
            Err(error) => {
                findings.problems.push(error.to_string());
                break;
            }
        };
        let Some(last) = entries.last() else { break };
        after = last.sequence;
        for entry in &entries {
            findings.entries += 1;
            match store.read(entry.reference, 0, &mut |_| true) {
                Ok(()) | Err(StoreError::Gone { .. } | StoreError::NotFound(_)) => {}
                Err(error) => findings.damaged.push((entry.reference, error.to_string())),
            }
        }
        progress(findings.entries, total);
    }
    findings
}
