//! The Debian package, built by `dpkg-deb` from a folder that looks like the installed system.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::archive::Entry;
use super::program::Program;
use super::release::{AUTHORS, NAME, Release};
use super::system_files;
use crate::process;

/// Creates the user of the server, if systemd is there to do it.
const AFTER_INSTALLATION: &str = "#!/bin/sh
set -e
if [ \"$1\" = configure ] && command -v systemd-sysusers >/dev/null; then
    systemd-sysusers forebay.conf
fi
";

pub(super) fn write(
    release: &Release,
    architecture: &str,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    let root = tempfile::tempdir()?;
    let files = system_files::list(program, system_files::DEBIAN_ZSH_FOLDER)?;
    let kilobytes = files.iter().map(|entry| entry.bytes.len()).sum::<usize>() / 1024;
    let control = Entry::text("DEBIAN/control", control(release, architecture, kilobytes));
    let script = Entry::executable("DEBIAN/postinst", AFTER_INSTALLATION.into());
    for entry in files.iter().chain([&control, &script]) {
        write_entry(root.path(), entry)?;
    }
    let path = out.join(format!("{NAME}_{}_{architecture}.deb", release.version));
    let mut dpkg = process::command("dpkg-deb");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(root.path()).arg(&path);
    dpkg.env("SOURCE_DATE_EPOCH", release.time.to_string());
    process::stdout(&mut dpkg).context("dpkg-deb builds the Debian package")?;
    Ok(path)
}

fn control(release: &Release, architecture: &str, kilobytes: usize) -> String {
    let homepage = match &release.repository {
        Some(url) => format!("Homepage: {url}\n"),
        None => String::new(),
    };
    format!(
        "Package: {NAME}
Version: {}
Architecture: {architecture}
Maintainer: {AUTHORS}
Installed-Size: {kilobytes}
Depends: libc6 (>= 2.28)
Recommends: ca-certificates, git
Section: devel
Priority: optional
{homepage}Description: {}
 The output of a command goes to a local database; the agent receives a short
 digest and a reference, and can read any part again.
",
        release.version,
        release.description.trim_end_matches('.'),
    )
}

/// Writes a file below a folder with the mode that it will have when it is installed.
pub(super) fn write_entry(root: &Path, entry: &Entry) -> Result<()> {
    let path = root.join(&entry.name);
    let folder = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder)?;
    fs::write(&path, &entry.bytes)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(entry.mode()))?;
    Ok(())
}
