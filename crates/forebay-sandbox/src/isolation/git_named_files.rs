//! The files and folders that settings of git name, to be executed or read as settings.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git_config_parser::{Setting, parse};
use super::git_settings::{MAX_SETTINGS_BYTES, read};
use super::user_entry::user_name;

const MAX_FILES: usize = 64;
/// Settings in variables, of which git takes as many as the environment says.
const MAX_VARIABLES: usize = 64;
/// Where git is installed decides which of these it reads.
const SYSTEM_SETTINGS: &[&str] = &[
    "/etc/gitconfig",
    "/usr/local/etc/gitconfig",
    "/opt/homebrew/etc/gitconfig",
    "/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
];

/// What settings of git name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Included settings.
    pub settings: Vec<PathBuf>,
    /// Hooks, folders of them, and templates of them. A relative path is one in each worktree.
    pub hooks: Vec<PathBuf>,
}

impl NamedFiles {
    /// Reads the settings in `configs`, what they include, whatever the condition, and those in variables of the
    /// environment.
    pub fn read(configs: Vec<PathBuf>, home: Option<&Path>) -> Self {
        let mut named = Self::default();
        for (key, value) in settings_in_variables() {
            if let Some((section, key)) = split_name(&key) {
                named.add(&Setting { section, key, value }, None, home);
            }
        }
        let mut unread = configs;
        while let Some(config) = unread.pop() {
            for setting in settings(&config) {
                unread.extend(named.add(&setting, config.parent(), home));
            }
        }
        named
    }

    /// Adds what `setting` names; returns settings that are not known yet. `folder` is that of the settings.
    fn add(
        &mut self,
        setting: &Setting,
        folder: Option<&Path>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        match (&*setting.section, &*setting.key) {
            ("core", "hookspath") | ("init", "templatedir") => {
                add_new(&mut self.hooks, expand(&setting.value, home)?);
            }
            ("core", "fsmonitor") => {
                add_new(&mut self.hooks, program(&setting.value)?);
            }
            ("include" | "includeif", "path") => {
                let included = folder?.join(expand(&setting.value, home)?);
                return add_new(&mut self.settings, included.clone()).then_some(included);
            }
            _ => {}
        }
        None
    }
}

/// Adds a path that is not in the list; returns whether it was added.
fn add_new(list: &mut Vec<PathBuf>, path: PathBuf) -> bool {
    let is_new = list.len() < MAX_FILES && !list.contains(&path);
    if is_new {
        list.push(path);
    }
    is_new
}

/// The program of a setting that is either a switch or a command line.
fn program(value: &[u8]) -> Option<PathBuf> {
    let first = value.split(u8::is_ascii_whitespace).next()?;
    first.contains(&b'/').then(|| OsStr::from_bytes(first).into())
}

fn settings(config: &Path) -> Vec<Setting> {
    read(config, MAX_SETTINGS_BYTES).map(|text| parse(&text)).unwrap_or_default()
}

/// A path as git expands it. A home directory of another user is out of the reach of runs.
fn expand(value: &[u8], home: Option<&Path>) -> Option<PathBuf> {
    let path = Path::new(OsStr::from_bytes(value));
    let first = path.components().next()?.as_os_str().as_bytes();
    let Some(user) = first.strip_prefix(b"~") else { return Some(path.to_owned()) };
    let is_own = user.is_empty() || user_name().is_some_and(|name| name.as_bytes() == user);
    let rest = path.strip_prefix(OsStr::from_bytes(first)).ok()?;
    is_own.then(|| home.map(|home| home.join(rest))).flatten()
}

/// The settings that git reads for this user in every repository, whether they exist or not.
pub fn user_git_settings(home: Option<&Path>) -> Vec<PathBuf> {
    let of_variable = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let below_config = of_variable("XDG_CONFIG_HOME").map(|folder| folder.join("git/config"));
    let below_home = [".gitconfig", ".config/git/config"].map(|name| Some(home?.join(name)));
    let of_variables = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(of_variable);
    let of_system = SYSTEM_SETTINGS.iter().map(PathBuf::from);
    let of_user = below_home.into_iter().chain([below_config]).chain(of_variables).flatten();
    of_user.chain(of_system).collect()
}

/// The settings in `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0` and so on.
fn settings_in_variables() -> Vec<(String, Vec<u8>)> {
    let count = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<usize>().ok());
    let numbers = 0..count.unwrap_or(0).min(MAX_VARIABLES);
    let setting = |number| {
        let value = env::var_os(format!("GIT_CONFIG_VALUE_{number}"))?;
        Some((env::var(format!("GIT_CONFIG_KEY_{number}")).ok()?, value.as_bytes().to_vec()))
    };
    numbers.filter_map(setting).collect()
}

/// The section and the key of a full name, in lowercase and without a subsection.
fn split_name(name: &str) -> Option<(String, String)> {
    let name = name.to_ascii_lowercase();
    let (section, rest) = name.split_once('.')?;
    Some((section.to_owned(), rest.rsplit('.').next()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_name_hooks_and_other_settings() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path(".git")).unwrap();
        let settings = "[core] hooksPath = tools/hooks # a comment\n[core]\n\tHooksPath = \"tools/hooks\"\n\
                        fsmonitor = true\n[includeIf \"onbranch:x\"]\n\tpath = ../more\n\
                        [includeIf \"gitdir:~/x\"] path = ~/own\n[alias]\n\tpath = other\n";
        fs::write(path(".git/config"), settings).unwrap();
        fs::write(path("more"), "[include]\n\tpath = more\n\tpath = last\n").unwrap();
        let own = "[core]\n\thooksPath = ~/hooks\n\tfsmonitor = tools/watch --all\n[init]\n\ttemplateDir = /t\n";
        fs::create_dir(path("home")).unwrap();
        fs::write(path("home/own"), own).unwrap();
        let named = NamedFiles::read(vec![path(".git/config")], Some(&path("home")));
        let settings = named.settings;
        let expected = [".git/../last", ".git/../more", "home/own"];
        assert!(expected.iter().all(|name| settings.contains(&path(name))), "{settings:?}");
        let mut hooks = named.hooks;
        hooks.sort();
        let expected =
            [PathBuf::from("/t"), path("home/hooks"), "tools/hooks".into(), "tools/watch".into()];
        assert_eq!(hooks, expected);
    }

    #[test]
    fn settings_that_include_themselves_end() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config");
        fs::write(&config, "[include]\n\tpath = ./config\n\tpath = x/../config\n").unwrap();
        assert!(NamedFiles::read(vec![config], None).settings.len() <= MAX_FILES);
    }

    #[test]
    fn homes_are_expanded_as_git_does() {
        let home = Some(Path::new("/h"));
        for (value, expected) in [
            ("~/x", Some("/h/x")),
            ("~", Some("/h")),
            ("~no-such-user/x", None),
            ("x/~/y", Some("x/~/y")),
            ("", None),
        ] {
            assert_eq!(expand(value.as_bytes(), home), expected.map(PathBuf::from), "{value}");
        }
        let own = user_name().map(|name| format!("~{name}/x"));
        assert!(own.is_none_or(|own| expand(own.as_bytes(), home) == Some("/h/x".into())));
        assert_eq!(expand(b"~/x", None), None);
    }
}
