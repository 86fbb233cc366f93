//! A release for tests, with a script in the place of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::program::Program;
use super::release::{Release, TARGETS};
use super::{checksums, manifests, pack_all};
use crate::system_packages;

/// The packages of all targets in a folder.
pub(super) struct TestRelease {
    pub(super) release: Release,
    folder: TempDir,
}

impl TestRelease {
    pub(super) fn new(release: Release) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let packed = Self { release, folder };
        fs::create_dir(packed.out()).unwrap();
        let program = program(packed.folder.path(), &packed.release.version);
        for target in &TARGETS {
            pack_all(&packed.release, target, &program, &packed.out()).unwrap();
        }
        manifests::write(&packed.release, "KEY", &packed.out()).unwrap();
        checksums::write(&packed.release, &packed.out()).unwrap();
        packed
    }

    /// Where the packages are.
    pub(super) fn out(&self) -> PathBuf {
        self.folder.path().join("packages")
    }

    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.out()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// This workspace as it would be released on GitHub.
pub(super) fn release() -> Release {
    Release::read(Some("https://github.com/Own/forebay".to_owned())).unwrap()
}

/// Whether the tools of all package formats are there; otherwise the test is skipped.
pub(super) fn can_pack() -> bool {
    let can = ["dpkg-deb", "rpmbuild"].iter().all(|program| system_packages::is_on_path(program));
    if !can {
        forebay_test_support::skip("dpkg-deb or rpmbuild is not installed");
    }
    can
}

/// A program that prints its version, whatever else it is asked for.
fn program(folder: &Path, version: &str) -> Program {
    let path = folder.join("forebay");
    fs::write(&path, format!("#!/bin/sh\necho forebay {version}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Program::read(path).unwrap()
}
