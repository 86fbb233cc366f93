//! Packages of a release: builds the program and packs it for every channel.
//!
//! [`release`] is the one table of names, texts and targets that all packages are generated from. Each format has a
//! module of its own; the same sources give the same bytes.

mod agreement;
mod archive;
mod bundle;
mod checksums;
mod debian;
mod install_check;
mod manifests;
mod npm_package;
mod program;
#[cfg(test)]
mod rehearsal;
mod release;
mod rpm;
mod signatures;
mod system_files;
mod tarball;
#[cfg(test)]
mod test_release;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use self::program::Program;
use self::release::{Release, Target};
use self::signatures::Keys;
use crate::workspace::{self, Metadata};
use crate::{console, process, sbom};

/// Build the packages of a release: archive, npm, wheel, deb, rpm, MCP bundle
#[derive(Debug, clap::Args)]
pub(crate) struct Dist {
    /// The target triple [default: this machine's]
    #[arg(long)]
    target: Option<String>,
    /// Pack this executable instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Where the sources and the releases are published, such as <https://github.com/OWNER/NAME>
    #[arg(long, env = "FOREBAY_REPOSITORY", value_name = "URL")]
    repository: Option<String>,
    /// Where to write the packages [default: target/packages]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(subcommand)]
    step: Option<Step>,
}

#[derive(Debug, clap::Subcommand)]
enum Step {
    /// Write what needs the packages of all targets: manifests, checksums, the bill of materials
    Finish,
    /// Sign the manifest and the checksums with the keys in SIGNING_KEY and FOREBAY_RELEASE_KEY
    Sign,
    /// Install each package into an empty root and run it there
    Check,
    /// Build the program twice, in two folders, and compare the bytes; --program names one that was built already
    Reproduce,
}

/// The most that a release may take on disk and for a download.
const MAX_INSTALLED_MB: f64 = 55.0;
const MAX_COMPRESSED_MB: f64 = 20.0;

/// A file of a release.
#[derive(Debug)]
struct Package {
    channel: &'static str,
    path: PathBuf,
}

impl Dist {
    pub(crate) fn run(&self) -> Result<()> {
        let release = Release::read(self.repository.clone())?;
        let out = self.out_folder()?;
        fs::create_dir_all(&out)?;
        match self.step {
            None => self.pack(&release, &out),
            Some(Step::Finish) => finish(&release, &out),
            Some(Step::Sign) => Keys::of_environment()?.sign(&release.version, &out),
            Some(Step::Check) => install_check::run(&release, self.target()?, &out),
            Some(Step::Reproduce) => program::reproduce(self.target()?, self.program.as_deref()),
        }
    }

    fn pack(&self, release: &Release, out: &Path) -> Result<()> {
        let target = self.target()?;
        let program = match &self.program {
            Some(path) => Program::read(path.clone())?,
            None => program::build(target)?,
        };
        ensure!(
            program.version == release.version,
            "the program has version {}, the manifests {}",
            program.version,
            release.version
        );
        let packages = pack_all(release, target, &program, out)?;
        report(&program, &packages)?;
        finish(release, out)
    }

    fn target(&self) -> Result<&'static Target> {
        let triple = match &self.target {
            Some(triple) => triple.clone(),
            None => workspace::host_triple()?,
        };
        release::target(&triple)
    }

    /// Not `target/dist`: that is where cargo builds the profile of this name.
    fn out_folder(&self) -> Result<PathBuf> {
        match &self.out {
            Some(folder) => Ok(std::path::absolute(folder)?),
            None => Ok(Metadata::read()?.target_directory.join("packages")),
        }
    }
}

fn pack_all(
    release: &Release,
    target: &'static Target,
    program: &Program,
    out: &Path,
) -> Result<Vec<Package>> {
    let mut packages = vec![
        Package { channel: "archive", path: tarball::write(release, target, program, out)? },
        Package {
            channel: "npm",
            path: npm_package::write_platform(release, target, program, out)?,
        },
        Package { channel: "npm", path: npm_package::write_launcher(release, out)? },
        Package { channel: "wheel", path: wheel::write(release, target, program, out)? },
        Package { channel: "MCP bundle", path: bundle::write(release, target, program, out)? },
    ];
    if let Some(architecture) = target.debian {
        let path = debian::write(release, architecture, program, out)?;
        packages.push(Package { channel: "deb", path });
    }
    if let Some(architecture) = target.rpm {
        let path = rpm::write(release, architecture, program, out)?;
        packages.push(Package { channel: "rpm", path });
    }
    Ok(packages)
}

/// Prints the size of each package beside the most that it may be, and refuses larger ones.
fn report(program: &Program, packages: &[Package]) -> Result<()> {
    let megabytes = |path: &Path| -> Result<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a size in megabytes with one digit")]
        Ok(fs::metadata(path)?.len() as f64 / 1e6)
    };
    let mut too_large = Vec::new();
    let mut line = |size: f64, most: f64, what: String| {
        console::line(format!("{size:6.1} MB of {most}  {what}"));
        if size > most {
            too_large.push(what);
        }
    };
    line(megabytes(&program.path)?, MAX_INSTALLED_MB, "installed".to_owned());
    for Package { channel, path } in packages {
        let name = path.file_name().context("a package has a name")?.to_string_lossy();
        line(megabytes(path)?, MAX_COMPRESSED_MB, format!("{channel}: {name}"));
    }
    ensure!(too_large.is_empty(), "too large: {}", too_large.join(", "));
    Ok(())
}

/// Writes what describes the packages of all targets that are in the folder.
fn finish(release: &Release, out: &Path) -> Result<()> {
    let bill = sbom::write()?;
    fs::copy(bill, out.join("forebay.cdx.json"))?;
    let public_key = std::env::var(signatures::PUBLIC_KEY).unwrap_or_default();
    manifests::write(release, &public_key, out)?;
    checksums::write(release, out)?;
    agreement::check(release, out)
}

/// Runs the program to have it print one of its own texts: the manual, completions.
fn printed_by(program: &Program, arguments: &[&str]) -> Result<String> {
    let mut command = process::command(&program.path);
    process::stdout_text(command.args(arguments).env_remove("LD_LIBRARY_PATH"))
}
