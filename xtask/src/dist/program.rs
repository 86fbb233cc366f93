//! Builds the released executable, so that the same sources give the same bytes in any folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::release::{NAME, Target};
use crate::workspace::{self, Metadata};
use crate::{console, process, python};

/// Cargo with the C compiler and linker of Zig, which can link against any version of the C library.
const REQUIREMENTS: &str = "xtask/dist/requirements.txt";
const ENVIRONMENT: &str = "dist-python";

/// Parsers written in C read hostile text: an overwritten stack ends the process. The tables of grammars are data, and
/// what is code in them is large and rarely run, so it is compiled for size.
const C_FLAGS: &str = "-fstack-protector-strong -Os";

/// An executable to pack.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) version: String,
}

impl Program {
    /// Reads an executable that this machine can run.
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let printed = process::stdout_text(process::command(&path).arg("--version"))?;
        let version = printed.trim().strip_prefix("forebay ").map(str::to_owned);
        let version = version.with_context(|| format!("{}: {printed}", path.display()))?;
        let bytes = fs::read(&path)?;
        Ok(Self { path, bytes, version })
    }
}

/// Builds the program for a target in this repository.
pub(super) fn build(target: &Target) -> Result<Program> {
    let target_folder = Metadata::read()?.target_directory;
    Program::read(build_in(workspace::root(), &target_folder, target)?)
}

/// Builds the program in two folders and compares the bytes. One that was built already is the first of them.
pub(super) fn reproduce(target: &Target, built: Option<&Path>) -> Result<()> {
    let first = match built {
        Some(path) => Program::read(path.to_owned())?,
        None => build(target)?,
    };
    let folder = tempfile::tempdir()?;
    let clone = folder.path().join("a-longer-name-than-before");
    let mut git = process::command("git");
    git.args(["clone", "--quiet", "--no-hardlinks"]).arg(workspace::root()).arg(&clone);
    process::run(&mut git)?;
    let second = fs::read(build_in(&clone, &clone.join("target"), target)?)?;
    ensure!(
        first.bytes == second,
        "two builds differ: {}",
        first_difference(&first.bytes, &second)
    );
    console::line(format!("two builds give the same {} bytes", second.len()));
    Ok(())
}

fn first_difference(first: &[u8], second: &[u8]) -> String {
    match first.iter().zip(second).position(|(one, other)| one != other) {
        Some(offset) => format!("{} and {} bytes, first at {offset}", first.len(), second.len()),
        None => format!("{} and {} bytes", first.len(), second.len()),
    }
}

fn build_in(root: &Path, target_folder: &Path, target: &Target) -> Result<PathBuf> {
    let mut cargo = cargo_for(target)?;
    cargo.args(["--locked", "--quiet", "--package", NAME, "--profile", "dist"]);
    cargo.args(["--features", "packed-grammars"]).current_dir(root);
    cargo.env("CARGO_TARGET_DIR", target_folder);
    set_flags(&mut cargo, root, target_folder)?;
    process::run(&mut cargo)?;
    Ok(target_folder.join(target.triple).join("dist").join(NAME))
}

/// A `cargo build` for a target; for Linux with the linker of Zig, which needs no cross toolchain.
fn cargo_for(target: &Target) -> Result<Command> {
    if !target.triple.contains("linux") {
        let mut cargo = process::cargo();
        cargo.args(["build", "--target", target.triple]);
        return Ok(cargo);
    }
    let python = python::install(ENVIRONMENT, REQUIREMENTS)?;
    let programs = python.parent().context("python is in a folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path)),
    )?;
    let triple = match target.glibc {
        Some(version) => format!("{}.{version}", target.triple),
        None => target.triple.to_owned(),
    };
    let mut cargo = process::command(programs.join("cargo-zigbuild"));
    cargo.args(["zigbuild", "--target", &triple]).env("PATH", path);
    Ok(cargo)
}

/// Replaces the folders of this machine in what the compilers write into the program.
fn set_flags(cargo: &mut Command, root: &Path, target_folder: &Path) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.context("neither CARGO_HOME nor HOME is set")?;
    // The last matching prefix wins, so the folder inside of the other one comes last.
    let folders = [(root, "/forebay"), (&home, "/cargo"), (target_folder, "/target")];
    let mapped = |option: &str| -> Vec<String> {
        folders.map(|(from, to)| format!("{option}={}={to}", from.display())).to_vec()
    };
    cargo.env("CARGO_ENCODED_RUSTFLAGS", mapped("--remap-path-prefix").join("\u{1f}"));
    cargo.env("CFLAGS", format!("{C_FLAGS} {}", mapped("-ffile-prefix-map").join(" ")));
    Ok(())
}
