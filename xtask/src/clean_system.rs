//! A minimal Debian below `target/`, without Rust and without a compiler: what is released is tried there, as on the
//! machine of somebody who has nothing of it yet.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::Metadata;
use crate::{console, process, system_packages};

/// What the package managers under test need, and what they are.
const PACKAGES: &str = "ca-certificates,curl,git,minisign,nix-bin,nodejs,npm,python3,python3-pip,python3-venv,rpm,ruby,unzip,\
                        xz-utils";
/// Not in Debian; installed from PyPI into `/opt/uv`.
const UV: &str = "uv==0.13.8";

/// The home folder of the system's user, as the system sees it.
const HOME: &str = "/home/user";
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// What package managers write for themselves stays out of the home folder.
const CACHES: [(&str, &str); 6] = [
    ("npm_config_cache", "/var/cache/npm"),
    ("npm_config_update_notifier", "false"),
    ("PIP_NO_CACHE_DIR", "1"),
    ("UV_CACHE_DIR", "/var/cache/uv"),
    ("UV_TOOL_DIR", "/opt/uv/tools"),
    ("UV_TOOL_BIN_DIR", "/opt/uv-bin"),
];

/// Mounts the folders and files after the first two words at their own paths below the root, which is the first, then
/// runs the words after `--` there, in the folder of the second.
const ENTER: &str = r#"
root=$1; folder=$2; shift 2
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then
        mkdir -p "$root$1"
    else
        mkdir -p "$(dirname "$root$1")" && touch "$root$1"
    fi
    mount --bind "$1" "$root$1" || exit 125
    shift
done
shift
mount -t proc proc "$root/proc" || exit 125
exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"#;

#[derive(Debug, Clone)]
pub(crate) struct CleanSystem {
    root: PathBuf,
}

impl CleanSystem {
    /// Returns the system, which is installed once.
    pub(crate) fn open() -> Result<Self> {
        let root = Metadata::read()?.target_directory.join("clean-system");
        let system = Self { root };
        // Written last, so an interrupted installation does not pass for a complete one.
        let marker = system.root.join("etc/forebay-clean-system");
        let wanted = format!("{PACKAGES} {UV}\n");
        if !fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
            system.install()?;
            fs::write(marker, wanted)?;
        }
        Ok(system)
    }

    /// The home folder of its user, as this machine sees it.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join(&HOME[1..])
    }

    /// Where a path of the system is on this machine.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside.trim_start_matches('/'))
    }

    /// Empties the home folder and writes these files into it.
    pub(crate) fn reset_home(&self, files: &[(&str, &str)]) -> Result<()> {
        let _ = fs::remove_dir_all(self.home());
        fs::create_dir_all(self.home())?;
        for (name, text) in files {
            let path = self.home().join(name);
            fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Runs a shell script in the home folder, without network, and returns what it prints.
    pub(crate) fn run(&self, script: &str) -> Result<String> {
        process::stdout_text(&mut self.shell(script))
    }

    /// The command that [`CleanSystem::run`] runs. All its processes end with it.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut unshare = process::command("unshare");
        unshare.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        unshare.arg("--root").arg(&self.root).args(["sh", "-c", &format!("cd ~ && {script}")]);
        unshare.env_clear().env("HOME", HOME).env("LANG", "C.UTF-8").env("PATH", PATH).envs(CACHES);
        unshare
    }

    /// A program of the system that sees files and folders of this machine under the paths that they have here, and
    /// its network. Environment and working folder are those of the command.
    pub(crate) fn sharing(&self, paths: &[&Path], folder: &Path, program: &Path) -> Command {
        let mut unshare = process::command("unshare");
        unshare.args(["--mount", "sh", "-c", ENTER, "sh"]).arg(&self.root).arg(folder);
        unshare.args(paths).arg("--").arg(program);
        unshare
    }

    fn install(&self) -> Result<()> {
        if !system_packages::can_install() {
            bail!("a clean system is installed by root on Debian or Ubuntu");
        }
        system_packages::install(&["mmdebstrap"])?;
        console::line(format!("installing a minimal Debian into {}", self.root.display()));
        let _ = fs::remove_dir_all(&self.root);
        let mut mmdebstrap = process::command("mmdebstrap");
        mmdebstrap.args(["--variant=minbase", "--include", PACKAGES, "--quiet"]);
        mmdebstrap.arg(debian_release()?).arg(&self.root).args(sources()?);
        process::stdout(&mut mmdebstrap).context("mmdebstrap")?;
        self.install_uv()
    }

    fn install_uv(&self) -> Result<()> {
        let mut download = process::command("python3");
        download.args(["-m", "pip", "download", "--quiet", "--no-deps", UV, "--dest"]);
        process::stdout(download.arg(self.path("/opt/wheels")))?;
        self.reset_home(&[])?;
        let install =
            "python3 -m venv /opt/uv && /opt/uv/bin/pip install --no-index /opt/wheels/*.whl";
        self.run(install).map(drop)
    }
}

/// The name of the installed Debian, whose package lists apt has already.
fn debian_release() -> Result<String> {
    let text = fs::read_to_string("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(name.context("/etc/os-release names no release")?.to_owned())
}

/// The package sources of this machine, which may be a mirror.
fn sources() -> Result<Vec<PathBuf>> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    for entry in fs::read_dir("/etc/apt/sources.list.d")? {
        files.push(entry?.path());
    }
    let is_read_by_apt = |file: &PathBuf| {
        let is_named_so = file.extension().is_some_and(|name| name == "list" || name == "sources");
        is_named_so && file.exists()
    };
    files.retain(is_read_by_apt);
    Ok(files)
}
