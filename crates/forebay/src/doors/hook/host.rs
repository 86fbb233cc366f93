//! Describes the calling host to the app.

use std::path::{Path, PathBuf};

use forebay_app::hooks::{Host, LoadedMod, ResultAccess};
use forebay_domain::hook::{HookEvent, Reply, ToolKind};
use forebay_platforms::folders::BaseDir;
use forebay_platforms::platform::Capability;
use forebay_platforms::{Decoded, Platform};
use forebay_sandbox::{own_executable, path_candidates};

use crate::config::environment;

/// Describes the host that sent a payload; `supports` says which replies it accepts.
pub(super) fn describe<'a>(decoded: &Decoded, supports: &'a dyn Fn(&Reply) -> bool) -> Host<'a> {
    let platform = decoded.platform;
    Host {
        supports,
        results: ResultAccess {
            is_replaceable: platform.can(to_replace(decoded)) && !platform.cuts_output_before_hooks,
            comes_again: comes_again(decoded),
        },
        loaded_mod: loaded_mod(decoded),
        starts_in_plugin: platform.plugin_diagnosis.is_some(),
        reports_compaction: platform.can(Capability::SeeCompaction),
        context_bytes: platform.context_bytes(),
        result_bytes: platform.limits.result_chars,
        version: version(platform),
        process: std::os::unix::process::parent_id(),
        names_session: !platform.session_env.is_empty(),
        program: program(decoded),
        folders: folders(platform, decoded.call.transcript.as_deref()),
        transcript: platform.answers.or(platform.transcripts.map(|format| format.parse_line)),
    }
}

fn version(platform: &Platform) -> Option<String> {
    let variable = platform.version_env?;
    Some(variable.version_in(&environment::read(variable.name)?)?.to_string())
}

/// Forebay's mod, if it runs in the session of a payload.
fn loaded_mod(decoded: &Decoded) -> Option<LoadedMod> {
    let named = decoded.platform.host_mod.and_then(|own| environment::read(own.session_env));
    let is_loaded = named.is_some() && named == decoded.call.session;
    is_loaded.then(|| LoadedMod { allows_unasked: is_allowed_unasked(decoded) })
}

/// Whether Forebay's mod, or a hook that is always there, gets the result that this event cannot replace.
fn comes_again(decoded: &Decoded) -> bool {
    match decoded.platform.host_mod {
        Some(_) => loaded_mod(decoded).is_some(),
        None => decoded.is_replaced_later(),
    }
}

/// Whether Forebay's mod found that the host allows this call without asking.
fn is_allowed_unasked(decoded: &Decoded) -> bool {
    let listed = decoded.platform.host_mod.and_then(|own| environment::read(own.allowed_env));
    let id = decoded.call.event.tool().and_then(|tool| tool.id.as_deref());
    id.is_some_and(|id| listed.is_some_and(|listed| listed.split(' ').any(|one| one == id)))
}

fn to_replace(decoded: &Decoded) -> Capability {
    let kind = decoded.call.event.tool().map(|tool| tool.action.kind());
    if kind == Some(ToolKind::Mcp) { Capability::ReplaceMcp } else { Capability::ReplaceOwn }
}

/// The command that runs this program in a shell: its name if that is on the PATH, else its path.
fn program(decoded: &Decoded) -> Option<String> {
    const NAME: &str = "forebay";
    if !matches!(decoded.call.event, HookEvent::BeforeTool(_)) {
        return None;
    }
    let own = own_executable()?;
    let on_path =
        path_candidates(NAME).find(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
    if on_path.is_some_and(|found| found == own) {
        return Some(NAME.to_owned());
    }
    own.to_str().map(str::to_owned)
}

/// The folders in which the host may save results: its own ones and that of its transcript.
fn folders(platform: &Platform, transcript: Option<&str>) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let below_home = |folder: &&str| home.as_ref().map(|home| home.join(folder));
    let mut folders: Vec<PathBuf> =
        platform.detection.folders.iter().filter_map(below_home).collect();
    folders.extend(platform.detection.folders.iter().filter_map(|folder| data_folder(folder)));
    folders.extend(platform.files.iter().filter_map(|file| match file.base {
        BaseDir::EnvOr(variable, _) => environment::read(variable).map(PathBuf::from),
        _ => None,
    }));
    let beside = transcript.and_then(|path| Path::new(path).parent());
    folders.extend(beside.filter(|folder| folder.parent().is_some()).map(Path::to_owned));
    if platform.saves_results_in_temp {
        folders.push(std::env::temp_dir());
    }
    folders
}

/// The XDG data folder of a host whose settings folder is in `~/.config`.
fn data_folder(settings: &str) -> Option<PathBuf> {
    let name = settings.strip_prefix(".config/")?;
    let data = environment::read("XDG_DATA_HOME").map(PathBuf::from);
    data.or_else(|| Some(std::env::home_dir()?.join(".local/share"))).map(|data| data.join(name))
}
