//! What describes the packages for other people's catalogues, for `forebay upgrade` and for the install script: it
//! names those that are there, by their addresses and checksums.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Claims;
use super::files::{in_tar_gz, json, sha256, text};
use crate::dist::release::{NAME, TARGETS};
use crate::dist::{bundle, checksums, tarball};

pub(super) fn read(claims: &mut Claims<'_>) -> Result<()> {
    release_manifest(claims)?;
    sums(claims)?;
    let Some(repository) = claims.release.repository.clone() else { return Ok(()) };
    install_script(claims, &repository)?;
    if claims.release.registry_name().is_some() {
        registry_entry(claims)?;
    }
    formula(claims, &repository)?;
    feature(claims)
}

impl Claims<'_> {
    fn text_of(&self, file: &str) -> Result<String> {
        fs::read_to_string(self.out.join(file)).with_context(|| file.to_owned())
    }

    /// The checksum of a package; nothing, if there is none.
    fn sum_of(&self, file: &str) -> String {
        fs::read(self.out.join(file)).map(|bytes| sha256(&bytes)).unwrap_or_default()
    }

    /// The packages of all targets with this extension that are there.
    fn packages(&self, extension: &str) -> Vec<(&'static str, String)> {
        let name = |triple, stem: String| (triple, format!("{stem}.{extension}"));
        let all = TARGETS.iter().map(|target| name(target.triple, self.release.stem(target)));
        all.filter(|(_, name)| self.out.join(name).exists()).collect()
    }
}

fn release_manifest(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = checksums::MANIFEST;
    let manifest = json(claims.text_of(FILE)?.as_bytes())?;
    claims.version(FILE, text(&manifest, "/version"));
    for (triple, name) in claims.packages(tarball::EXTENSION) {
        let archive = &manifest["archives"][triple];
        claims.equal(FILE, triple, text(archive, "/name"), &name);
        let sum = claims.sum_of(&name);
        claims.equal(FILE, triple, text(archive, "/sha256"), sum);
    }
    Ok(())
}

fn sums(claims: &mut Claims<'_>) -> Result<()> {
    for line in claims.text_of(checksums::SUMS)?.lines() {
        let (sum, name) = line.split_once("  ").unwrap_or_default();
        let found = claims.sum_of(name);
        claims.equal(checksums::SUMS, name, sum, found);
    }
    Ok(())
}

fn install_script(claims: &mut Claims<'_>, repository: &str) -> Result<()> {
    let script = claims.text_of("install.sh")?;
    claims.contains("install.sh", &script, &format!("repository=\"{repository}\""));
    Ok(())
}

/// The entry of the MCP registry.
fn registry_entry(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = "server.json";
    let entry = json(claims.text_of(FILE)?.as_bytes())?;
    let name = claims.release.registry_name().unwrap_or_default();
    claims.equal(FILE, "the name", text(&entry, "/name"), name);
    claims.version(FILE, text(&entry, "/version"));
    claims.description(FILE, text(&entry, "/description"));
    claims.repository(FILE, text(&entry, "/repository/url"));
    let listed = entry["packages"].as_array().map_or(&[][..], Vec::as_slice);
    for package in listed {
        claims.version(FILE, text(package, "/version"));
    }
    let of =
        |kind: &'static str| listed.iter().filter(move |one| text(one, "/registryType") == kind);
    for kind in ["npm", "pypi"] {
        claims.equal(
            FILE,
            kind,
            of(kind).map(|one| text(one, "/identifier")).collect::<String>(),
            NAME,
        );
    }
    let found = of("mcpb").map(bundle_of).collect::<Vec<_>>().join(", ");
    let wanted = claims.packages(bundle::EXTENSION).into_iter().map(|(_, name)| {
        let address = claims.release.download(&name).unwrap_or_default();
        format!("{address} {}", claims.sum_of(&name))
    });
    let wanted = wanted.collect::<Vec<_>>().join(", ");
    claims.equal(FILE, "the bundles", found, wanted);
    Ok(())
}

fn bundle_of(package: &Value) -> String {
    format!("{} {}", text(package, "/identifier"), text(package, "/fileSha256"))
}

/// The Homebrew formula.
fn formula(claims: &mut Claims<'_>, repository: &str) -> Result<()> {
    const FILE: &str = "forebay.rb";
    let formula = claims.text_of(FILE)?;
    let value = |name: &str| {
        let lines = formula.lines().map(str::trim);
        let mut values = lines.filter_map(|line| line.strip_prefix(&format!("{name} \"")));
        values.next().unwrap_or_default().trim_end_matches('"').to_owned()
    };
    claims.version(FILE, &value("version"));
    claims.description(FILE, &value("desc"));
    claims.equal(FILE, "the home page", value("homepage"), repository);
    for license in claims.release.license.clone().split(" OR ") {
        claims.contains(FILE, &formula, &format!("\"{license}\""));
    }
    for (triple, name) in claims.packages(tarball::EXTENSION) {
        if !triple.contains("musl") {
            let address = claims.release.download(&name).unwrap_or_default();
            let block = format!("url \"{address}\"\n      sha256 \"{}\"", claims.sum_of(&name));
            claims.contains(FILE, &formula, &block);
        }
    }
    Ok(())
}

/// The feature for development containers.
fn feature(claims: &mut Claims<'_>) -> Result<()> {
    const FILE: &str = "devcontainer-feature-forebay.tgz";
    let archive = claims.out.join(FILE);
    let feature = json(&in_tar_gz(&archive, "devcontainer-feature.json")?)?;
    claims.name(FILE, text(&feature, "/id"));
    claims.version(FILE, text(&feature, "/version"));
    claims.description(FILE, text(&feature, "/description"));
    claims.repository(FILE, text(&feature, "/documentationURL"));
    let script = String::from_utf8(in_tar_gz(&archive, "install-forebay.sh")?)?;
    let released = claims.text_of("install.sh")?;
    claims.equal(FILE, "its install script", script, released);
    Ok(())
}
