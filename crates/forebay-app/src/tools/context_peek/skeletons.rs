//! Skeletons of several files within one budget, the most imported first.

use std::collections::HashMap;

use forebay_domain::tokens;
use forebay_skeleton::{SkeletonOptions, Verbosity};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use super::targets::{Files, Target};
use crate::edit::repository::{Dependencies, walk};
use crate::edit::skeletons::{self, Subject};
use crate::edit::source_file::{ProjectPath, SourceFile};
use crate::edit::working_set::SessionFiles;
use crate::render::budgeted::BudgetedText;
use crate::{Answer, App, AppError};

/// Bytes reserved for the remarks below the skeletons.
const REMARK_BYTES: usize = 240;
/// Files that are parsed at a time: a large folder costs no more than the part that is shown.
const BATCH_SIZE: usize = 16;
/// After this many files that do not fit, the rest is left out.
const MAX_MISSES: usize = 24;
/// File names listed per remark.
const MAX_LISTED_NAMES: usize = 6;
/// Files that are added to the working set.
const MAX_TRACKED_FILES: usize = 20;

pub(super) fn answer(
    app: &App,
    found: Files,
    options: SkeletonOptions,
    deps: bool,
    budget: u64,
) -> Result<Answer, AppError> {
    let Files { texts: mut files, skipped, errors, are_named } = found;
    if files.len() > 1 || deps {
        let all = walk(app, app.root())?.files;
        let dependencies = Dependencies::among(&all);
        if !are_named {
            put_most_imported_first(&mut files, &dependencies);
        }
        if deps {
            add_dependencies(&mut files, &dependencies, &all);
        }
    }
    let page = Page::new(app, &files, options, budget);
    let at_work = SessionFiles::new(app)?;
    for (index, tokens) in page.shown.iter().take(MAX_TRACKED_FILES).rev() {
        at_work.note_skeleton(&files[*index].location, &files[*index].file, Some(*tokens), &[])?;
    }
    Ok(page.answer(&files, &skipped, &errors))
}

fn put_most_imported_first(files: &mut [Target], dependencies: &Dependencies) {
    let texts = files.iter().map(|target| (target.location.shown.as_str(), target.file.text()));
    let counts: HashMap<String, usize> = dependencies.counts(texts);
    files.sort_by_key(|target| {
        let count = counts.get(&target.location.shown).copied().unwrap_or(0);
        (std::cmp::Reverse(count), target.location.shown.clone())
    });
}

/// Appends the files that the given ones import.
fn add_dependencies(
    files: &mut Vec<Target>,
    dependencies: &Dependencies,
    all: &[crate::edit::repository::WalkedFile],
) {
    let imported: Vec<String> = files
        .iter()
        .flat_map(|target| dependencies.imports_of(&target.location.shown, target.file.text()))
        .collect();
    for shown in imported {
        let is_known = files.iter().any(|target| target.location.shown == shown);
        let found = all.binary_search_by(|file| file.shown.as_str().cmp(&shown));
        let (false, Ok(index)) = (is_known, found) else { continue };
        let location = ProjectPath { path: all[index].path.clone(), shown };
        if let Ok(file) = SourceFile::read(&location) {
            files.push(Target { location, file });
        }
    }
}

/// The skeletons that fit within the budget.
struct Page {
    text: BudgetedText,
    /// Indexes into the list of files, with the tokens of each skeleton.
    shown: Vec<(usize, u64)>,
    /// Skeletons shown with less detail than requested.
    shortened: usize,
    left_out: Vec<usize>,
}

impl Page {
    fn new(app: &App, files: &[Target], options: SkeletonOptions, budget: u64) -> Self {
        let mut text = BudgetedText::new(budget);
        // Most of a small budget is for the skeletons.
        text.reserve(REMARK_BYTES.min(text.room() / 3));
        let mut page = Self { text, shown: Vec::new(), shortened: 0, left_out: Vec::new() };
        for start in (0..files.len()).step_by(BATCH_SIZE) {
            if page.left_out.len() > MAX_MISSES {
                page.left_out.extend(start..files.len());
                break;
            }
            let end = (start + BATCH_SIZE).min(files.len());
            let batch: Vec<Subject<'_>> = files[start..end].iter().map(subject).collect();
            let texts = skeletons::for_files(app, &batch, options);
            for (offset, skeleton) in texts.iter().enumerate() {
                page.add(app, files, start + offset, skeleton, options);
            }
        }
        page
    }

    fn add(
        &mut self,
        app: &App,
        files: &[Target],
        index: usize,
        skeleton: &str,
        options: SkeletonOptions,
    ) {
        let cost = tokens::estimate(skeleton);
        if self.text.push(skeleton) {
            return self.shown.push((index, cost));
        }
        let minimal = SkeletonOptions { verbosity: Verbosity::Minimal, ..options };
        if options != minimal {
            let shorter = skeletons::for_file(app, &subject(&files[index]), minimal);
            if self.text.push(&shorter) {
                self.shortened += 1;
                return self.shown.push((index, tokens::estimate(&shorter)));
            }
        }
        if files.len() == 1 {
            let minimal = skeletons::for_file(app, &subject(&files[index]), minimal);
            self.add_truncated(&minimal);
            return self.shown.push((index, cost));
        }
        self.left_out.push(index);
    }

    /// Adds the first lines of a single skeleton that exceeds the budget.
    fn add_truncated(&mut self, skeleton: &str) {
        let total = skeleton.lines().count();
        let shown = skeleton.lines().take_while(|line| self.text.push(line)).count();
        self.text.release();
        let left = number::grouped((total - shown) as u64);
        self.text.push_cut(&format!("left out: {left} lines; raise budget, or give symbol"));
        self.shortened = 0;
    }

    fn answer(mut self, files: &[Target], skipped: &[String], errors: &[String]) -> Answer {
        self.text.release();
        let remarks = self.remarks(files, skipped, errors);
        if !remarks.is_empty() {
            self.text.push_cut(&remarks);
        }
        let path = |index: &usize| Value::from(files[*index].location.shown.as_str());
        let text = self.text.into_text().trim_end().to_owned();
        let data = json!({
            "text": text,
            "shown": self.shown.iter().map(|(index, _)| path(index)).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(path).collect::<Vec<_>>(),
            "passed_over": skipped,
        });
        Answer::new(text, data)
    }

    fn remarks(&self, files: &[Target], skipped: &[String], errors: &[String]) -> String {
        let mut remarks = errors.to_vec();
        if self.shortened > 0 {
            remarks.push(format!("{} shown without docs to fit", self.shortened));
        }
        if !self.left_out.is_empty() {
            let names = self.left_out.iter().map(|index| files[*index].location.shown.as_str());
            let left_out = count_and_names(names);
            remarks.push(format!("left out: {left_out}; name them, or raise budget"));
        }
        if !skipped.is_empty() {
            let skipped = count_and_names(skipped.iter().map(String::as_str));
            remarks.push(format!("binary, too large or unreadable: {skipped}"));
        }
        remarks.join("; ")
    }
}

/// `3 files (a.rs, b.rs, c.rs)`
fn count_and_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let named = names.take(MAX_LISTED_NAMES).collect::<Vec<_>>().join(", ");
    let more = if count > MAX_LISTED_NAMES { " ..." } else { "" };
    format!("{} ({}{more})", number::counted(count as u64, "file"), cut::prefix(&named, 120))
}

fn subject(target: &Target) -> Subject<'_> {
    let Target { location, file } = target;
    Subject { shown: &location.shown, text: file.text(), hash: file.hash }
}
