//! `forebay upgrade`: replaces this program with another release, or names the command that does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::upgrade::channel::{Commands, Upgrade as Means};
use forebay_app::upgrade::{self, Channel, Release, ReleaseSource, release};
use forebay_app::{AppError, Settings};
use semver::Version;
use serde_json::{Value, json};

use super::terminal::{self, Failure};
use super::{Common, executable, progress, project_root, settings_files, wrong_settings};
use crate::config::Config;

/// Upgrade Forebay; the version before is kept
///
/// If a package manager installed it, only names the command that upgrades it. A release is installed if its signature
/// and checksum are right and its program starts. This is the only command that looks for releases.
#[derive(Debug, Args)]
pub(super) struct Upgrade {
    /// Only tell whether there is another release
    #[arg(long)]
    check: bool,
    /// Return to the version before
    #[arg(long, conflicts_with_all = ["check", "wanted", "from"])]
    rollback: bool,
    /// Install this version, even if it is older
    #[arg(long = "version", value_name = "VERSION")]
    wanted: Option<Version>,
    /// Use a downloaded release: its folder, or its archive beside release.json and release.json.minisig
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
}

/// What to tell, in a sentence and as data.
struct Outcome {
    text: String,
    data: Value,
}

impl Upgrade {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let executable = executable()?;
        let channel = Channel::detect(executable, Path::new("/"));
        let outcome = match &channel.upgrade {
            Means::Command(commands) if !self.check => self.name_command(&channel, commands)?,
            _ if self.rollback => roll_back(executable)?,
            _ => {
                let release = self.find_release(common)?;
                if self.check {
                    compare(&release, &channel)
                } else {
                    self.install(&release, executable)?
                }
            }
        };
        if common.json {
            terminal::print_json(&outcome.data)?;
        } else {
            terminal::print_plain(&format!("{}\n", outcome.text))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn find_release(&self, common: &Common) -> Result<Release, Failure> {
        let settings = tolerant_settings(common)?.upgrade;
        let source = match &self.from {
            Some(path) => ReleaseSource::path(&common.working_folder()?.join(path)),
            None => ReleaseSource::server(&settings).map_err(AppError::from)?,
        };
        let key = release::key(&settings).map_err(AppError::from)?;
        Ok(source.release(&key, self.wanted.as_ref()).map_err(AppError::from)?)
    }

    fn install(&self, release: &Release, executable: &Path) -> Result<Outcome, AppError> {
        let (running, version) = (upgrade::running_version(), release.version());
        upgrade::check_not_older(release, self.wanted.as_ref())?;
        if *version == running {
            let text = format!("forebay {running} is installed; there is nothing newer");
            return Ok(Outcome { text, data: json!({ "installed": running.to_string() }) });
        }
        let bar = progress::bar("downloading", release.archive_bytes()?);
        let installed = upgrade::install(release, executable, &mut |done| bar.set_position(done));
        bar.finish_and_clear();
        installed?;
        let rollback = "`forebay upgrade --rollback` returns to it";
        Ok(replaced(executable, version, &format!("The version before is kept: {rollback}.")))
    }

    /// Names the command that installs what was asked for.
    fn name_command(&self, channel: &Channel, commands: &Commands) -> Result<Outcome, AppError> {
        let command = match &self.wanted {
            Some(version) => commands.exact(&version.to_string()),
            None if self.rollback => commands.exact("VERSION"),
            None => Some(commands.newest.clone()),
        };
        let (name, installed) = (channel.name, upgrade::running_version().to_string());
        let Some(command) = command else {
            return Err(AppError::bad_input(
                format!("forebay was installed as {name}, which has no earlier versions"),
                format!("the newest one: {}", commands.newest),
            ));
        };
        let text = format!(
            "forebay {installed} was installed as {name}; this installs another version:\n{command}"
        );
        Ok(Outcome {
            text,
            data: json!({ "installed": installed, "channel": name, "command": command }),
        })
    }
}

/// The user's settings; those that this version does not know, after a way back, do not hinder another upgrade.
fn tolerant_settings(common: &Common) -> Result<Settings, Failure> {
    let root = project_root(&common.working_folder()?);
    let loaded = Config::load_for_display(&settings_files(&root), &common.set);
    let (config, faults) = loaded.map_err(wrong_settings)?;
    for fault in faults {
        terminal::note(&format!("{fault}; what is valid in this file counts"))?;
    }
    Ok(config.settings().map_err(wrong_settings)?)
}

fn roll_back(executable: &Path) -> Result<Outcome, AppError> {
    let version = upgrade::roll_back(executable)?;
    let remark = "The same command returns to the other version. What the newer one stored is kept; \
                  if the older one refuses a store, it says what to do.";
    Ok(replaced(executable, &version, remark))
}

fn replaced(executable: &Path, version: &Version, remark: &str) -> Outcome {
    let before = upgrade::running_version();
    let path = executable.display();
    let sessions = "Sessions that are running keep the version that they started with.";
    Outcome {
        text: format!("forebay {before} -> {version} at {path}\n{remark}\n{sessions}"),
        data: json!({
            "installed": version.to_string(),
            "before": before.to_string(),
            "executable": path.to_string(),
        }),
    }
}

/// Tells which release there is, and how to get it.
fn compare(release: &Release, channel: &Channel) -> Outcome {
    let (running, available) = (upgrade::running_version(), release.version());
    let is_newer = *available > running;
    let command = match &channel.upgrade {
        Means::InPlace => "forebay upgrade",
        Means::Command(commands) => commands.newest.as_str(),
    };
    let published = release.published();
    let text = if is_newer {
        format!("forebay {available} of {published} can replace {running}:\n{command}")
    } else {
        format!("forebay {running} is installed; the newest release is {available} of {published}")
    };
    let data = json!({
        "installed": running.to_string(),
        "available": available.to_string(),
        "published": published,
        "newer": is_newer,
        "channel": channel.name,
        "command": is_newer.then_some(command),
    });
    Outcome { text, data }
}
