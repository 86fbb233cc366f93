//! The map of the repository: its most used definitions, ranked for the session.

use forebay_skeleton::{MapOptions, build_map};
use forebay_store::FileState;
use forebay_text::number;
use serde_json::json;

use crate::edit::repository::{names, walk};
use crate::edit::source_file::shown;
use crate::edit::working_set::SessionFiles;
use crate::next_call::NextCall;
use crate::{Answer, App, AppError};

/// Tokens reserved for the lines around the map.
const FRAME_TOKENS: u64 = 60;

pub(super) fn answer(app: &App, budget: u64) -> Result<Answer, AppError> {
    let walked = walk(app, app.root())?;
    let names = names(app, &walked.files);
    let at_work = SessionFiles::new(app)?;
    let files_in = |state: FileState| -> Vec<String> {
        let files = at_work.listed().filter(|file| file.state == state);
        files.map(|file| shown(app, file.path.as_ref())).collect()
    };
    let (active, looked_at) = (files_in(FileState::Active), files_in(FileState::Skeleton));
    let render_map = |focus: &[&str]| {
        let budget = budget.saturating_sub(FRAME_TOKENS);
        let (touched, mentioned) = (refs(&looked_at), at_work.symbols());
        build_map(&names, MapOptions { budget, focus, touched: &touched, mentioned: &mentioned })
    };
    let mut rendered = render_map(&refs(&active));
    if rendered.definitions == 0 {
        // The active file is left out, since the model has it, unless no other file defines anything.
        rendered = render_map(&[]);
    }
    if rendered.definitions == 0 && rendered.files_left_out > 0 {
        return Err(AppError::bad_input(
            format!("no definition fits in {}", number::counted(budget, "token")),
            "raise budget; 500 shows the most used",
        ));
    }
    if rendered.definitions == 0 {
        return Err(AppError::not_found(
            "no definitions found here",
            "a map needs source files; hidden and git-ignored ones are left out",
        ));
    }
    let count = |number: usize, noun| number::counted(number as u64, noun);
    let mut text = format!(
        "map: {} in {}, most used first, with line numbers\n{}",
        count(rendered.definitions, "definition"),
        count(rendered.files, "file"),
        rendered.text
    );
    if rendered.files_left_out > 0 {
        let more = if walked.is_cut { " or more" } else { "" };
        let left_out = count(rendered.files_left_out, "file");
        text.push_str(&format!(
            "left out: {left_out}{more}; {} a folder, or raise budget",
            NextCall::new("context_peek")
        ));
    }
    let data = json!({
        "map": rendered.text,
        "definitions": rendered.definitions,
        "files": rendered.files,
        "files_left_out": rendered.files_left_out,
        "ranked": rendered.ranked.iter().take(50).collect::<Vec<_>>(),
    });
    Ok(Answer::new(text.trim_end().to_owned(), data))
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
