//! The RPM package, built by `rpmbuild` from a folder that looks like the installed system.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::archive::Entry;
use super::debian::write_entry;
use super::program::Program;
use super::release::{NAME, Release};
use super::system_files;
use crate::{process, system_packages};

pub(super) fn write(
    release: &Release,
    architecture: &str,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    if !system_packages::is_on_path("rpmbuild") && system_packages::can_install() {
        system_packages::install(&["rpm"])?;
    }
    let work = tempfile::tempdir()?;
    let root = work.path().join("root");
    let files = system_files::list(program, system_files::RPM_ZSH_FOLDER)?;
    for entry in &files {
        write_entry(&root, entry)?;
    }
    let spec = work.path().join("forebay.spec");
    fs::write(&spec, specification(release, &files))?;
    let mut rpmbuild = process::command("rpmbuild");
    rpmbuild.args(["-bb", "--quiet", "--target", architecture, "--buildroot"]).arg(&root);
    for (name, value) in [
        ("_topdir", work.path().join("top")),
        ("_rpmdir", work.path().join("built")),
        ("_rpmfilename", PathBuf::from("forebay.rpm")),
    ] {
        rpmbuild.arg("--define").arg(format!("{name} {}", value.display()));
    }
    rpmbuild.arg(&spec).env("SOURCE_DATE_EPOCH", release.time.to_string());
    process::stdout(&mut rpmbuild).context("rpmbuild builds the RPM package")?;
    let path = out.join(format!("{NAME}-{}-1.{architecture}.rpm", release.version));
    fs::copy(work.path().join("built/forebay.rpm"), &path)?;
    Ok(path)
}

fn specification(release: &Release, files: &[Entry]) -> String {
    let url = match &release.repository {
        Some(url) => format!("URL: {url}\n"),
        None => String::new(),
    };
    let folders: String = own_folders(files)
        .iter()
        .map(|folder| format!("%dir %attr(755, root, root) /{}\n", folder.display()))
        .collect();
    let files: String = files
        .iter()
        .map(|file| format!("%attr({:o}, root, root) /{}\n", file.mode(), file.name))
        .collect();
    format!(
        "Name: {NAME}
Version: {}
Release: 1
Summary: {}
License: {}
{url}Requires: libc.so.6(GLIBC_2.28)(64bit)
AutoReqProv: no
# The program is stripped already, and its bytes must stay those that were built.
%define debug_package %{{nil}}
%define __os_install_post %{{nil}}
%define _build_id_links none
%define _buildhost reproducible
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _binary_payload w19.zstdio

%description
The output of a command goes to a local database; the agent receives a short
digest and a reference, and can read any part again.

%post
if command -v systemd-sysusers >/dev/null; then systemd-sysusers forebay.conf; fi

%files
{folders}{files}",
        release.version,
        release.description.trim_end_matches('.'),
        release.license.replace(" OR ", " or "),
    )
}

/// The folders that no other package puts files into: RPM removes only those that a package lists.
fn own_folders(files: &[Entry]) -> BTreeSet<&Path> {
    let folders = files.iter().filter_map(|file| Path::new(&file.name).parent());
    folders.filter(|folder| folder.ends_with(NAME)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_this_package_are_removed_with_it() {
        let files = ["usr/bin/forebay", "usr/share/doc/forebay/a", "usr/share/doc/forebay/b"];
        let files = files.map(|name| Entry::text(name, String::new()));
        assert_eq!(Vec::from_iter(own_folders(&files)), [Path::new("usr/share/doc/forebay")]);
    }
}
