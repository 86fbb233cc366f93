//! Descriptions of a release for other people's catalogues: Homebrew, the MCP registry, development containers, and the
//! installation script. They name addresses, so they need the repository's.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::checksums::sha256;
use super::release::{NAME, Release, TARGETS, TITLE, Target};
use super::{bundle, tarball};
use crate::{console, workspace};

/// The key that release workflows sign with, as `minisign` prints it.
const PUBLIC_KEY_VARIABLE: &str = "FOREBAY_RELEASE_KEY";

pub(super) fn write(release: &Release, out: &Path) -> Result<()> {
    let Some(repository) = &release.repository else {
        console::line(
            "without --repository: no install.sh, server.json, Homebrew formula, development container feature",
        );
        return Ok(());
    };
    let script = install_script(repository)?;
    fs::write(out.join("install.sh"), &script)?;
    fs::write(out.join("forebay.rb"), formula(release, repository, out)?)?;
    if let Some(name) = release.registry_name() {
        write_json(&out.join("server.json"), &server(release, &name, repository, out)?)?;
    }
    write_feature(release, repository, &script, &out.join("devcontainer/forebay"))
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    Ok(fs::write(path, serde_json::to_string_pretty(value)? + "\n")?)
}

fn install_script(repository: &str) -> Result<String> {
    let script = fs::read_to_string(workspace::root().join("packaging/install.sh"))?;
    let key = std::env::var(PUBLIC_KEY_VARIABLE).unwrap_or_default();
    Ok(script.replace("@REPOSITORY@", repository).replace("@PUBLIC_KEY@", &key))
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

/// The feature for development containers: its description, and the installation script that it runs.
fn write_feature(release: &Release, repository: &str, script: &str, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
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
    write_json(&folder.join("devcontainer-feature.json"), &feature)?;
    fs::copy(
        workspace::root().join("packaging/devcontainer/install.sh"),
        folder.join("install.sh"),
    )?;
    Ok(fs::write(folder.join("install-forebay.sh"), script)?)
}
