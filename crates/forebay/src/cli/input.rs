//! Files that commands read line by line; `-` is stdin.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use forebay_app::AppError;

pub(super) fn open(file: &Path) -> Result<Box<dyn BufRead>, AppError> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let opened = File::open(file).map_err(|error| {
        AppError::bad_input(
            format!("{}: {error}", file.display()),
            "give a readable file, or - for stdin",
        )
    })?;
    Ok(Box::new(BufReader::new(opened)))
}
