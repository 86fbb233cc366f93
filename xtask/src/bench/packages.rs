//! Token savings of skeletons of well-known packages, and the time to make them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use crate::installation::Installation;
use crate::mcp_client::Client;
use crate::workspace::Metadata;
use crate::{console, process};

/// A well-known package and its registry.
struct Package {
    name: &'static str,
    registry: Registry,
}

#[derive(Clone, Copy)]
enum Registry {
    /// A dependency of this workspace, so cargo has its source.
    Crates,
    Npm,
    PyPi,
}

const PACKAGES: &[Package] = &[
    Package { name: "tokio", registry: Registry::Crates },
    Package { name: "clap_builder", registry: Registry::Crates },
    Package { name: "rusqlite", registry: Registry::Crates },
    Package { name: "regex-automata", registry: Registry::Crates },
    Package { name: "zod", registry: Registry::Npm },
    Package { name: "effect", registry: Registry::Npm },
    Package { name: "rxjs", registry: Registry::Npm },
    Package { name: "requests", registry: Registry::PyPi },
    Package { name: "flask", registry: Registry::PyPi },
    Package { name: "rich", registry: Registry::PyPi },
];
/// At most this many files of each package, evenly spread.
const MAX_FILES: usize = 150;
/// Target savings in percent, by verbosity.
const TARGETS: [(&str, f64); 2] = [("standard", 80.0), ("minimal", 90.0)];
/// Files with at least this many lines count for the time of a long file.
const LONG_FILE_LINES: usize = 500;

pub(super) fn measure(env: &Installation, _sizes: &Sizes) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut sums = Counts::default();
    for package in PACKAGES {
        match fetch(env, package) {
            Ok(folder) => {
                let counts = Counts::measure(env, &folder, package.registry)?;
                rows.push(Row::figure(format!("skeletons of {}", package.name), counts.describe()));
                sums.add(&counts);
            }
            Err(error) => console::warning(format!("cannot measure {}: {error:#}", package.name)),
        }
    }
    for (index, (verbosity, target)) in TARGETS.into_iter().enumerate() {
        let name = format!("skeletons of all packages, {verbosity}: {target} % smaller");
        let saved = sums.saved_percent(index);
        rows.push(Row::claim(name, saved >= target, format!("{saved:.1} %")));
    }
    Ok(rows)
}

/// Tokens of the sources, and of their skeletons by verbosity.
#[derive(Default)]
struct Counts {
    raw: usize,
    skeletons: [usize; TARGETS.len()],
    /// Time per thousand lines of a long file.
    times: Sample,
}

impl Counts {
    fn measure(env: &Installation, folder: &Path, registry: Registry) -> Result<Self> {
        let tokens = bpe_openai::o200k_base();
        let mut counts = Self::default();
        let mut client = Client::start(env)?;
        for path in files(folder, registry)? {
            let text = fs::read_to_string(&path)?;
            counts.raw += tokens.count(&text);
            for (index, (verbosity, _)) in TARGETS.into_iter().enumerate() {
                let call = json!({ "paths": [path], "verbosity": verbosity, "budget": 100_000 });
                let started = Instant::now();
                let answer = client.call("context_peek", &call)?;
                if text.lines().count() >= LONG_FILE_LINES && index == 0 {
                    counts.times.add(started.elapsed() * 1_000 / text.lines().count() as u32);
                }
                counts.skeletons[index] += tokens.count(&answer);
            }
        }
        client.end()?;
        Ok(counts)
    }

    fn add(&mut self, other: &Self) {
        self.raw += other.raw;
        for (sum, tokens) in self.skeletons.iter_mut().zip(other.skeletons) {
            *sum += tokens;
        }
    }

    fn saved_percent(&self, index: usize) -> f64 {
        100.0 - 100.0 * self.skeletons[index] as f64 / self.raw.max(1) as f64
    }

    fn describe(&self) -> String {
        format!(
            "{} k tokens, {:.1} % smaller, minimal {:.1} %; 1,000 lines of a long file {:.1} ms",
            self.raw / 1_000,
            self.saved_percent(0),
            self.saved_percent(1),
            self.times.median()
        )
    }
}

/// Lists the source files of a package without its tests.
fn files(folder: &Path, registry: Registry) -> Result<Vec<PathBuf>> {
    let extension = match registry {
        Registry::Crates => "rs",
        Registry::Npm => "ts",
        Registry::PyPi => "py",
    };
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with("test") {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension)
                && !name.contains(".d.")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    let step = found.len().div_ceil(MAX_FILES).max(1);
    Ok(found.into_iter().step_by(step).collect())
}

/// Fetches a package's source into the project; returns its folder.
fn fetch(env: &Installation, package: &Package) -> Result<PathBuf> {
    let folder = env.project().join(package.name);
    fs::create_dir(&folder)?;
    match package.registry {
        Registry::Crates => copy(&crate_folder(package.name)?.join("src"), &folder)?,
        Registry::Npm => unpack_npm(package.name, &folder)?,
        Registry::PyPi => unpack_wheel(package.name, &folder)?,
    }
    Ok(folder)
}

fn crate_folder(name: &str) -> Result<PathBuf> {
    let packages = Metadata::read()?.packages;
    let package = packages.into_iter().find(|package| package.name == name);
    let manifest = package.context("not a dependency of this workspace")?.manifest_path;
    Ok(manifest.parent().context("a manifest without a folder")?.to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    process::stdout(process::command("cp").arg("-r").arg(from).arg(to))?;
    Ok(())
}

fn unpack_npm(name: &str, folder: &Path) -> Result<()> {
    let pack = process::stdout_text(
        process::command("npm").args(["pack", "--json", name]).current_dir(folder),
    )?;
    let packed: Value = serde_json::from_str(&pack)?;
    let archive = packed[0]["filename"].as_str().context("npm pack names no file")?;
    process::stdout(process::command("tar").args(["xzf", archive]).current_dir(folder))?;
    ensure!(folder.join("package/src").is_dir(), "the package has no sources");
    Ok(())
}

fn unpack_wheel(name: &str, folder: &Path) -> Result<()> {
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", name];
    process::stdout(process::command("python3").args(download).current_dir(folder))?;
    for entry in fs::read_dir(folder)? {
        let wheel = entry?.path();
        let unpack = ["-m", "zipfile", "-e"];
        process::stdout(process::command("python3").args(unpack).arg(&wheel).arg(folder))?;
    }
    Ok(())
}
