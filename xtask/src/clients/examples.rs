//! `cargo xtask examples`: the examples with the SDKs of three providers, against the scripted model.
//!
//! Each is run as its README says, with its SDK from the registry; the model asks it to write a note and to find
//! it again, and what the example hands back is what counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::model::{FUNCTIONS, Model, NOTED};
use crate::server::Server;
use crate::workspace::Metadata;
use crate::{npm, say, shell, test, workspace};

/// Run the examples of examples/ against a scripted model
#[derive(Debug, Args)]
pub(crate) struct Examples {}

/// An example and how many results of tools the model must have seen in the end.
const PYTHON: &[&str] = &["openai_tools.py", "anthropic_tools.py", "gemini_tools.py"];
const TYPESCRIPT: &[&str] = &["openai.ts", "anthropic.ts", "gemini.ts"];

impl Examples {
    pub(crate) fn carry_out(self) -> Result<()> {
        check()
    }
}

/// Checks where the registries can be reached; only an attended run may do without.
pub(crate) fn check_where_possible() -> Result<()> {
    let has_python = shell::works(shell::command("python3").args(["-m", "venv", "--help"]));
    if has_python && npm::is_here() && npm::reaches_a_registry() {
        return check();
    }
    ensure!(
        !test::is_unattended(),
        "python3, npm and their registries are needed for the examples"
    );
    say::loudly("SKIPPED: python3 or npm or a registry is missing, so no example was run");
    Ok(())
}

fn check() -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let python = install_python()?;
    let packages = npm::install("examples/typescript")?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    fs::create_dir(&project)?;
    let mut serve = shell::command(forebay);
    serve.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&project);
    let server = Server::start(serve.env("FOREBAY_HOME", folder.path().join("data")))?;
    for name in PYTHON {
        let mut command = shell::command(&python);
        command.arg(workspace::root().join("examples/python").join(name));
        run(name, &mut command, &server)?;
    }
    for name in TYPESCRIPT {
        run(name, &mut typescript(&packages, name)?, &server)?;
    }
    Ok(())
}

/// Runs an example; the model must have seen both answers of Forebay, and the example the model's last word.
fn run(name: &str, command: &mut Command, server: &Server) -> Result<()> {
    let model = Model::start()?;
    let url = model.url();
    command
        .arg(FUNCTIONS)
        .env("FOREBAY_URL", server.url())
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .env("ANTHROPIC_BASE_URL", &url)
        .env("GEMINI_BASE_URL", &url)
        .envs(
            ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"].map(|key| (key, "scripted")),
        );
    let printed = shell::text(command).with_context(|| name.to_owned())?;
    ensure!(printed.contains("SCRIPT-END"), "{name} printed: {printed}");
    let results = model.take().pop().map(|last| last.asked.results).unwrap_or_default();
    let [noted, found] = results.as_slice() else {
        anyhow::bail!("{name}: the model saw {results:?}");
    };
    ensure!(noted.contains("noted") && found.contains(NOTED), "{name}: the model saw {results:?}");
    say::line(format!("ok   {name}"));
    Ok(())
}

/// TypeScript beside its packages: imports are looked up from where a file lies.
fn typescript(packages: &Path, name: &str) -> Result<Command> {
    let from = workspace::root().join("examples/typescript");
    for file in [name, "forebay.ts"] {
        fs::copy(from.join(file), packages.join(file))?;
    }
    let mut command = shell::command(packages.join("node_modules/.bin/tsx"));
    command.arg(name).current_dir(packages);
    Ok(command)
}

/// A Python with the pinned SDKs.
fn install_python() -> Result<PathBuf> {
    let folder = Metadata::read()?.target_directory.join("examples-python");
    let wanted = fs::read_to_string(workspace::root().join("examples/python/requirements.txt"))?;
    let (python, mark) = (folder.join("bin/python"), folder.join("requirements.txt"));
    if fs::read_to_string(&mark).is_ok_and(|has| has == wanted) {
        return Ok(python);
    }
    say::line("installing the SDKs with pip");
    shell::output(shell::command("python3").args(["-m", "venv"]).arg(&folder))?;
    let requirements = workspace::root().join("examples/python/requirements.txt");
    let mut pip = shell::command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements);
    shell::output(&mut pip).context("pip installs the SDKs")?;
    fs::write(mark, wanted)?;
    Ok(python)
}
