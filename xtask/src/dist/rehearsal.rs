//! The steps of the release workflow that publish, run on packages of all targets. What would reach the network (gh,
//! docker, pipx, npm's registry) is a script that writes down how it was called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::test_release::{TestRelease, can_pack, release};
use crate::{process, system_packages, workspace};

/// Writes its name, its arguments and what the image would get; npm also checks each package.
const STUB: &str = r#"#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
if [ "$(basename "$0")" = npm ]; then
    for package; do :; done
    exec "$REAL_NPM" publish --dry-run --offline "$package"
fi
"#;

/// A folder in which a job runs.
struct Job {
    folder: tempfile::TempDir,
    version: String,
}

impl Job {
    fn new(version: &str) -> Self {
        let job = Self { folder: tempfile::tempdir().unwrap(), version: version.to_owned() };
        fs::create_dir(job.path("bin")).unwrap();
        for name in ["gh", "docker", "pipx", "npm"] {
            let stub = job.path("bin").join(name);
            fs::write(&stub, STUB).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a step of the workflow as the runner does, and returns the calls that it made.
    fn run(&self, step: &str, folder: &Path) -> Vec<String> {
        let inherited = std::env::var("PATH").unwrap();
        let npm = system_packages::find_on_path("npm").unwrap_or_default();
        let mut bash = process::command("bash");
        bash.args(["-eo", "pipefail", "-c", &script(step)]).current_dir(folder);
        bash.env("PATH", format!("{}:{inherited}", self.path("bin").display()));
        bash.env("CALLS", self.path("calls")).env("REAL_NPM", npm).env("HOME", self.folder.path());
        bash.env("GITHUB_REF_NAME", format!("v{}", self.version)).env("GITHUB_ACTOR", "own");
        bash.env("GITHUB_REPOSITORY", "Own/forebay")
            .env("IMAGE", "ghcr.io/Own/forebay")
            .env("TOKEN", "t");
        process::stdout(&mut bash).unwrap();
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let _ = fs::remove_file(self.path("calls"));
        calls.lines().map(str::to_owned).collect()
    }
}

/// The script of the step with this name: the word after `run:`, or the block below it.
fn script(step: &str) -> String {
    let workflow =
        fs::read_to_string(workspace::root().join(".github/workflows/release.yml")).unwrap();
    let (_, rest) = workflow.split_once(&format!("- name: {step}\n")).unwrap();
    let (before, rest) = rest.split_once("run: ").unwrap();
    assert!(!before.contains("- name: "), "{step} has no script");
    let (first, block) = rest.split_once('\n').unwrap();
    if first != "|" {
        return first.to_owned();
    }
    let indent = block.len() - block.trim_start().len();
    let is_inside =
        |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= indent;
    block.lines().take_while(is_inside).map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_package_is_published_once_and_in_order() {
    if !can_pack() {
        return;
    }
    if !system_packages::is_on_path("npm") {
        return forebay_test_support::skip("npm is not installed");
    }
    let packed = TestRelease::new(release());
    let version = packed.release.version.as_str();
    let job = Job::new(version);

    let calls = job.run("Publish the release", &packed.out());
    let [call] = calls.as_slice() else { panic!("{calls:?}") };
    let start =
        format!("gh release create v{version} --repo Own/forebay --verify-tag --generate-notes ");
    let mut files: Vec<&str> = call.strip_prefix(&start).unwrap().split(' ').collect();
    files.sort_unstable();
    let names = packed.names();
    assert_eq!(files, names.iter().map(|name| format!("./{name}")).collect::<Vec<_>>());

    let calls = job.run("The platforms first, since the package forebay names them", &packed.out());
    let packages = names.iter().filter(|name| name.ends_with(&format!("-{version}.tgz")));
    assert_eq!(calls.len(), packages.count(), "{calls:?}");
    let launcher = format!("npm publish --access public --provenance forebay-{version}.tgz");
    assert_eq!(calls.last(), Some(&launcher), "{calls:?}");

    let calls = job.run("Publish the wheels", &packed.out());
    let is_wheel = |name: &&String| Path::new(name).extension().is_some_and(|end| end == "whl");
    let wheels = names.iter().filter(is_wheel);
    let wheels: String = wheels.map(|name| format!(" ./{name}")).collect();
    assert_eq!(calls, [format!("pipx run uv publish --trusted-publishing always{wheels}")]);
}

#[test]
fn the_image_gets_the_static_programs_and_the_version() {
    if !can_pack() {
        return;
    }
    let packed = TestRelease::new(release());
    let job = Job::new(&packed.release.version);
    fs::rename(packed.out(), job.path("release")).unwrap();
    job.run("The static programs, by the names that Docker has for processors", job.folder.path());
    for processor in ["amd64", "arm64"] {
        let program = job.path("programs").join(processor).join("forebay");
        assert!(process::succeeds(&mut process::command(program)), "{processor}");
    }
    let calls = job.run("Build and push", job.folder.path()).join("\n");
    for wanted in [
        "login ghcr.io --username own --password-stdin",
        "--file packaging/container/Dockerfile --platform linux/amd64,linux/arm64",
        &format!("--build-arg VERSION={} ", packed.release.version),
        &format!(
            "--tag ghcr.io/own/forebay:v{} --tag ghcr.io/own/forebay:latest --push .",
            packed.release.version
        ),
    ] {
        assert!(calls.contains(wanted), "{wanted}: {calls}");
    }
}
