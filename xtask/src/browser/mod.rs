//! `cargo xtask browser`: the dashboard in a real browser, with a store that is full and partly hostile.
//!
//! `xtask/browser/check.mjs` drives Chromium: every page, both themes, 1440 and 360 px, keys, and what axe finds. The types
//! of the page's modules are checked, too.

mod apps_host;
mod load;
mod seed;
mod usage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use self::apps_host::AppsHost;
use self::seed::Seed;
use crate::server::Server;
use crate::test::Skips;
use crate::{console, npm, process, system_packages, workspace};

/// Check the dashboard in Chromium
#[derive(Debug, Args)]
pub(crate) struct Browser {
    /// Keep the screenshots in this folder
    #[arg(long, value_name = "FOLDER")]
    screenshots: Option<PathBuf>,
    /// Write the pictures of the documentation again
    #[arg(long)]
    pictures: bool,
    /// Only write a thousand events a second to this database
    #[arg(long, hide = true, value_name = "DATABASE")]
    write_events: Option<PathBuf>,
    /// Only add 100,000 entries to this database
    #[arg(long, hide = true, value_name = "DATABASE")]
    write_entries: Option<PathBuf>,
}

/// The page's modules.
const MODULES: &str = "crates/forebay/src/doors/ui/assets";
/// The scripts of the views that MCP hosts show.
const VIEWS: &str = "crates/forebay/src/doors/mcp/apps";
/// Pages that are pictures of the documentation: `dashboard-<page>.webp`.
const PICTURES: &[&str] = &["overview", "digest", "guide", "search"];
const PICTURES_FOLDER: &str = "docs/images";

impl Browser {
    pub(crate) fn run(self) -> Result<()> {
        if let Some(database) = &self.write_events {
            return load::write_events(database);
        }
        if let Some(database) = &self.write_entries {
            return load::write_entries(database);
        }
        let chromium = find().or_else(install).context("Chromium is not installed")?;
        let temporary = tempfile::tempdir()?;
        let shots = self.screenshots.unwrap_or_else(|| temporary.path().to_owned());
        fs::create_dir_all(&shots)?;
        let pictures = self.pictures.then(|| workspace::root().join(PICTURES_FOLDER));
        check(&chromium, &shots, pictures.as_deref())
    }
}

/// Checks if Chromium and npm are there, or can be; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if !npm::is_installed() {
        return skips.add("browser", "node and npm are not installed");
    }
    let Some(chromium) = find().or_else(install) else {
        return skips.add("browser", "Chromium is not installed and cannot be");
    };
    check(&chromium, tempfile::tempdir()?.path(), None)
}

/// Returns the browser that `CHROMIUM` names, or one on PATH.
pub(crate) fn find() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let on_path = || {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        names.into_iter().find_map(system_packages::find_on_path)
    };
    named.filter(|path| path.is_file()).or_else(on_path)
}

fn install() -> Option<PathBuf> {
    if !system_packages::can_install() {
        return None;
    }
    console::line("installing chromium");
    if let Err(error) = system_packages::install(&["chromium"]) {
        console::warning(format!("cannot install chromium: {error:#}"));
    }
    find()
}

fn check(chromium: &Path, shots: &Path, pictures: Option<&Path>) -> Result<()> {
    let packages = npm::install("xtask/browser")?;
    check_types(&packages)?;
    let forebay = workspace::build_forebay("dev")?;
    let folder = tempfile::tempdir()?;
    let seed = Seed::plant(&forebay, folder.path())?;
    let server = Server::start(seed.command().args(["ui", "--no-open"]))?;
    let writer = Server::start(seed.command().args(["ui", "--no-open", "--write"]))?;
    let empty = Server::start(seed.command_in_empty_home()?.args(["ui", "--no-open"]))?;
    let token = seed.token("ann")?;
    seed.token("bob")?;
    let shared = Server::start(seed.command().args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--require-token",
    ]))?;
    let apps_host = AppsHost::start(&forebay, &seed)?;
    let task = json!({
        "appsHost": apps_host.url(),
        "link": server.url().trim(),
        "emptyLink": empty.url().trim(),
        "writeLink": writer.url().trim(),
        "server": origin(&shared),
        "token": token,
        "entry": seed.build(),
        "origins": [origin(&server), origin(&writer), origin(&empty), origin(&shared)],
        "chromium": chromium,
        "arguments": arguments(&folder.path().join("profile")),
        "packages": packages,
        "shots": shots,
        "pictures": pictures.map(|folder| json!({ "folder": folder, "pages": PICTURES })),
        "forebay": forebay,
        "xtask": std::env::current_exe()?,
        "database": seed.database_file()?,
        "events": load::EVENTS,
        "project": seed.project(),
        "environment": { "FOREBAY_HOME": seed.data(), "HOME": seed.home() },
        "pages": seed.pages(),
    });
    let mut node = process::command("node");
    node.arg(workspace::root().join("xtask/browser/check.mjs")).arg(task.to_string());
    // The browser writes its own files to the home folder; keep it out of the user's.
    process::run(node.env("HOME", folder.path().join("home")))
}

fn origin(server: &Server) -> String {
    server.url().split('/').take(3).collect::<Vec<_>>().join("/")
}

/// Options that keep the browser from the network and from the user's profile.
fn arguments(profile: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-color-profile=srgb",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--disk-cache-dir={}", profile.display()));
    if rustix::process::getuid().is_root() {
        arguments.push("--no-sandbox".to_owned());
    }
    arguments
}

/// Checks the JSDoc types of the page's modules and of the views.
fn check_types(packages: &Path) -> Result<()> {
    check_types_of(packages, &[&format!("{MODULES}/app.js")])?;
    let views = ["bridge.js", "overview.js", "entry.js"].map(|name| format!("{VIEWS}/{name}"));
    check_types_of(packages, &views.each_ref().map(String::as_str))?;
    console::line("ok   types");
    Ok(())
}

fn check_types_of(packages: &Path, scripts: &[&str]) -> Result<()> {
    let mut tsc: Command = process::command(packages.join("node_modules/.bin/tsc"));
    tsc.args(["--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2023"]);
    tsc.args(["--module", "esnext", "--moduleResolution", "bundler"]);
    tsc.args(["--lib", "es2023,dom,dom.iterable"]);
    tsc.args(scripts.iter().map(|name| workspace::root().join(name)));
    let output = tsc.output().context("tsc does not start")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "types of the dashboard:\n{text}");
    Ok(())
}
