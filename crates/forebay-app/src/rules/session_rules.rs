//! The rules that a session started with.
//!
//! A run could move a rule file away, and the next call would find no rule. So what a session has met holds until a
//! new one: later reads add denials and questions, and take allowances away, never the other way round. A record in the
//! data folder, which no run can write, shares this between the hooks, servers and jobs of a session.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forebay_domain::ProjectId;
use forebay_domain::time::days;
use forebay_domain::usage::{HOOK_SESSION, TERMINAL_SESSION};
use forebay_policy::{List, Origin};
use forebay_store::home::create_private_folder;
use forebay_store::{Home, Project, control_file};
use serde::{Deserialize, Serialize};

use super::load::{Caution, InForce, RuleLine, load_readable};
use super::{Environment, compile};
use crate::{App, AppError};

/// Records of sessions that were not continued for so long are deleted.
const RECORD_RETENTION: Duration = days(30);

/// What is kept of the rules: all of them as they were first read, and denials and questions that came later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRules {
    rules: Vec<KeptRule>,
    directories: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptRule {
    origin: String,
    list: String,
    text: String,
    file: PathBuf,
}

/// The file that records the rules of a session.
pub(super) struct Record {
    path: PathBuf,
}

impl SessionRules {
    /// Reads the rules of a session that starts here; a file that cannot be read says nothing yet.
    pub fn read(environment: &Environment) -> Self {
        load_readable(environment)
            .map(|(in_force, _)| Self::from_in_force(&in_force))
            .unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.directories.is_empty()
    }

    pub(super) fn from_in_force(in_force: &InForce) -> Self {
        Self {
            rules: in_force.written.iter().map(KeptRule::new).collect(),
            directories: in_force.directories.clone(),
        }
    }

    /// Applies to rules that were just read what holds since the start, and learns what is stricter now.
    pub(super) fn hold(&mut self, in_force: &mut InForce) {
        let held: Vec<RuleLine> = self
            .rules
            .iter()
            .filter_map(KeptRule::line)
            .filter(|kept| kept.list != List::Allow && is_removed(kept, in_force))
            .collect();
        let count = in_force.written.len();
        in_force.written.retain(|line| line.list != List::Allow || self.contains(line));
        let changed = count != in_force.written.len() || !held.is_empty();
        for line in &in_force.written {
            if !self.contains(line) {
                self.rules.push(KeptRule::new(line));
            }
        }
        in_force.directories.retain(|folder| self.directories.contains(folder));
        if changed {
            in_force.written.extend(held.iter().cloned());
            let rules = compile(&in_force.written).0;
            in_force.rules = if in_force.managed_only { rules.managed_only() } else { rules };
            in_force.warnings.extend(held.into_iter().map(Caution::Held));
        }
    }

    fn contains(&self, line: &RuleLine) -> bool {
        self.rules.iter().any(|kept| kept.says(line))
    }
}

/// Whether a rule was in a file that is read here and is in none now.
///
/// Which files of a project are read depends on the working directory: a rule of another folder is not removed.
fn is_removed(kept: &RuleLine, in_force: &InForce) -> bool {
    let is_read = |file: &Path| {
        in_force
            .files
            .iter()
            .any(|(_, read, _)| read == file || file.parent() == Some(read.as_path()))
    };
    let same = |line: &RuleLine| {
        line.origin == kept.origin && line.list == kept.list && line.text == kept.text
    };
    is_read(&kept.file) && !in_force.written.iter().any(same)
}

impl KeptRule {
    fn new(line: &RuleLine) -> Self {
        Self {
            origin: line.origin.as_str().to_owned(),
            list: line.list.as_str().to_owned(),
            text: line.text.clone(),
            file: line.file.clone(),
        }
    }

    fn line(&self) -> Option<RuleLine> {
        Some(RuleLine {
            origin: Origin::ALL.into_iter().find(|origin| origin.as_str() == self.origin)?,
            list: List::ALL.into_iter().find(|list| list.as_str() == self.list)?,
            text: self.text.clone(),
            file: self.file.clone(),
        })
    }

    fn says(&self, line: &RuleLine) -> bool {
        self.text == line.text
            && self.list == line.list.as_str()
            && self.origin == line.origin.as_str()
    }
}

impl Record {
    /// The record of the app's session; None for calls that belong to no session.
    pub(super) fn for_app(app: &App) -> Option<Self> {
        Self::in_project(app, app.stores.project().map(|project| &project.id))
    }

    /// The record of what the app's session has met in a project, which can be another one than the app's.
    pub(super) fn in_project(app: &App, project: Option<&ProjectId>) -> Option<Self> {
        let name = record_name(app.permissions.session())?;
        Some(Self { path: app.stores.home().session_rules(project).join(name) })
    }

    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// What was recorded; a record that cannot be read is logged and counts as none.
    pub(super) fn read(&self) -> Option<SessionRules> {
        let read = control_file::read_state_bytes(&self.path);
        let read = read.inspect_err(|error| {
            tracing::warn!(%error, "cannot read the rules of the session's start");
        });
        let bytes = read.ok().flatten()?;
        let read = serde_json::from_slice(&bytes);
        read.inspect_err(|error| tracing::warn!(%error, "the record of rules is damaged")).ok()
    }

    /// Whether the rules could be recorded; otherwise they hold in this process only.
    pub(super) fn write(&self, rules: &SessionRules) -> bool {
        let written = self.try_write(rules);
        if let Err(error) = &written {
            tracing::warn!(%error, "cannot record the rules of the session");
        }
        written.is_ok()
    }

    fn try_write(&self, rules: &SessionRules) -> io::Result<()> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        if !folder.is_dir() {
            create_private_folder(folder).map_err(io::Error::other)?;
        } else if !self.exists() {
            remove_old(folder);
        }
        let coming = self.path.with_extension(format!("{}.tmp", std::process::id()));
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&coming)?;
        file.write_all(&serde_json::to_vec(rules)?)?;
        fs::rename(coming, &self.path)
    }

    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Deletes the records of this project's sessions, which then follow the rules as they are now; returns how many.
pub fn forget_sessions(home: &Home, project: Option<&ProjectId>) -> Result<usize, AppError> {
    let folder = home.session_rules(project);
    let failed =
        |error: io::Error| AppError::unavailable(format!("{}: {error}", folder.display()), None);
    let records = match fs::read_dir(&folder) {
        Ok(records) => records,
        Err(error) if control_file::is_missing(&error) => return Ok(0),
        Err(error) => return Err(failed(error)),
    };
    let mut count = 0;
    for record in records {
        record.and_then(|record| fs::remove_file(record.path())).map_err(failed)?;
        count += 1;
    }
    Ok(count)
}

/// The name of the record of a session; None if nothing is recorded of it.
fn record_name(session: &str) -> Option<String> {
    let is_recorded = ![TERMINAL_SESSION, HOOK_SESSION].contains(&session);
    is_recorded.then(|| format!("{}.json", &blake3::hash(session.as_bytes()).to_hex()[..32]))
}

/// The outermost project around `folder` that a session has met, whose rules hold for the session in all of it.
///
/// A run can make a repository or settings file in a folder, which is a project of its own from then on. Where the host
/// says only which folder it is in, that must not be the way out of the rules.
pub fn project_of_session(
    home: &Home,
    session: &str,
    folder: &Path,
    user_home: Option<&Path>,
) -> Option<PathBuf> {
    let name = record_name(session)?;
    let folder = folder.canonicalize().ok()?;
    let has_record = |around: &&Path| {
        Project::for_folder(around, user_home).is_some_and(|project| {
            project.root == **around && home.session_rules(Some(&project.id)).join(&name).is_file()
        })
    };
    folder.ancestors().filter(has_record).last().map(Path::to_owned)
}

fn remove_old(folder: &Path) {
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.map(|time| SystemTime::now().duration_since(time).unwrap_or_default());
        age.is_ok_and(|age| age > RECORD_RETENTION)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(is_old) {
        let _ = fs::remove_file(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load::load;
    use crate::rules::test_env::TestEnv;

    const FILE: &str = "p/.claude/settings.json";

    fn read(env: &TestEnv, start: &mut SessionRules) -> Vec<String> {
        let mut in_force = load(&env.environment("p")).unwrap();
        start.hold(&mut in_force);
        let line = |each: &RuleLine| format!("{} {}", each.list.as_str(), each.text);
        let mut lines: Vec<String> = in_force.written.iter().map(line).collect();
        lines.sort();
        lines
    }

    #[test]
    fn later_reads_only_tighten() {
        let rules = |text: &str| format!(r#"{{"permissions":{{{text}}}}}"#);
        let env = TestEnv::new().file(FILE, &rules(r#""deny":["Bash(a)"],"allow":["Bash(b)"]"#));
        let mut start = SessionRules::from_in_force(&load(&env.environment("p")).unwrap());
        let env = env.file(FILE, &rules(r#""ask":["Bash(c)"],"allow":["Bash(b)","Bash(d)"]"#));
        assert_eq!(read(&env, &mut start), ["allow Bash(b)", "ask Bash(c)", "deny Bash(a)"]);
        let env = env.file(FILE, "{}");
        assert_eq!(read(&env, &mut start), ["ask Bash(c)", "deny Bash(a)"]);
        fs::remove_dir_all(env.folder.path().join("p/.claude")).unwrap();
        assert_eq!(read(&env, &mut start), ["ask Bash(c)", "deny Bash(a)"]);
    }

    #[test]
    fn a_file_that_is_deleted_in_a_folder_of_rules_still_counts() {
        let env = TestEnv::new().file("p/.codex/rules/a.rules", "prefix_rule(['a'], 'forbidden')");
        let mut start = SessionRules::from_in_force(&load(&env.environment("p")).unwrap());
        fs::remove_file(env.folder.path().join("p/.codex/rules/a.rules")).unwrap();
        assert_eq!(read(&env, &mut start), ["deny Bash(a:*)"]);
    }

    #[test]
    fn rules_of_another_folder_are_not_held_here() {
        let env = TestEnv::new()
            .file("p/deep/opencode.json", r#"{"permission": {"bash": {"c *": "deny"}}}"#);
        let mut start = SessionRules::from_in_force(&load(&env.environment("p/deep")).unwrap());
        assert_eq!(read(&env, &mut start), Vec::<String>::new());
    }
}
