//! The map of the repository, as the session needs it.

use forebay_skeleton::{MapOptions, build_map};
use forebay_store::FileState;
use forebay_text::number;
use serde_json::json;

use crate::edit::repository::{names, walk};
use crate::edit::source_file::shown;
use crate::edit::working_set::AtWork;
use crate::{Answer, App, AppError};

/// What stands around the map.
const FRAME_TOKENS: u64 = 60;

pub(super) fn answer(app: &App, budget: u64) -> Result<Answer, AppError> {
    let walked = walk(app, app.root())?;
    let names = names(app, &walked.files);
    let at_work = AtWork::of(app)?;
    let of_state = |state: FileState| -> Vec<String> {
        let files = at_work.listed().filter(|file| file.state == state);
        files.map(|file| shown(app, file.path.as_ref())).collect()
    };
    let (active, looked_at) = (of_state(FileState::Active), of_state(FileState::Skeleton));
    let draw = |focus: &[&str]| {
        let budget = budget.saturating_sub(FRAME_TOKENS);
        let (touched, mentioned) = (refs(&looked_at), at_work.symbols());
        build_map(&names, MapOptions { budget, focus, touched: &touched, mentioned: &mentioned })
    };
    let mut drawn = draw(&refs(&active));
    if drawn.definitions == 0 {
        // The active file is left out as known, unless it is all there is.
        drawn = draw(&[]);
    }
    if drawn.definitions == 0 && drawn.files_left_out > 0 {
        return Err(AppError::bad_input(
            format!("no definition fits into {}", number::counted(budget, "token")),
            "raise budget; 500 show the most used",
        ));
    }
    if drawn.definitions == 0 {
        return Err(AppError::not_found(
            "nothing here defines anything that is known",
            "a map needs source files; hidden and git-ignored ones are left out",
        ));
    }
    let bytes: u64 = walked.files.iter().map(|file| file.bytes).sum();
    let count = |number: usize, noun| number::counted(number as u64, noun);
    let mut text = format!(
        "map: {} of {}, most used first, line numbers behind\n{}",
        count(drawn.definitions, "definition"),
        count(drawn.files, "file"),
        drawn.text
    );
    if drawn.files_left_out > 0 {
        let more = if walked.is_cut { " or more" } else { "" };
        let left_out = count(drawn.files_left_out, "file");
        text.push_str(&format!(
            "left out: {left_out}{more}; context_peek a folder, or raise budget"
        ));
    }
    let data = json!({
        "map": drawn.text,
        "definitions": drawn.definitions,
        "files": drawn.files,
        "files_left_out": drawn.files_left_out,
        "ranked": drawn.ranked.iter().take(50).collect::<Vec<_>>(),
    });
    Ok(Answer::new(text.trim_end().to_owned(), data).instead_of(bytes))
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
