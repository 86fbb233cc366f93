//! `context_edit`: replaces an exact text once or everywhere, and refuses ambiguous edits.

use std::ops::Range;

use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::edit::source_file::{self, Access, ProjectPath, SourceFile, SourceText, locate};
use crate::edit::stale::{check_expected, check_stale};
use crate::edit::working_set::{FileUpdate, SessionFiles};
use crate::edit::{closest_match, diff, occurrences, shown, syntax};
use crate::next_call::NextCall;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextEdit;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: String,
    pub old_string: String,
    pub new_string: String,
    pub replace_all: Option<bool>,
    pub expected_hash: Option<String>,
    pub dry_run: Option<bool>,
}

/// Bytes of a change that the answer quotes.
const MAX_QUOTED_BYTES: usize = 4_000;

impl Tool for ContextEdit {
    const NAME: &'static str = "context_edit";
    const DESCRIPTION: &'static str = "Replace exact text in a file.";
    const EFFECT: Effect = Effect::EditFiles;
    const CAPABILITY: Capability = Capability::Files;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let location = locate(app, &input.path, Access::Edit, call)?;
        let file = SourceFile::read(&location)?;
        let at_work = SessionFiles::new(app)?;
        check_expected(&location, &file, input.expected_hash.as_deref())?;
        check_stale(app, &at_work, &location, &file)?;
        let matches = find_matches(&location, &file, &input)?;
        let bytes = file.source.replace_ranges(&matches, &input.new_string).map_err(|error| {
            AppError::bad_input(
                format!("cannot edit {}: {error}", location.shown),
                "use characters of the file's encoding, or convert the file first",
            )
        })?;
        let edit = Edit::new(location, file, matches, bytes)?;
        if input.dry_run.unwrap_or(false) {
            return Ok(edit.preview());
        }
        edit.apply(app, &at_work)
    }
}

/// Finds the ranges to replace: exactly one, or all of them with `replace_all`.
fn find_matches(
    location: &ProjectPath,
    file: &SourceFile,
    input: &Input,
) -> Result<Vec<Range<usize>>, AppError> {
    if input.old_string.is_empty() {
        return Err(AppError::bad_input(
            "old_string is empty",
            format!("{} writes a whole file", NextCall::new("context_write").in_error()),
        ));
    }
    if input.old_string == input.new_string {
        return Err(AppError::bad_input("old_string and new_string are the same", "nothing to do"));
    }
    // `context_read` shows CRLF as LF, so a CRLF in `old_string` must match as LF.
    let has_crlf = file.source.format.has_crlf;
    let pattern =
        if has_crlf { input.old_string.replace("\r\n", "\n") } else { input.old_string.clone() };
    let matches = occurrences::find_all(file.text(), &pattern);
    match matches.len() {
        0 => Err(not_found(location, file, &pattern)),
        1 => Ok(matches),
        _ if input.replace_all.unwrap_or(false) => Ok(matches),
        count => Err(AppError::bad_input(
            format!(
                "old_string matches {count} times in {}; the file is unchanged\n{}",
                location.shown,
                occurrences::describe(file.text(), &matches)
            ),
            "add surrounding lines until it is unique, or give replace_all=true",
        )),
    }
}

fn not_found(location: &ProjectPath, file: &SourceFile, pattern: &str) -> AppError {
    let nearest = closest_match::nearest(file.text(), pattern);
    let message = format!("old_string is not in {}; the file is unchanged", location.shown);
    if nearest.is_empty() {
        return AppError::not_found(
            message,
            format!(
                "no similar text; {} shows the file",
                NextCall::new("context_read").on(location.shown.as_str()).in_error()
            ),
        );
    }
    AppError::not_found(
        format!("{message}\nclosest:\n{}", closest_match::describe(file.text(), &nearest)),
        "copy old_string exactly from the file",
    )
}

/// A validated edit.
struct Edit {
    location: ProjectPath,
    file: SourceFile,
    matches: Vec<Range<usize>>,
    bytes: Vec<u8>,
    after: SourceText,
    errors: Vec<String>,
}

impl Edit {
    fn new(
        location: ProjectPath,
        file: SourceFile,
        matches: Vec<Range<usize>>,
        bytes: Vec<u8>,
    ) -> Result<Self, AppError> {
        let after = SourceText::decode(&bytes).ok_or_else(|| {
            AppError::bad_input(
                format!("cannot edit {}: the result is not valid text", location.shown),
                "remove control characters from new_string",
            )
        })?;
        let errors = syntax::introduced(&location.shown, file.text(), &after.text);
        let errors = syntax::describe(&location.shown, &errors);
        Ok(Self { location, file, matches, bytes, after, errors })
    }

    fn preview(self) -> Answer {
        let diff = diff::between(self.file.text(), &self.after.text, MAX_QUOTED_BYTES);
        let mut lines =
            vec![format!("dry run, {} is unchanged: {}", self.location.shown, self.count())];
        lines.extend(self.errors.iter().cloned());
        lines.push(diff.text.clone());
        let mut data = self.data();
        data["dry_run"] = true.into();
        data["diff"] = diff.text.into();
        Answer::new(lines.join("\n"), data)
    }

    fn apply(self, app: &App, at_work: &SessionFiles) -> Result<Answer, AppError> {
        let before = at_work.version(app, &self.location, &self.file)?;
        source_file::write(&self.location, &self.bytes, Some(&self.file))?;
        let now = SourceFile::from_written(&self.bytes, self.after.clone());
        let changed = diff::changed_lines(self.file.text(), now.text());
        let symbols = changed
            .first()
            .map(|lines| syntax::symbols_at(&self.location.shown, now.text(), *lines))
            .unwrap_or_default();
        // The file is written: failing to store its new version must not look like a failed edit.
        let version = at_work.version(app, &self.location, &now).ok();
        let happened = FileUpdate { symbols: &symbols, version, ..FileUpdate::default() };
        at_work.make_active(&self.location, &now, happened)?;
        let hash = source_file::short(&now.hash);
        let mut lines = vec![format!(
            "{}: {} · hash {hash} · before: {}",
            self.location.shown,
            self.count(),
            before.describe()
        )];
        lines.extend(self.errors.iter().cloned());
        lines.push(shown(now.text(), &changed, MAX_QUOTED_BYTES));
        let mut data = self.data();
        data["hash"] = hash.into();
        data["before"] = before.reference.as_str().into();
        data["lines"] = json!(changed);
        Ok(Answer::new(lines.join("\n"), data))
    }

    fn count(&self) -> String {
        number::counted(self.matches.len() as u64, "replacement")
    }

    fn data(&self) -> Value {
        json!({
            "path": self.location.shown,
            "places": self.matches.len(),
            "syntax_errors": self.errors,
        })
    }
}
