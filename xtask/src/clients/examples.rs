//! `cargo xtask examples`: runs the examples for three providers' SDKs against the scripted model.
//!
//! Each example runs as its README describes, with its SDK from the registry. The model asks it to write a note
//! and to find it again; the check looks at what the example sends back.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::model::{FUNCTIONS_PROMPT, NOTE_TEXT, ScriptedModel};
use crate::server::Server;
use crate::test::Skips;
use crate::{console, npm, process, python, workspace};

/// Run the examples of examples/ against a scripted model
#[derive(Debug, Args)]
pub(crate) struct Examples {}

const PYTHON: &[&str] = &["openai_tools.py", "anthropic_tools.py", "gemini_tools.py"];
const TYPESCRIPT: &[&str] = &["openai.ts", "anthropic.ts", "gemini.ts"];

impl Examples {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

/// Checks if Python, npm and their registries are available; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if python::is_installed() && npm::is_installed() && npm::can_reach_registry() {
        return check();
    }
    skips.add("examples", "python3, npm or a registry is not available")
}

fn check() -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let python = python::install("examples-python", "examples/python/requirements.txt")?;
    let packages = npm::install("examples/typescript")?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    fs::create_dir(&project)?;
    let mut serve = process::command(forebay);
    serve.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&project);
    let server = Server::start(serve.env("FOREBAY_HOME", folder.path().join("data")))?;
    for name in PYTHON {
        let mut command = process::command(&python);
        command.arg(workspace::root().join("examples/python").join(name));
        run(name, &mut command, &server)?;
    }
    for name in TYPESCRIPT {
        run(name, &mut typescript(&packages, name)?, &server)?;
    }
    Ok(())
}

/// Runs an example; the model must receive both answers of Forebay, and the example the model's last reply.
fn run(name: &str, command: &mut Command, server: &Server) -> Result<()> {
    let model = ScriptedModel::start()?;
    let url = model.url();
    command
        .arg(FUNCTIONS_PROMPT)
        .env("FOREBAY_URL", server.url())
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .env("ANTHROPIC_BASE_URL", &url)
        .env("GEMINI_BASE_URL", &url)
        .envs(
            ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"].map(|key| (key, "scripted")),
        );
    let printed = process::stdout_text(command).with_context(|| name.to_owned())?;
    ensure!(printed.contains("SCRIPT-END"), "{name} printed: {printed}");
    let results = model.drain().pop().map(|last| last.request.results).unwrap_or_default();
    let [saved, found] = results.as_slice() else {
        anyhow::bail!("{name}: the model received {results:?}");
    };
    ensure!(
        saved.contains("saved") && found.contains(NOTE_TEXT),
        "{name}: the model received {results:?}"
    );
    console::line(format!("ok   {name}"));
    Ok(())
}

/// Copies an example next to its packages, where its imports resolve, and returns the command to run it.
fn typescript(packages: &Path, name: &str) -> Result<Command> {
    let from = workspace::root().join("examples/typescript");
    for file in [name, "forebay.ts"] {
        fs::copy(from.join(file), packages.join(file))?;
    }
    let mut command = process::command(packages.join("node_modules/.bin/tsx"));
    command.arg(name).current_dir(packages);
    Ok(command)
}
