//! A folder with a project and a home in it, for tests of what is read there.

use std::fs;

use super::Environment;

pub(super) struct TestEnv {
    pub(super) folder: tempfile::TempDir,
}

impl TestEnv {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// The project `p`, seen from one of its folders.
    pub(super) fn environment(&self, cwd: &str) -> Environment {
        let root = self.folder.path();
        Environment {
            cwd: root.join(cwd),
            root: root.join("p"),
            home: Some(root.join("home")),
            system_root: Some(root.to_owned()),
            variable: |_| None,
        }
    }
}
