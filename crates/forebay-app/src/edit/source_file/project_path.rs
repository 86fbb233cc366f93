//! Resolves a file name, and checks whether the file may be accessed.

use std::path::{Path, PathBuf};

use forebay_text::invisible::is_invisible;

use crate::bounds;
use crate::next_call::NextCall;
use crate::rules::{self, Act, permit, real_path};
use crate::{App, AppError, Call};

/// A resolved path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectPath {
    /// With symlinks resolved.
    pub(crate) path: PathBuf,
    /// As answers show it: relative to the project.
    pub(crate) shown: String,
}

/// The intended access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Edit,
}

/// Resolves a name; fails outside of the project and where a rule denies access.
pub(crate) fn locate(
    app: &App,
    name: &str,
    access: Access,
    call: &Call,
) -> Result<ProjectPath, AppError> {
    app.check_not_whole_home(&real_root(app))?;
    let location = named(app, name)?;
    check_project(app, &location)?;
    if access == Access::Edit {
        check_new_name(app, &location)?;
        check_protected(app, &location)?;
    }
    let act = match access {
        Access::Read => Act::Read(location.path.clone()),
        Access::Edit => Act::Edit(location.path.clone()),
    };
    permit(app, &[act], &app.cwd, call)?;
    Ok(location)
}

/// Returns a path as answers show it.
pub(crate) fn shown(app: &App, path: &Path) -> String {
    let root = real_root(app);
    let relative = path.strip_prefix(&root).unwrap_or(path);
    match relative.to_string_lossy() {
        name if name.is_empty() => ".".to_owned(),
        name => name.into_owned(),
    }
}

/// Resolves a name without checking access.
pub(crate) fn named(app: &App, name: &str) -> Result<ProjectPath, AppError> {
    if name.trim().is_empty() || name.contains(['\0', '\n']) {
        return Err(AppError::bad_input(
            "invalid path",
            "give a path relative to the project's folder",
        ));
    }
    let from_here = app.cwd.join(name);
    let from_root = app.root().join(name);
    let path = if !from_here.exists() && from_root.exists() { from_root } else { from_here };
    let path = real_path(&path).ok_or_else(|| {
        AppError::bad_input(format!("cannot resolve {name}"), "the path contains a broken symlink")
    })?;
    if name.ends_with('/') && !path.is_dir() {
        return Err(AppError::bad_input(
            format!("{} ends in a slash and is no folder", bounds::echo(name)),
            "name the file without the slash",
        ));
    }
    Ok(ProjectPath { shown: shown(app, &path), path })
}

fn real_root(app: &App) -> PathBuf {
    app.root().canonicalize().unwrap_or_else(|_| app.root().to_owned())
}

fn check_project(app: &App, location: &ProjectPath) -> Result<(), AppError> {
    if location.path.starts_with(real_root(app)) {
        return Ok(());
    }
    Err(AppError::refused(
        format!("{} is outside of the project", location.path.display()),
        format!(
            "the file tools are limited to {}; read other files with {}",
            app.root().display(),
            NextCall::new("ctx_execute_file").in_error()
        ),
    ))
}

/// Refuses a new name that shows as another one, or as nothing.
fn check_new_name(app: &App, location: &ProjectPath) -> Result<(), AppError> {
    let root = real_root(app);
    let inside = location.path.strip_prefix(&root).unwrap_or(&location.path);
    let is_deceptive = inside.to_string_lossy().chars().any(|c| c.is_control() || is_invisible(c));
    if !is_deceptive || location.path.symlink_metadata().is_ok() {
        return Ok(());
    }
    Err(AppError::bad_input(
        format!("the name {} has invisible characters", location.shown.escape_debug()),
        "give a name without control, direction and zero-width characters",
    ))
}

/// Protects the files that control permissions, of Forebay or git: only the user may change them.
fn check_protected(app: &App, location: &ProjectPath) -> Result<(), AppError> {
    let in_git = location.path.components().any(|part| part.as_os_str() == ".git");
    let settles = location.path.ends_with(".forebay.toml");
    if !(in_git || settles || rules::holds_rules(app, &location.path)?) {
        return Ok(());
    }
    Err(AppError::refused(
        format!("{} controls what may be run or changed", location.shown),
        "only the user may change it; tell them the new content",
    ))
}
