//! Takes back every set-up: the user's own and those of all projects that `forebay init` knows of.

use std::path::{Path, PathBuf};

use forebay_platforms::PLATFORMS;
use forebay_platforms::setup::{self, Level};

use super::locations::Location;
use super::plan::Drafts;
use super::{Machine, Plan, WriteError};

/// What taking back every set-up would change.
pub struct Uninstall {
    pub plan: Plan,
    /// Projects in which agents were set up and whose folders are gone.
    pub missing: Vec<PathBuf>,
    locations: Vec<Location>,
}

impl Uninstall {
    pub fn plan(machine: &Machine) -> Self {
        let (missing, locations): (Vec<_>, Vec<_>) =
            locations(machine).into_iter().partition(Location::is_missing);
        let mut drafts = Drafts::default();
        for location in &locations {
            let (there, level) = (machine.relocated(location), location.level());
            let steps = PLATFORMS.iter().flat_map(|agent| setup::steps(agent, level));
            steps.for_each(|step| drafts.take_back(&there, &step));
        }
        let missing = missing.into_iter().filter_map(|location| location.project).collect();
        Self { plan: drafts.into_plan(), missing, locations }
    }

    /// Applies the changes and forgets the locations; returns why files were not written.
    pub fn apply(&self, machine: &Machine) -> Vec<WriteError> {
        let failed = self.plan.apply(machine);
        if failed.is_empty() && self.plan.faults.is_empty() {
            for location in &self.locations {
                // What stays in the record is looked for again, without harm.
                let _ = machine.locations.remove(location);
            }
        }
        failed
    }
}

/// Where agents may be set up: what was recorded, and what this environment and folder say.
fn locations(machine: &Machine) -> Vec<Location> {
    let mut locations = machine.locations.all();
    let levels = [Level::User, Level::Project];
    let levels = levels.iter().filter(|level| **level == Level::User || machine.has_project());
    for here in levels.map(|level| machine.location(*level)) {
        if !locations.contains(&here) {
            locations.push(here);
        }
    }
    locations
}

impl Location {
    fn is_missing(&self) -> bool {
        self.project.as_deref().is_some_and(|project: &Path| !project.is_dir())
    }
}
