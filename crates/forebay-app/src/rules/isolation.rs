//! Holding: what a run of this caller can touch and use up, from the settings and the project.

use std::path::{Path, PathBuf};

use forebay_sandbox::{Isolation, Limits, Profile};

use crate::rules::InForce;
use crate::{App, rules, settings};

const MEGABYTE: u64 = 1024 * 1024;

/// The isolation of a run under `profile` and the rules in force.
pub(crate) fn isolation(app: &App, profile: Profile, in_force: &InForce) -> Isolation {
    if profile == Profile::Off {
        return Isolation::default();
    }
    let settings = &app.settings.isolation;
    let paths = |texts: &[String]| texts.iter().map(|text| path(app, text)).collect::<Vec<_>>();
    let by_rules = rules::unreachable(app, in_force);
    let mut deny = paths(&settings.deny);
    deny.extend(by_rules.hidden.iter().cloned());
    let project = app.stores.project();
    Isolation {
        profile,
        project_root: project.map(|project| project.root.clone()),
        git_folder: project.and_then(|project| project.outer_git_folder().map(Path::to_owned)),
        home: app.user_home.clone(),
        data_folder: Some(app.stores.home().root().to_owned()),
        write: paths(&settings.write),
        read: paths(&settings.read),
        credentials: agent_credentials(app),
        deny,
        denied_programs: by_rules.programs.clone(),
        read_only: by_rules.frozen.clone(),
    }
}

/// Where agents keep their own credentials.
fn agent_credentials(app: &App) -> Vec<PathBuf> {
    let below_home = |home: &PathBuf| {
        let files = forebay_platforms::PLATFORMS.iter().flat_map(|platform| platform.credentials);
        files.map(|file| home.join(file)).collect()
    };
    app.user_home.as_ref().map(below_home).unwrap_or_default()
}

pub(crate) fn limits(settings: &settings::Limits) -> Limits {
    let limit = |most: u64| (most > 0).then_some(most);
    let bytes = |megabytes: u64| limit(megabytes.saturating_mul(MEGABYTE));
    Limits {
        memory: bytes(settings.memory_mb),
        cpu_seconds: limit(settings.cpu_seconds),
        processes: limit(settings.processes),
        open_files: limit(settings.open_files),
        file_size: bytes(settings.file_mb),
        output: bytes(settings.output_mb),
    }
}

/// Paths that settings hide.
pub(crate) fn denied_paths(app: &App) -> Vec<PathBuf> {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    app.settings.isolation.deny.iter().map(|text| real(path(app, text))).collect()
}

/// A path as a setting names it: absolute, of the home folder, or of the project.
fn path(app: &App, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), &app.user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => app.root().join(Path::new(text)),
    }
}
