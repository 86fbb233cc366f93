//! `forebay ui`: the dashboard in a browser.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use forebay_sandbox::{WritableByRuns, open_in_desktop};
use serde_json::json;
use tempfile::NamedTempFile;

use super::terminal::{self, Failure};
use super::{Common, data_folder};
use crate::config::environment;
use crate::doors::ui;

/// Show what is stored, remembered and allowed, in your browser
///
/// Serves a page on this machine only, until you end it. It changes nothing, unless --write is given. The printed link works
/// once, in the browser that opens it.
#[derive(Debug, Args)]
pub(super) struct Ui {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the link instead of opening a browser
    #[arg(long)]
    no_open: bool,
    /// Allow to edit, pin, replace and delete what is remembered
    #[arg(long)]
    write: bool,
}

impl Ui {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let home = data_folder()?;
        home.create().map_err(AppError::from)?;
        let cwd = common.working_folder()?;
        let project = super::project_root(&cwd);
        let settings = common.tolerant_settings(&project)?;
        let app = common.app_with(settings, cwd.clone(), &cwd, "ui", "ui")?;
        // What a person reads fills no model's context.
        let app = app.on_behalf_of("ui", None);
        let writable = app.writable_by_runs();
        let mut page = None;
        let mode = if self.write { ui::Mode::Write } else { ui::Mode::ReadOnly };
        ui::serve(app, self.port, mode, |link| {
            page = self.open(link, home.root(), &writable);
            let shown = if common.json {
                terminal::print_json(&json!({ "url": link }))
            } else {
                terminal::print_plain(&format!(
                    "dashboard: {link}\nthe link works once; Ctrl-C ends it\n"
                ))
            };
            shown.map_err(|_| AppError::unavailable("cannot print the link", None))
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Opens the link in the user's browser, if there is one; returns the file that leads to it.
    ///
    /// The browser gets a file that only this user can read: every user can read the arguments of a process.
    fn open(&self, link: &str, folder: &Path, writable: &WritableByRuns) -> Option<NamedTempFile> {
        if self.no_open || !has_desktop() {
            return None;
        }
        let mut file =
            tempfile::Builder::new().prefix("ui-").suffix(".html").tempfile_in(folder).ok()?;
        file.write_all(page(link).as_bytes()).ok()?;
        open_in_desktop(file.path(), writable).ok()?;
        Some(file)
    }
}

/// A page that leads to the link. It has no characters that HTML would need escaped.
fn page(link: &str) -> String {
    format!(
        "<!doctype html><meta http-equiv=refresh content=\"0;url={link}\"><title>Forebay</title>"
    )
}

fn has_desktop() -> bool {
    cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment::read(name).is_some())
}
