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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Installs both packages for Linux beside the launcher, as versions of npm before 10 do.
    fn installed(folder: &Path) {
        let names = ["@forebay/linux-x64", "@forebay/linux-x64-musl"];
        let optional: Map<_, _> =
            names.map(|name| (name.to_owned(), json!("1.0.0"))).into_iter().collect();
        fs::write(
            folder.join("package.json"),
            json!({ "optionalDependencies": optional }).to_string(),
        )
        .unwrap();
        let source = crate::workspace::root().join(SOURCES).join("platform.js");
        fs::copy(source, folder.join("platform.js")).unwrap();
        for name in names {
            let package = folder.join("node_modules").join(name);
            fs::create_dir_all(package.join("bin")).unwrap();
            fs::write(package.join("package.json"), json!({ "name": name }).to_string()).unwrap();
            fs::write(package.join("bin/forebay"), "").unwrap();
        }
    }

    /// The program that the launcher finds on a machine with this header of Node.js's report.
    fn found(folder: &Path, header: &Value) -> String {
        let script = format!(
            "for (const [key, value] of [['platform', 'linux'], ['arch', 'x64']]) \
               Object.defineProperty(process, key, {{ value }}); \
             process.report.getReport = () => ({{ header: {header} }}); \
             console.log(require('./platform.js').findProgram())"
        );
        let mut node = crate::process::command("node");
        crate::process::stdout_text(node.args(["-e", &script]).current_dir(folder)).unwrap()
    }

    #[test]
    fn launcher_takes_the_program_for_the_c_library() {
        if !crate::process::succeeds(crate::process::command("node").arg("--version")) {
            return forebay_test_support::skip("node is not installed");
        }
        let folder = tempfile::tempdir().unwrap();
        installed(folder.path());
        let gnu = found(folder.path(), &json!({ "glibcVersionRuntime": "2.36" }));
        assert!(gnu.contains("/linux-x64/bin"), "{gnu}");
        let musl = found(folder.path(), &json!({}));
        assert!(musl.contains("/linux-x64-musl/bin"), "{musl}");
    }
}
