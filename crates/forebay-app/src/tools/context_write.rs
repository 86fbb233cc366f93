//! `context_write`: writes a whole file; replaces an existing one only with `overwrite`.

use std::fs;

use forebay_domain::tokens;
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::{Effect, Tool};
use crate::edit::source_file::{
    self, Access, ProjectPath, SourceFile, SourceText, TextFormat, locate,
};
use crate::edit::stale::check_stale;
use crate::edit::syntax;
use crate::edit::working_set::{FileUpdate, SessionFiles, Version};
use crate::next_call::NextCall;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextWrite;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: String,
    pub content: String,
    pub overwrite: Option<bool>,
}

impl Tool for ContextWrite {
    const NAME: &'static str = "context_write";
    const DESCRIPTION: &'static str = "Write a whole new file.";
    const EFFECT: Effect = Effect::EditFiles;
    const CAPABILITY: Capability = Capability::Files;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let location = locate(app, &input.path, Access::Edit, call)?;
        let at_work = SessionFiles::new(app)?;
        let old = file_to_replace(app, &at_work, &location, input.overwrite.unwrap_or(false))?;
        if let Some(old) = &old {
            check_secrets(app, &location, old, &input.content)?;
        }
        let (bytes, source) = encode(&location, &input.content, old.as_ref())?;
        let before = old.as_ref().map(|old| at_work.version(app, &location, old)).transpose()?;
        source_file::write(&location, &bytes, old.as_ref())?;
        let new = SourceFile::from_written(&bytes, source);
        // The file is written: failing to store its new version must not look like a failed write.
        let version = at_work.version(app, &location, &new).ok();
        let happened = FileUpdate { version, ..FileUpdate::default() };
        at_work.make_active(&location, &new, happened)?;
        let old_text = old.as_ref().map_or("", |old| old.text());
        let errors = syntax::introduced(&location.shown, old_text, new.text());
        let errors = syntax::describe(&location.shown, &errors);
        Ok(answer(&location, &new, before.as_ref(), &errors))
    }
}

/// Returns the existing file, if any; an error if it must not be replaced.
fn file_to_replace(
    app: &App,
    at_work: &SessionFiles,
    location: &ProjectPath,
    overwrite: bool,
) -> Result<Option<SourceFile>, AppError> {
    if fs::symlink_metadata(&location.path).is_err() {
        return Ok(None);
    }
    let old = SourceFile::read(location)?;
    if !overwrite {
        return Err(AppError::refused(
            format!(
                "{} already exists, with {}; nothing is written",
                location.shown,
                number::counted(old.lines(), "line")
            ),
            format!(
                "edit it with {}, or give overwrite=true",
                NextCall::new("context_edit").in_error()
            ),
        ));
    }
    check_stale(app, at_work, location, &old)?;
    Ok(Some(old))
}

/// Refuses to remove secrets: the stored version of the file is redacted, so they would be lost.
fn check_secrets(
    app: &App,
    location: &ProjectPath,
    old: &SourceFile,
    content: &str,
) -> Result<(), AppError> {
    let (clean, redactions) = app.redaction.redact(old.text());
    let changes = TextDiff::from_lines(old.text(), &clean);
    let secret_lines =
        changes.iter_all_changes().filter(|change| change.tag() == ChangeTag::Delete);
    let stays = |line: &str| content.contains(line.trim());
    if redactions.is_empty() || secret_lines.into_iter().all(|change| stays(change.value())) {
        return Ok(());
    }
    Err(AppError::refused(
        format!(
            "{} has secrets that its stored version would lose ({redactions}); nothing is written",
            location.shown
        ),
        format!("keep their lines unchanged, or use {}", NextCall::new("context_edit").in_error()),
    ))
}

/// Encodes the content in the existing file's encoding and line endings.
fn encode(
    location: &ProjectPath,
    content: &str,
    old: Option<&SourceFile>,
) -> Result<(Vec<u8>, SourceText), AppError> {
    let unwritable = |why: String| {
        AppError::bad_input(
            format!("cannot write {}: {why}", location.shown),
            "give text in the file's encoding, or convert it first",
        )
    };
    let bytes = match old {
        // As an edit of the whole text, so that unchanged lines keep their line endings.
        Some(old) => old.source.replace_all(content),
        None => TextFormat::default().encode_text(content),
    };
    let bytes = bytes.map_err(|error| unwritable(error.to_string()))?;
    if bytes.len() as u64 > source_file::MAX_FILE_BYTES {
        return Err(unwritable(format!("{} is too large", number::bytes(bytes.len() as u64))));
    }
    let source =
        SourceText::decode(&bytes).ok_or_else(|| unwritable("it is not text".to_owned()))?;
    Ok((bytes, source))
}

fn answer(
    location: &ProjectPath,
    new: &SourceFile,
    before: Option<&Version>,
    errors: &[String],
) -> Answer {
    let size = tokens::estimate(new.text());
    let hash = source_file::short(&new.hash);
    let mut first = format!(
        "{}: {}, {} written · hash {hash}",
        location.shown,
        number::counted(new.lines(), "line"),
        number::counted(size, "token")
    );
    if let Some(before) = before {
        first.push_str(&format!(" · before: {}", before.describe()));
    }
    let mut lines = vec![first];
    lines.extend_from_slice(errors);
    let data = json!({
        "path": location.shown,
        "lines": new.lines(),
        "tokens": size,
        "hash": hash,
        "before": before.map(|before| before.reference.as_str().to_owned()),
        "syntax_errors": errors,
    });
    Answer::new(lines.join("\n"), data)
}
