//! Skeletons of several files within one budget, the most imported first.

use std::collections::HashMap;

use forebay_domain::tokens;
use forebay_skeleton::{SkeletonOptions, Verbosity};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use super::targets::{Files, Target};
use crate::edit::repository::{Dependencies, walk};
use crate::edit::skeletons::{self, Subject};
use crate::edit::source_file::{Place, SourceFile};
use crate::edit::working_set::AtWork;
use crate::render::budgeted::Budgeted;
use crate::{Answer, App, AppError};

/// What stands below the skeletons.
const FRAME_BYTES: usize = 240;
/// Files made ready at a time, so that a large folder costs no more than what is shown of it.
const AT_A_TIME: usize = 16;
/// After so many that do not fit, none is tried.
const MOST_MISSES: usize = 24;
/// Files left out that are named.
const NAMED: usize = 6;
/// Files that are remembered as looked at.
const MOST_NOTED: usize = 20;

pub(super) fn answer(
    app: &App,
    found: Files,
    options: SkeletonOptions,
    deps: bool,
    budget: u64,
) -> Result<Answer, AppError> {
    let Files { texts: mut files, passed_over, faults, are_named } = found;
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
    let page = Page::of(app, &files, options, budget);
    let at_work = AtWork::of(app)?;
    for (index, tokens) in page.shown.iter().take(MOST_NOTED).rev() {
        at_work.note_skeleton(&files[*index].place, &files[*index].file, *tokens, &[])?;
    }
    Ok(page.answer(&files, &passed_over, &faults))
}

fn put_most_imported_first(files: &mut [Target], dependencies: &Dependencies) {
    let texts = files.iter().map(|target| (target.place.shown.as_str(), target.file.text()));
    let counts: HashMap<String, usize> = dependencies.counts(texts);
    files.sort_by_key(|target| {
        let count = counts.get(&target.place.shown).copied().unwrap_or(0);
        (std::cmp::Reverse(count), target.place.shown.clone())
    });
}

/// Puts what the files import behind them.
fn add_dependencies(
    files: &mut Vec<Target>,
    dependencies: &Dependencies,
    all: &[crate::edit::repository::Found],
) {
    let wanted: Vec<String> = files
        .iter()
        .flat_map(|target| dependencies.of(&target.place.shown, target.file.text()))
        .collect();
    for shown in wanted {
        let is_known = files.iter().any(|target| target.place.shown == shown);
        let found = all.binary_search_by(|file| file.shown.as_str().cmp(&shown));
        let (false, Ok(index)) = (is_known, found) else { continue };
        let place = Place { path: all[index].path.clone(), shown };
        if let Ok(file) = SourceFile::read(&place) {
            files.push(Target { place, file });
        }
    }
}

/// As many skeletons as fit.
struct Page {
    text: Budgeted,
    /// Places in the list of files, with what each costs.
    shown: Vec<(usize, u64)>,
    /// Shown by less than was asked for.
    shortened: usize,
    left_out: Vec<usize>,
}

impl Page {
    fn of(app: &App, files: &[Target], options: SkeletonOptions, budget: u64) -> Self {
        let mut text = Budgeted::new(budget);
        // Of a small budget most is for what was asked for.
        text.keep_back(FRAME_BYTES.min(text.room() / 3));
        let mut page = Self { text, shown: Vec::new(), shortened: 0, left_out: Vec::new() };
        for start in (0..files.len()).step_by(AT_A_TIME) {
            if page.left_out.len() > MOST_MISSES {
                page.left_out.extend(start..files.len());
                break;
            }
            let end = (start + AT_A_TIME).min(files.len());
            let batch: Vec<Subject<'_>> = files[start..end].iter().map(subject).collect();
            let texts = skeletons::of_all(app, &batch, options);
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
        let cost = tokens::of(skeleton);
        if self.text.push(skeleton) {
            return self.shown.push((index, cost));
        }
        let minimal = SkeletonOptions { verbosity: Verbosity::Minimal, ..options };
        if options != minimal {
            let shorter = skeletons::of(app, &subject(&files[index]), minimal);
            if self.text.push(&shorter) {
                self.shortened += 1;
                return self.shown.push((index, tokens::of(&shorter)));
            }
        }
        if files.len() == 1 {
            let minimal = skeletons::of(app, &subject(&files[index]), minimal);
            self.add_beginning(&minimal);
            return self.shown.push((index, cost));
        }
        self.left_out.push(index);
    }

    /// The first lines of a skeleton that is too large by itself.
    fn add_beginning(&mut self, skeleton: &str) {
        let all = skeleton.lines().count();
        let shown = skeleton.lines().take_while(|line| self.text.push(line)).count();
        self.text.release();
        let left = number::grouped((all - shown) as u64);
        self.text.push_cut(&format!("left out: {left} lines; raise budget, or give symbol"));
        self.shortened = 0;
    }

    fn answer(mut self, files: &[Target], passed_over: &[String], faults: &[String]) -> Answer {
        self.text.release();
        let remarks = self.remarks(files, passed_over, faults);
        if !remarks.is_empty() {
            self.text.push_cut(&remarks);
        }
        let path = |index: &usize| Value::from(files[*index].place.shown.as_str());
        let raw = self.shown.iter().map(|(index, _)| files[*index].file.bytes).sum();
        let text = self.text.into_text().trim_end().to_owned();
        let data = json!({
            "text": text,
            "shown": self.shown.iter().map(|(index, _)| path(index)).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(path).collect::<Vec<_>>(),
            "passed_over": passed_over,
        });
        Answer::new(text, data).instead_of(raw)
    }

    fn remarks(&self, files: &[Target], passed_over: &[String], faults: &[String]) -> String {
        let mut remarks = faults.to_vec();
        if self.shortened > 0 {
            remarks.push(format!("{} without docs, to fit", self.shortened));
        }
        if !self.left_out.is_empty() {
            let named = self.left_out.iter().map(|index| files[*index].place.shown.as_str());
            let told = counted_and_named(named);
            remarks.push(format!("left out: {told}; name them, or raise budget"));
        }
        if !passed_over.is_empty() {
            let told = counted_and_named(passed_over.iter().map(String::as_str));
            remarks.push(format!("binary, too large or unreadable: {told}"));
        }
        remarks.join("; ")
    }
}

/// `3 files (a.rs, b.rs, c.rs)`
fn counted_and_named<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let named = names.take(NAMED).collect::<Vec<_>>().join(", ");
    let more = if count > NAMED { " ..." } else { "" };
    format!("{} ({}{more})", number::counted(count as u64, "file"), cut::prefix(&named, 120))
}

fn subject(target: &Target) -> Subject<'_> {
    let Target { place, file } = target;
    Subject { shown: &place.shown, text: file.text(), hash: file.hash }
}
