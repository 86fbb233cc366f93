//! A folder with a project and a home in it, for tests of what is read there.

use std::fs;

use super::Place;

pub(super) struct Stage {
    pub(super) folder: tempfile::TempDir,
}

impl Stage {
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
    pub(super) fn place(&self, cwd: &str) -> Place {
        let root = self.folder.path();
        Place {
            cwd: root.join(cwd),
            root: root.join("p"),
            home: Some(root.join("home")),
            system_root: Some(root.to_owned()),
            variable: |_| None,
        }
    }
}
