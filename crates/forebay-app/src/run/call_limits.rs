//! Limits of what a tool call may ask of a run. A person at the command line is not bound by them.

use std::path::PathBuf;

use crate::bounds::MAX_RUN_TIMEOUT;
use crate::{App, AppError};

/// The folder that a call names, which is in the project. A missing one is reported when the run starts.
pub(crate) fn folder(app: &App, named: Option<String>) -> Result<Option<PathBuf>, AppError> {
    let Some(named) = named else { return Ok(None) };
    let folder = app.cwd.join(&named);
    // Compared as the kernel resolves them: `..` and links lead elsewhere.
    let (Ok(resolved), Ok(root)) = (folder.canonicalize(), app.root().canonicalize()) else {
        return Ok(Some(folder));
    };
    if !resolved.starts_with(&root) {
        return Err(AppError::bad_input(
            format!(
                "cwd `{}` is outside the project {}",
                crate::bounds::echo(&named),
                root.display()
            ),
            "omit cwd and change the folder in the command: cd DIR && ...",
        ));
    }
    Ok(Some(resolved))
}

/// The timeout that a call names.
pub(crate) fn timeout_ms(named: Option<u64>) -> Result<Option<u64>, AppError> {
    let max = MAX_RUN_TIMEOUT.as_millis() as u64;
    match named {
        Some(millis) if millis > max => Err(AppError::bad_input(
            format!("timeout_ms {millis} is above {max} (24 h)"),
            "give less, or run it with background=true, which has no timeout",
        )),
        named => Ok(named),
    }
}
