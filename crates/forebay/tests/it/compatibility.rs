//! The current version opens what 0.1 has written: stores, archives and settings. See `compatibility/README.md`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::env::TestEnv;

/// Settings that `config` does not show as they are.
const MASKED: [&str; 2] = ["store.url", "team.token"];

/// The folders of released versions.
fn releases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/compatibility");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let releases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    assert!(!releases.is_empty());
    releases
}

/// The entries of a release's stores, by their role.
fn references(release: &Path) -> HashMap<String, String> {
    let text = fs::read_to_string(release.join("references")).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(role, reference)| (role.to_owned(), reference.to_owned())).collect()
}

/// A user who has upgraded from a release.
fn upgraded_from(release: &Path) -> TestEnv {
    let env = TestEnv::new();
    let checks = env.forebay(["doctor", "--json"]).json();
    let checks = checks["checks"].as_array().unwrap();
    let project = checks.iter().find(|check| check["name"] == "project").unwrap();
    let id = project["finding"].as_str().unwrap().split(' ').next().unwrap().to_owned();
    fs::remove_dir_all(env.data()).unwrap();
    for (packed, folder) in [
        ("app.db.gz", env.data().join("projects").join(id)),
        ("user.db.gz", env.data().join("user")),
    ] {
        fs::create_dir_all(&folder).unwrap();
        let mut store = File::create(folder.join("store.db")).unwrap();
        let packed = File::open(release.join(packed)).unwrap();
        io::copy(&mut GzDecoder::new(packed), &mut store).unwrap();
    }
    env
}

#[test]
fn every_entry_note_and_event_of_a_released_store_is_there() {
    for release in releases() {
        let (env, references) = (upgraded_from(&release), references(&release));
        let get = |role: &str| env.forebay(["get", &references[role], "--raw"]).ok().text();
        let numbers: Vec<String> = (1..=9000).map(|number| number.to_string()).collect();
        assert!(get("run") == numbers.join("\n"), "the bytes of a run");
        assert_eq!(get("failed"), "broken");
        assert_eq!(get("replaced"), "Entries are files.");
        assert_eq!(get("decision"), "Entries are rows of SQLite.");
        assert_eq!(get("pinned"), "Answer in short sentences.");
        let everywhere = env.forebay(["get", &references["everywhere"], "--all", "--raw"]).ok();
        assert_eq!(everywhere.text(), "Written for all projects.");

        let failed = env.forebay(["get", &references["failed"]]).ok().text();
        assert!(failed.contains("exit 3"), "{failed}");
        let overview = env.forebay(["context"]).ok().text();
        assert!(
            overview.contains("rows of SQLite") && overview.contains("short sentences"),
            "{overview}"
        );
        assert!(!overview.contains("Entries are files"), "a replaced note: {overview}");
        let found = env.forebay(["search", "silt turbines"]).ok().text();
        assert!(found.contains("basins"), "{found}");
        let events = env.forebay(["history", "--session", "host", "--events", "all"]).ok().text();
        assert!(events.contains("price.rs") && events.contains("cents"), "{events}");

        assert!(env.noted("written by the current version").len() == 10);
        let health = env.forebay(["doctor", "--deep", "--json"]).json();
        assert_eq!(health["healthy"], true, "{health}");
    }
}

#[test]
fn an_archive_of_a_released_version_is_imported() {
    for release in releases() {
        let (env, references) = (TestEnv::new(), references(&release));
        let archive = release.join("notes.forebay").to_string_lossy().into_owned();
        env.forebay(["import", &archive]).ok();
        let decision = env.forebay(["get", &references["decision"], "--raw"]).ok().text();
        assert_eq!(decision, "Entries are rows of SQLite.");
    }
}

#[test]
fn every_setting_of_a_released_version_keeps_its_name_and_value() {
    for release in releases() {
        let env = TestEnv::new();
        fs::create_dir_all(env.data()).unwrap();
        let settings = fs::read_to_string(release.join("settings.toml")).unwrap();
        fs::write(env.data().join("settings.toml"), &settings).unwrap();
        let shown = env.forebay(["config", "--json"]).ok().json();
        let written: toml::Table = settings.parse().unwrap();
        for (section, values) in &written {
            for (name, value) in values.as_table().unwrap() {
                let key = format!("{section}.{name}");
                let row = &shown[&key];
                let from = row["from"].as_str().unwrap_or_default();
                assert!(from.ends_with("settings.toml"), "{key}: {row}");
                let value: Value = serde_json::to_value(value).unwrap();
                assert!(row["value"] == value || MASKED.contains(&&*key), "{key}: {row}");
            }
        }
    }
}
