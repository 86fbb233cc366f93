//! Remembers where agents were set up, so that all of it can be taken back from any folder and under any environment.

use std::fs;
use std::io;
use std::path::PathBuf;

use forebay_platforms::setup::Level;
use forebay_store::{Home, control_file};
use serde::{Deserialize, Serialize};

/// The name of the record in the data folder: a JSON object on each line.
const RECORD: &str = "set-up-locations";

/// Where a set-up is: in a user's own settings, or in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Location {
    pub(super) home: PathBuf,
    /// None for the user's own settings.
    pub(super) project: Option<PathBuf>,
    /// The variables that relocated folders of agents.
    pub(super) variables: Vec<(String, String)>,
}

impl Location {
    pub(super) fn level(&self) -> Level {
        if self.project.is_some() { Level::Project } else { Level::User }
    }
}

/// The record of locations.
#[derive(Clone)]
pub(super) struct Locations {
    data: Home,
}

impl Locations {
    pub(super) fn new(data: Home) -> Self {
        Self { data }
    }

    /// Returns every location; a line that cannot be parsed counts as none.
    pub(super) fn all(&self) -> Vec<Location> {
        let text = control_file::read_state(&self.file()).ok().flatten().unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(super) fn add(&self, location: Location) -> io::Result<()> {
        let mut all = self.all();
        if all.contains(&location) {
            return Ok(());
        }
        all.push(location);
        self.write(&all)
    }

    pub(super) fn remove(&self, location: &Location) -> io::Result<()> {
        let mut all = self.all();
        let count = all.len();
        all.retain(|one| one != location);
        if all.len() == count { Ok(()) } else { self.write(&all) }
    }

    fn write(&self, locations: &[Location]) -> io::Result<()> {
        if locations.is_empty() {
            return fs::remove_file(self.file());
        }
        self.data.create().map_err(io::Error::other)?;
        let lines: Result<Vec<String>, _> = locations.iter().map(serde_json::to_string).collect();
        fs::write(self.file(), lines?.join("\n") + "\n")
    }

    fn file(&self) -> PathBuf {
        self.data.root().join(RECORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_remembered_once_and_the_record_ends_with_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let record = Locations::new(Home::new(folder.path().join("data")));
        let own = Location { home: "/home/user".into(), project: None, variables: Vec::new() };
        let project = Location { project: Some("/home/user/p\nq".into()), ..own.clone() };
        for location in [&own, &project, &own] {
            record.add(location.clone()).unwrap();
        }
        assert_eq!(record.all(), [own.clone(), project.clone()]);
        record.remove(&own).unwrap();
        record.remove(&own).unwrap();
        assert_eq!(record.all(), std::slice::from_ref(&project));
        record.remove(&project).unwrap();
        assert!(!record.file().exists());
    }
}
