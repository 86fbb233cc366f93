//! Files of the repository that repeat something of the table: the plugins of agents, the metadata for cargo-binstall, the
//! Nix flake and the container image.

use std::fs;

use anyhow::{Context, Result};

use super::Claims;
use super::files::{json, text};
use crate::dist::release::{AUTHORS, NAME, TARGETS, TITLE};
use crate::dist::tarball;
use crate::workspace;

pub(super) fn read(claims: &mut Claims<'_>) -> Result<()> {
    plugins(claims)?;
    binstall(claims)?;
    flake(claims)?;
    image(claims)
}

fn source(path: &str) -> Result<String> {
    fs::read_to_string(workspace::root().join(path)).with_context(|| path.to_owned())
}

/// The plugins of Claude Code and Codex CLI, and the marketplaces that list them.
fn plugins(claims: &mut Claims<'_>) -> Result<()> {
    for file in [
        "plugins/claude-code/.claude-plugin/plugin.json",
        "plugins/codex/.codex-plugin/plugin.json",
    ] {
        let manifest = json(source(file)?.as_bytes())?;
        claims.name(file, text(&manifest, "/name"));
        claims.version(file, text(&manifest, "/version"));
        claims.license(file, text(&manifest, "/license"));
        claims.equal(file, "the author", text(&manifest, "/author/name"), AUTHORS);
    }
    for file in [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"] {
        let market = json(source(file)?.as_bytes())?;
        claims.name(file, text(&market, "/name"));
        claims.name(file, text(&market, "/plugins/0/name"));
    }
    Ok(())
}

/// `cargo binstall` makes the address of the archive from a template, and looks for the program in it.
fn binstall(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = "crates/forebay/Cargo.toml";
    let manifest: toml::Table = source(FILE)?.parse()?;
    let metadata = &manifest["package"]["metadata"]["binstall"];
    let template = |key: &str| metadata[key].as_str().unwrap_or_default().to_owned();
    for target in &TARGETS {
        let filled = |key: &str| {
            [("name", NAME), ("bin", NAME), ("version", claims.release.version.as_str())]
                .iter()
                .chain(&[("target", target.triple), ("repo", "https://host/repository")])
                .fold(template(key), |text, (name, value)| {
                    text.replace(&format!("{{ {name} }}"), value)
                })
        };
        let stem = claims.release.stem(target);
        let address = format!(
            "https://host/repository/releases/download/v{}/{stem}.{}",
            claims.release.version,
            tarball::EXTENSION
        );
        let (url, folder) = (filled("pkg-url"), filled("bin-dir"));
        claims.equal(FILE, "pkg-url", url, address);
        claims.equal(FILE, "bin-dir", folder, format!("{stem}/{NAME}"));
    }
    Ok(())
}

/// The flake takes the version from the workspace's manifest.
fn flake(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = "flake.nix";
    let flake = source(FILE)?;
    let descriptions =
        flake.lines().filter_map(|line| line.trim().strip_prefix("description = \""));
    for description in descriptions {
        claims.description(FILE, description.trim_end_matches("\";"));
    }
    claims.contains(FILE, &flake, "(nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;");
    claims.contains(FILE, &flake, "inherit (manifest) version;");
    claims.contains(FILE, &flake, "license = with pkgs.lib.licenses; [ mit asl20 ];");
    claims.contains(FILE, &flake, &format!("mainProgram = \"{NAME}\";"));
    Ok(())
}

/// The workflow builds the image from the released programs, and passes the version.
fn image(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = "packaging/container/Dockerfile";
    let image = source(FILE)?;
    let label = |name: &str| {
        let start = format!("org.opencontainers.image.{name}=\"");
        let rest = image.split_once(&start).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    claims.equal(FILE, "the title", label("title"), TITLE);
    claims.equal(FILE, "the version", label("version"), "$VERSION");
    claims.description(FILE, &label("description"));
    claims.license(FILE, &label("licenses"));
    Ok(())
}
