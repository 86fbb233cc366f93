//! The host that calls, as the app sees it.

use std::path::{Path, PathBuf};

use forebay_app::hooks::Host;
use forebay_domain::hook::{HookEvent, Reply, ToolKind};
use forebay_platforms::platform::Ability;
use forebay_platforms::setup::Base;
use forebay_platforms::{Decoded, Platform, can_hear};
use forebay_sandbox::path_candidates;

use crate::config::environment;

/// Hosts that leave long output in the folder for temporary files.
const SAVING_IN_TEMP: &[&str] = &["copilot-cli"];

/// What must live as long as the app looks at it.
pub(super) struct Seen<'a> {
    hears: Box<dyn Fn(&Reply) -> bool + 'a>,
}

pub(super) fn of(decoded: &Decoded) -> Seen<'_> {
    Seen { hears: Box::new(|reply| can_hear(decoded, reply)) }
}

impl Seen<'_> {
    pub(super) fn seen_by_the_app(&self, decoded: &Decoded) -> Host<'_> {
        let platform = decoded.platform;
        Host {
            hears: &*self.hears,
            replaces_results: platform.can(to_replace(decoded)),
            tells_compaction: platform.can(Ability::SeeCompaction),
            context_bytes: platform.context_bytes(),
            program: program(decoded),
            folders: folders(platform, decoded.call.transcript.as_deref()),
        }
    }
}

fn to_replace(decoded: &Decoded) -> Ability {
    let kind = match &decoded.call.event {
        HookEvent::BeforeTool(tool) | HookEvent::AfterTool(tool, _) => Some(tool.action.kind()),
        _ => None,
    };
    if kind == Some(ToolKind::Mcp) { Ability::ReplaceMcp } else { Ability::ReplaceOwn }
}

/// How a shell calls this program: by its name where that leads to it.
fn program(decoded: &Decoded) -> Option<String> {
    const NAME: &str = "forebay";
    if !matches!(decoded.call.event, HookEvent::BeforeTool(_)) {
        return None;
    }
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let named =
        path_candidates(NAME).find(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
    if named.is_some_and(|found| found == own) {
        return Some(NAME.to_owned());
    }
    own.to_str().map(str::to_owned)
}

/// Where the host keeps its files: below the user's home, where its variable says, beside its transcript.
fn folders(platform: &Platform, transcript: Option<&str>) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let below_home = |folder: &&str| home.as_ref().map(|home| home.join(folder));
    let mut folders: Vec<PathBuf> =
        platform.installed.folders.iter().filter_map(below_home).collect();
    folders.extend(platform.installed.folders.iter().filter_map(|folder| data_folder(folder)));
    folders.extend(platform.files.iter().filter_map(|file| match file.base {
        Base::EnvOr(variable, _) => environment::read(variable).map(PathBuf::from),
        _ => None,
    }));
    let beside = transcript.and_then(|path| Path::new(path).parent());
    folders.extend(beside.filter(|folder| folder.parent().is_some()).map(Path::to_owned));
    if SAVING_IN_TEMP.contains(&platform.id) {
        folders.push(std::env::temp_dir());
    }
    folders
}

/// The data folder of a host that follows the XDG rules, from its settings folder.
fn data_folder(settings: &str) -> Option<PathBuf> {
    let name = settings.strip_prefix(".config/")?;
    let data = environment::read("XDG_DATA_HOME").map(PathBuf::from);
    data.or_else(|| Some(std::env::home_dir()?.join(".local/share"))).map(|data| data.join(name))
}
