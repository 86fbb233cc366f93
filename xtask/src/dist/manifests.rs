//! Descriptions of a release for other people's catalogues: Homebrew, the MCP registry, development containers, and the
//! installation script. They name addresses, so they need the repository's.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::archive::{self, Entry};
use super::checksums::sha256;
use super::release::{NAME, Release, TARGETS, TITLE, Target};
use super::{bundle, tarball};
use crate::{console, workspace};

pub(super) fn write(release: &Release, public_key: &str, out: &Path) -> Result<()> {
    let Some(repository) = &release.repository else {
        console::line(
            "without --repository: no install.sh, server.json, Homebrew formula, development container feature",
        );
        return Ok(());
    };
    let script = install_script(repository, public_key)?;
    fs::write(out.join("install.sh"), &script)?;
    fs::write(out.join("forebay.rb"), formula(release, repository, out)?)?;
    if let Some(name) = release.registry_name() {
        write_json(&out.join("server.json"), &server(release, &name, repository, out)?)?;
    }
    write_feature(release, repository, &script, out)
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    Ok(fs::write(path, serde_json::to_string_pretty(value)? + "\n")?)
}

fn install_script(repository: &str, public_key: &str) -> Result<String> {
    let script = fs::read_to_string(workspace::root().join("packaging/install.sh"))?;
    Ok(script.replace("@REPOSITORY@", repository).replace("@PUBLIC_KEY@", public_key))
}

/// The entry of the MCP registry. It lists the packages that a client can start without an installation.
fn server(release: &Release, name: &str, repository: &str, out: &Path) -> Result<Value> {
    let mut packages =
        vec![package("npm", NAME, &release.version), package("pypi", NAME, &release.version)];
    for target in &TARGETS {
        let file = format!("{}.{}", release.stem(target), bundle::EXTENSION);
        if out.join(&file).exists() {
            let address = release.download(&file).context("a release has a repository")?;
            let mut package = package("mcpb", &address, &release.version);
            package["fileSha256"] = json!(sha256(&out.join(&file))?);
            packages.push(package);
        }
    }
    Ok(json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name,
        "title": TITLE,
        "description": release.description,
        "version": release.version,
        "repository": { "url": repository, "source": "github" },
        "packages": packages,
    }))
}

fn package(registry: &str, identifier: &str, version: &str) -> Value {
    json!({
        "registryType": registry,
        "identifier": identifier,
        "version": version,
        "transport": { "type": "stdio" },
        "packageArguments": [{ "type": "positional", "value": "mcp" }],
    })
}

/// The Homebrew formula. A platform whose archive is not there gets no entry.
fn formula(release: &Release, repository: &str, out: &Path) -> Result<String> {
    let mut blocks = String::new();
    for (system, os) in [("on_macos", "apple-darwin"), ("on_linux", "unknown-linux-gnu")] {
        let mut archives = String::new();
        for (processor, cpu) in [("on_arm", "aarch64"), ("on_intel", "x86_64")] {
            let triple = format!("{cpu}-{os}");
            let target = TARGETS.iter().find(|target| target.triple == triple);
            archives += &formula_archive(release, target.context("a target")?, processor, out)?;
        }
        if !archives.is_empty() {
            blocks += &format!("\n  {system} do\n{archives}  end\n");
        }
    }
    let license =
        release.license.split(" OR ").map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
    Ok(format!(
        "class {TITLE} < Formula
  desc \"{}\"
  homepage \"{repository}\"
  version \"{}\"
  license any_of: [{}]
{blocks}
  def install
    bin.install \"{NAME}\"
    man1.install \"man/{NAME}.1\"
    bash_completion.install \"completions/forebay.bash\" => \"forebay\"
    zsh_completion.install \"completions/_forebay\"
    fish_completion.install \"completions/forebay.fish\"
  end

  test do
    assert_match version.to_s, shell_output(\"#{{bin}}/{NAME} --version\")
  end
end
",
        release.description.trim_end_matches('.'),
        release.version,
        license.join(", "),
    ))
}

fn formula_archive(
    release: &Release,
    target: &Target,
    processor: &str,
    out: &Path,
) -> Result<String> {
    let file = format!("{}.{}", release.stem(target), tarball::EXTENSION);
    if !out.join(&file).exists() {
        return Ok(String::new());
    }
    let address = release.download(&file).context("a release has a repository")?;
    let sum = sha256(&out.join(&file))?;
    Ok(format!("    {processor} do\n      url \"{address}\"\n      sha256 \"{sum}\"\n    end\n"))
}

/// The archive of the feature for development containers: its description, and the installation script that it runs.
/// A container names it by its address in the release.
fn write_feature(release: &Release, repository: &str, script: &str, out: &Path) -> Result<()> {
    let feature = json!({
        "id": NAME,
        "version": release.version,
        "name": TITLE,
        "description": release.description,
        "documentationURL": repository,
        "licenseURL": format!("{repository}/blob/main/LICENSE-MIT"),
        "options": {
            "version": {
                "type": "string",
                "proposals": ["latest", release.version],
                "default": "latest",
                "description": "The version to install",
            },
        },
    });
    let installer = "packaging/devcontainer/install.sh";
    let entries = [
        Entry::text("devcontainer-feature.json", serde_json::to_string_pretty(&feature)? + "\n"),
        Entry { is_executable: true, ..Entry::of_repository("install.sh", installer)? },
        Entry::executable("install-forebay.sh", script.into()),
    ];
    let path = out.join(format!("devcontainer-feature-{NAME}.tgz"));
    archive::write_tar_gz(&path, &entries, release.time)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::process;

    /// A folder with a release whose program is a script that prints its version.
    fn release_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let machine = process::stdout_text(process::command("uname").arg("-m")).unwrap();
        let mut sums = String::new();
        for library in ["gnu", "musl"] {
            let stem = format!("{NAME}-9.9.9-{}-unknown-linux-{library}", machine.trim());
            let program = Entry::executable(
                format!("{stem}/{NAME}"),
                b"#!/bin/sh\necho forebay 9.9.9\n".to_vec(),
            );
            let name = format!("{stem}.{}", tarball::EXTENSION);
            let path = folder.path().join(&name);
            archive::write_tar_gz(&path, &[program], 0).unwrap();
            sums += &format!("{}  {name}\n", sha256(&path).unwrap());
        }
        fs::write(folder.path().join("SHA256SUMS"), sums).unwrap();
        fs::write(folder.path().join("install.sh"), install_script("https://host/r", "").unwrap())
            .unwrap();
        folder
    }

    fn install(cwd: &Path, releases: &str, folder: &str) -> Result<Vec<u8>> {
        let mut script = process::command("sh");
        script.arg(cwd.join("release/install.sh")).current_dir(cwd).env("HOME", cwd);
        script.env("FOREBAY_RELEASES", releases).env("FOREBAY_INSTALL_DIR", folder);
        process::stdout(&mut script)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn install_script_takes_relative_paths() {
        let cwd = tempfile::tempdir().unwrap();
        fs::rename(release_folder().keep(), cwd.path().join("release")).unwrap();
        install(cwd.path(), "release", "bin").unwrap();
        let program = cwd.path().join("bin/forebay");
        assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o111, 0o111);
        let mut names: Vec<_> = fs::read_dir(cwd.path().join("bin"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".forebay.created", "forebay"]);
        let created = fs::read_to_string(cwd.path().join("bin/.forebay.created")).unwrap();
        assert_eq!(created, format!("{}\n", cwd.path().join("bin").display()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn install_script_leaves_the_program_alone_if_the_checksum_is_wrong() {
        let cwd = tempfile::tempdir().unwrap();
        fs::rename(release_folder().keep(), cwd.path().join("release")).unwrap();
        let sums = cwd.path().join("release/SHA256SUMS");
        let text = fs::read_to_string(&sums).unwrap();
        let wrong: String =
            text.lines().map(|line| format!("{}{}\n", "0".repeat(64), &line[64..])).collect();
        fs::write(&sums, wrong).unwrap();
        fs::create_dir(cwd.path().join("bin")).unwrap();
        fs::write(cwd.path().join("bin/forebay"), "before").unwrap();
        install(cwd.path(), "release", "bin").unwrap_err();
        assert_eq!(fs::read_to_string(cwd.path().join("bin/forebay")).unwrap(), "before");
    }
}
