//! How much smaller the skeletons of known packages are, in tokens, and what making them takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Sizes;
use super::client::Client;
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use crate::workspace::Metadata;
use crate::{say, shell};

/// A known package, and the registry that has it.
struct Package {
    name: &'static str,
    registry: Registry,
}

#[derive(Clone, Copy)]
enum Registry {
    /// This workspace depends on it, so cargo has its source.
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
/// Of each package so many files are read, spread over all it has.
const FILES: usize = 150;
/// The promise, in percent.
const SMALLER: [(&str, f64); 2] = [("standard", 80.0), ("minimal", 90.0)];
/// Files of at least so many lines count for the time that a long one takes.
const LONG: usize = 500;

pub(super) fn measure(stage: &Stage, _sizes: &Sizes) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut sums = Counts::default();
    for package in PACKAGES {
        match fetch(stage, package) {
            Ok(folder) => {
                let counts = Counts::of(stage, &folder, package.registry)?;
                rows.push(Row::figure(format!("skeletons of {}", package.name), counts.told()));
                sums.add(&counts);
            }
            Err(error) => say::loudly(format!("without {}: {error:#}", package.name)),
        }
    }
    for (place, (verbosity, least)) in SMALLER.into_iter().enumerate() {
        let name = format!("skeletons of all packages, {verbosity}: {least} % smaller");
        let smaller = sums.smaller(place);
        rows.push(Row::claim(name, smaller >= least, format!("{smaller:.1} %")));
    }
    Ok(rows)
}

/// Tokens as they are, and as skeletons of each verbosity.
#[derive(Default)]
struct Counts {
    raw: usize,
    shown: [usize; SMALLER.len()],
    /// Milliseconds that a thousand lines of a long file take.
    times: Sample,
}

impl Counts {
    fn of(stage: &Stage, folder: &Path, registry: Registry) -> Result<Self> {
        let tokens = bpe_openai::o200k_base();
        let mut counts = Self::default();
        let mut client = Client::start(stage)?;
        for path in files(folder, registry)? {
            let text = fs::read_to_string(&path)?;
            counts.raw += tokens.count(&text);
            for (place, (verbosity, _)) in SMALLER.into_iter().enumerate() {
                let call = json!({ "paths": [path], "verbosity": verbosity, "budget": 100_000 });
                let started = Instant::now();
                let answer = client.call("context_peek", &call)?;
                if text.lines().count() >= LONG && place == 0 {
                    counts.times.add(started.elapsed() * 1_000 / text.lines().count() as u32);
                }
                counts.shown[place] += tokens.count(&answer);
            }
        }
        client.end()?;
        Ok(counts)
    }

    fn add(&mut self, other: &Self) {
        self.raw += other.raw;
        for (sum, shown) in self.shown.iter_mut().zip(other.shown) {
            *sum += shown;
        }
    }

    fn smaller(&self, place: usize) -> f64 {
        100.0 - 100.0 * self.shown[place] as f64 / self.raw.max(1) as f64
    }

    fn told(&self) -> String {
        format!(
            "{} k tokens, {:.1} % smaller, minimal {:.1} %; 1,000 lines of a long file {:.1} ms",
            self.raw / 1_000,
            self.smaller(0),
            self.smaller(1),
            self.times.median()
        )
    }
}

/// The sources that users of a package may read, without its tests.
fn files(folder: &Path, registry: Registry) -> Result<Vec<PathBuf>> {
    let ending = match registry {
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
            } else if path.extension().is_some_and(|own| own == ending) && !name.contains(".d.") {
                found.push(path);
            }
        }
    }
    found.sort();
    let step = found.len().div_ceil(FILES).max(1);
    Ok(found.into_iter().step_by(step).collect())
}

/// The folder of a package's source, in the project.
fn fetch(stage: &Stage, package: &Package) -> Result<PathBuf> {
    let folder = stage.project().join(package.name);
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
    let manifest = package.context("no dependency of this workspace")?.manifest_path;
    Ok(manifest.parent().context("a manifest without a folder")?.to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    shell::output(shell::command("cp").arg("-r").arg(from).arg(to))?;
    Ok(())
}

fn unpack_npm(name: &str, folder: &Path) -> Result<()> {
    let pack =
        shell::text(shell::command("npm").args(["pack", "--json", name]).current_dir(folder))?;
    let packed: Value = serde_json::from_str(&pack)?;
    let archive = packed[0]["filename"].as_str().context("npm pack names no file")?;
    shell::output(shell::command("tar").args(["xzf", archive]).current_dir(folder))?;
    ensure!(folder.join("package/src").is_dir(), "the package has no sources");
    Ok(())
}

fn unpack_wheel(name: &str, folder: &Path) -> Result<()> {
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", name];
    shell::output(shell::command("python3").args(download).current_dir(folder))?;
    for entry in fs::read_dir(folder)? {
        let wheel = entry?.path();
        let unpack = ["-m", "zipfile", "-e"];
        shell::output(shell::command("python3").args(unpack).arg(&wheel).arg(folder))?;
    }
    Ok(())
}
