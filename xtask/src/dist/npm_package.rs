//! The npm packages: one with the program for each platform, and `forebay`, which depends on all of them.
//!
//! npm installs only the one that fits, and `install.js` links its program to the place of the command.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::archive::{self, Entry};
use super::program::Program;
use super::release::{AUTHORS, KEYWORDS, NAME, Release, TARGETS, Target};

const SOURCES: &str = "packaging/npm";

pub(super) fn write_platform(
    release: &Release,
    target: &Target,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    let npm = &target.npm;
    let mut manifest = manifest(release, &npm.package());
    manifest["os"] = json!([npm.os]);
    manifest["cpu"] = json!([npm.cpu]);
    if let Some(libc) = npm.libc {
        manifest["libc"] = json!([libc]);
    }
    let program = Entry::executable(format!("package/bin/{NAME}"), program.bytes.clone());
    write(release, &manifest, vec![program], out)
}

pub(super) fn write_launcher(release: &Release, out: &Path) -> Result<PathBuf> {
    let mut manifest = manifest(release, NAME);
    manifest["bin"] = json!({ NAME: format!("bin/{NAME}") });
    manifest["scripts"] = json!({ "postinstall": "node install.js" });
    manifest["optionalDependencies"] = platforms(release);
    manifest["engines"] = json!({ "node": ">=18" });
    if let Some(name) = release.registry_name() {
        manifest["mcpName"] = json!(name);
    }
    let launcher =
        Entry::of_repository(format!("package/bin/{NAME}"), &format!("{SOURCES}/forebay.js"))?;
    let mut entries = vec![Entry { is_executable: true, ..launcher }];
    for name in ["install.js", "platform.js"] {
        entries
            .push(Entry::of_repository(format!("package/{name}"), &format!("{SOURCES}/{name}"))?);
    }
    write(release, &manifest, entries, out)
}

fn platforms(release: &Release) -> Value {
    let pinned = |target: &Target| (target.npm.package(), json!(release.version));
    Value::Object(TARGETS.iter().map(pinned).collect::<Map<_, _>>())
}

fn manifest(release: &Release, name: &str) -> Value {
    let mut manifest = json!({
        "name": name,
        "version": release.version,
        "description": release.description,
        "author": AUTHORS,
        "license": release.license,
        "keywords": KEYWORDS,
    });
    if let Some(url) = &release.repository {
        manifest["repository"] = json!({ "type": "git", "url": format!("git+{url}.git") });
    }
    manifest
}

fn write(release: &Release, manifest: &Value, files: Vec<Entry>, out: &Path) -> Result<PathBuf> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    let mut entries = vec![Entry::text("package/package.json", text)];
    entries.extend(files);
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        entries.push(Entry::of_repository(format!("package/{name}"), name)?);
    }
    let path = out.join(file_name(manifest["name"].as_str().unwrap_or(NAME), release));
    archive::write_tar_gz(&path, &entries, release.time)?;
    Ok(path)
}

/// The name that `npm pack` gives a package.
pub(super) fn file_name(package: &str, release: &Release) -> String {
    format!("{}-{}.tgz", package.trim_start_matches('@').replace('/', "-"), release.version)
}
