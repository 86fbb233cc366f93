//! The packages: each says the same about itself, and those of one target have the same program.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::Claims;
use super::files::{in_tar, in_tar_gz, in_zip, json, sha256, text};
use crate::dist::release::{NAME, TARGETS, Target};
use crate::dist::{bundle, npm_package, tarball};
use crate::process;

pub(super) fn read(claims: &mut Claims<'_>) -> Result<()> {
    let is_packed = |target: &&Target| claims.out.join(archive_name(claims, target)).exists();
    let packed: Vec<&Target> = TARGETS.iter().filter(is_packed).collect();
    for target in packed {
        let archive = archive_name(claims, target);
        let name = format!("{}/{NAME}", claims.release.stem(target));
        let program = sha256(&in_tar_gz(&claims.out.join(&archive), &name).context(archive)?);
        npm_platform(claims, target, &program)?;
        wheel(claims, target, &program)?;
        mcp_bundle(claims, target, &program)?;
        if let Some(architecture) = target.debian {
            deb(claims, architecture, &program)?;
        }
        if let Some(architecture) = target.rpm {
            rpm(claims, architecture, &program)?;
        }
    }
    npm_launcher(claims)
}

fn archive_name(claims: &Claims<'_>, target: &Target) -> String {
    format!("{}.{}", claims.release.stem(target), tarball::EXTENSION)
}

fn path(claims: &Claims<'_>, file: &str) -> PathBuf {
    claims.out.join(file)
}

impl Claims<'_> {
    fn program(&mut self, file: &str, found: &str, wanted: &str) {
        self.equal(file, "the program", found, wanted);
    }

    /// What `package.json`, the manifest of a bundle and the like have in common.
    fn manifest(&mut self, file: &str, manifest: &Value) {
        self.version(file, text(manifest, "/version"));
        self.description(file, text(manifest, "/description"));
        self.license(file, text(manifest, "/license"));
    }

    fn npm_repository(&mut self, file: &str, manifest: &Value) {
        let found = text(manifest, "/repository/url");
        let found = found.trim_start_matches("git+").trim_end_matches(".git");
        self.repository(file, found);
    }
}

fn npm_platform(claims: &mut Claims<'_>, target: &Target, program: &str) -> Result<()> {
    let npm = &target.npm;
    let file = npm_package::file_name(&npm.package(), claims.release);
    let manifest = json(&in_tar_gz(&path(claims, &file), "package/package.json")?)?;
    claims.equal(&file, "the name", text(&manifest, "/name"), npm.package());
    claims.manifest(&file, &manifest);
    claims.npm_repository(&file, &manifest);
    for (key, wanted) in [("os", Some(npm.os)), ("cpu", Some(npm.cpu)), ("libc", npm.libc)] {
        let wanted = wanted.map_or(Value::Null, |one| json!([one]));
        claims.equal(&file, key, manifest[key].to_string(), wanted.to_string());
    }
    let found = in_tar_gz(&path(claims, &file), &format!("package/bin/{NAME}"))?;
    claims.program(&file, &sha256(&found), program);
    Ok(())
}

fn npm_launcher(claims: &mut Claims<'_>) -> Result<()> {
    let file = npm_package::file_name(NAME, claims.release);
    let manifest = json(&in_tar_gz(&path(claims, &file), "package/package.json")?)?;
    claims.name(&file, text(&manifest, "/name"));
    claims.manifest(&file, &manifest);
    claims.npm_repository(&file, &manifest);
    let registry_name = claims.release.registry_name().unwrap_or_default();
    claims.equal(&file, "mcpName", text(&manifest, "/mcpName"), registry_name);
    let version = &claims.release.version;
    let wanted: Map<_, _> =
        TARGETS.iter().map(|target| (target.npm.package(), json!(version))).collect();
    let found = manifest["optionalDependencies"].to_string();
    claims.equal(&file, "optionalDependencies", found, Value::Object(wanted).to_string());
    Ok(())
}

fn wheel(claims: &mut Claims<'_>, target: &Target, program: &str) -> Result<()> {
    let version = claims.release.version.clone();
    let file = format!("{NAME}-{version}-py3-none-{}.whl", target.wheel);
    // The folder's name has the version: look it up as an installer does.
    let folder = format!("{NAME}-{version}");
    let read = |name: String| in_zip(&path(claims, &file), &name);
    let (Ok(metadata), Ok(tags)) =
        (read(format!("{folder}.dist-info/METADATA")), read(format!("{folder}.dist-info/WHEEL")))
    else {
        claims.equal(&file, "the folder of metadata", "not there", format!("{folder}.dist-info"));
        return Ok(());
    };
    let (metadata, tags) = (String::from_utf8(metadata)?, String::from_utf8(tags)?);
    let field = |name: &str| line_value(&metadata, name);
    claims.name(&file, field("Name: "));
    claims.version(&file, field("Version: "));
    claims.description(&file, field("Summary: "));
    claims.license(&file, field("License-Expression: "));
    claims.repository(&file, field("Project-URL: Source, "));
    let tag = format!("py3-none-{}", target.wheel);
    claims.equal(&file, "the tag", line_value(&tags, "Tag: "), tag);
    if let Some(name) = claims.release.registry_name() {
        claims.contains(&file, &metadata, &format!("mcp-name: {name} "));
    }
    let found = in_zip(&path(claims, &file), &format!("{folder}.data/scripts/{NAME}"))?;
    claims.program(&file, &sha256(&found), program);
    Ok(())
}

/// The rest of the first line that starts so.
fn line_value<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default()
}

fn mcp_bundle(claims: &mut Claims<'_>, target: &Target, program: &str) -> Result<()> {
    let file = format!("{}.{}", claims.release.stem(target), bundle::EXTENSION);
    let manifest = json(&in_zip(&path(claims, &file), "manifest.json")?)?;
    claims.name(&file, text(&manifest, "/name"));
    claims.manifest(&file, &manifest);
    claims.repository(&file, text(&manifest, "/repository/url"));
    let platform = text(&manifest, "/compatibility/platforms/0");
    claims.equal(&file, "the platform", platform, target.npm.os);
    let entry = text(&manifest, "/server/entry_point");
    claims.program(&file, &sha256(&in_zip(&path(claims, &file), entry)?), program);
    Ok(())
}

fn deb(claims: &mut Claims<'_>, architecture: &str, program: &str) -> Result<()> {
    let file = format!("{NAME}_{}_{architecture}.deb", claims.release.version);
    let field = |name: &str| -> Result<String> {
        let mut dpkg = process::command("dpkg-deb");
        let text = process::stdout_text(dpkg.arg("--field").arg(path(claims, &file)).arg(name))?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    };
    let (name, version, built_for) = (field("Package")?, field("Version")?, field("Architecture")?);
    let (homepage, description) = (field("Homepage")?, field("Description")?);
    claims.name(&file, &name);
    claims.version(&file, &version);
    claims.equal(&file, "the architecture", built_for, architecture);
    claims.repository(&file, &homepage);
    claims.description(&file, &description);
    let mut dpkg = process::command("dpkg-deb");
    let files = process::stdout(dpkg.arg("--fsys-tarfile").arg(path(claims, &file)))?;
    let found = in_tar(files.as_slice(), &format!("usr/bin/{NAME}"))?;
    claims.program(&file, &sha256(&found), program);
    Ok(())
}

fn rpm(claims: &mut Claims<'_>, architecture: &str, program: &str) -> Result<()> {
    const FIELDS: &str = "%{NAME}\n%{VERSION}\n%{ARCH}\n%|URL?{%{URL}}|\n%{SUMMARY}\n%{LICENSE}\n[%{FILENAMES} %{FILEDIGESTS}\n]";
    let file = format!("{NAME}-{}-1.{architecture}.rpm", claims.release.version);
    let mut rpm = process::command("rpm");
    rpm.args(["--query", "--package", "--nosignature", "--queryformat", FIELDS]);
    let printed = process::stdout_text(rpm.arg(path(claims, &file)))?;
    let mut lines = printed.lines();
    let mut next = || lines.next().unwrap_or_default();
    claims.name(&file, next());
    claims.version(&file, next());
    claims.equal(&file, "the architecture", next(), architecture);
    claims.repository(&file, next());
    claims.description(&file, next());
    claims.license(&file, next());
    claims.program(&file, line_value(&printed, &format!("/usr/bin/{NAME} ")), program);
    Ok(())
}
