//! Installs every package into an empty system, as a user would, and runs the program there.
//!
//! The system is a minimal Debian below `target/`, without Rust and without a compiler. Each check gets a fresh home.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::npm_package;
use super::release::{Release, Target};
use crate::workspace::Metadata;
use crate::{console, process, system_packages};

/// An installation that takes longer is not worth its name.
const MAX_DURATION: Duration = Duration::from_secs(30);

/// What the package managers under test need, and what they are.
const SYSTEM_PACKAGES: &str =
    "ca-certificates,git,nodejs,npm,python3,python3-pip,python3-venv,rpm,unzip,xz-utils";

/// A way to install the packages, and to take them away again.
struct Channel {
    name: &'static str,
    install: String,
    /// The program after the installation.
    program: &'static str,
    uninstall: &'static str,
}

/// Run by every channel after its installation. The command is the program itself, not a script that starts it.
const USE: &str = "$PROGRAM --version && $PROGRAM demo >/tmp/demo.txt && grep -q ctx: /tmp/demo.txt \
    && head -c 4 $PROGRAM | grep -q ELF";

/// Where installation scripts are disabled, the launcher of the npm package starts the program.
const WITHOUT_SCRIPTS: &str = "npm install --global --offline --ignore-scripts --prefix $HOME/plain $PACKAGES \
    && $HOME/plain/bin/forebay --version && ! $HOME/plain/bin/forebay no-such-command \
    && rm -r $HOME/plain";

pub(super) fn run(release: &Release, target: &Target, out: &Path) -> Result<()> {
    let root = system_root()?;
    let packages = root.join("packages");
    let _ = fs::remove_dir_all(&packages);
    copy_files(out, &packages)?;
    let mut failures = Vec::new();
    for channel in channels(release, target) {
        match check(&root, &channel) {
            Ok(elapsed) => {
                console::line(format!("{:8} {}", channel.name, console::duration(elapsed)));
            }
            Err(error) => failures.push(format!("{}: {error:#}", channel.name)),
        }
    }
    let packages = npm_packages(release, target);
    in_root(&root, &format!("PACKAGES='{packages}'; {WITHOUT_SCRIPTS}"))
        .context("npm without installation scripts")?;
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

fn channels(release: &Release, target: &Target) -> Vec<Channel> {
    let version = &release.version;
    let stem = release.stem(target);
    let mut channels = vec![
        Channel {
            name: "archive",
            install: "FOREBAY_RELEASES=/packages sh /packages/install.sh".to_owned(),
            program: "$HOME/.local/bin/forebay",
            uninstall: "rm $HOME/.local/bin/forebay",
        },
        Channel {
            name: "npm",
            install: format!(
                "npm install --global --offline --prefix $HOME/npm {}",
                npm_packages(release, target)
            ),
            program: "$HOME/npm/bin/forebay",
            uninstall: "npm uninstall --global --prefix $HOME/npm forebay",
        },
        Channel {
            name: "pip",
            install: format!(
                "python3 -m venv $HOME/venv && $HOME/venv/bin/pip install --no-index \
                 /packages/forebay-{version}-py3-none-{}.whl",
                target.wheel
            ),
            program: "$HOME/venv/bin/forebay",
            uninstall: "$HOME/venv/bin/pip uninstall --yes forebay",
        },
        Channel {
            name: "bundle",
            install: format!("unzip -q /packages/{stem}.mcpb -d $HOME/bundle"),
            program: "$HOME/bundle/server/forebay",
            uninstall: "rm -r $HOME/bundle",
        },
    ];
    if let Some(architecture) = target.debian {
        channels.push(Channel {
            name: "deb",
            install: format!("dpkg --install /packages/forebay_{version}_{architecture}.deb"),
            program: "/usr/bin/forebay",
            uninstall: "dpkg --purge forebay",
        });
    }
    if let Some(architecture) = target.rpm {
        channels.push(Channel {
            name: "rpm",
            // Debian's own packages are not in the database of rpm.
            install: format!(
                "rpm --install --nodeps /packages/forebay-{version}-1.{architecture}.rpm"
            ),
            program: "/usr/bin/forebay",
            uninstall: "rpm --erase forebay",
        });
    }
    channels
}

fn npm_packages(release: &Release, target: &Target) -> String {
    let platform = npm_package::file_name(&target.npm.package(), release);
    format!("/packages/{platform} /packages/forebay-{}.tgz", release.version)
}

/// Installs, runs and uninstalls; returns how long the installation took.
fn check(root: &Path, channel: &Channel) -> Result<Duration> {
    let started = Instant::now();
    in_root(root, &channel.install).context("install")?;
    let elapsed = started.elapsed();
    in_root(root, &format!("PROGRAM={}; {USE}", channel.program)).context("run")?;
    in_root(root, channel.uninstall).context("uninstall")?;
    in_root(root, &format!("! test -e {}", channel.program)).context("something is left")?;
    ensure!(elapsed <= MAX_DURATION, "took {}", console::duration(elapsed));
    Ok(elapsed)
}

/// Runs a shell command in the system, without network.
fn in_root(root: &Path, command: &str) -> Result<()> {
    let mut unshare = process::command("unshare");
    unshare.args(["--net", "--mount", "--pid", "--fork", "--mount-proc", "--root"]).arg(root);
    unshare.args(["sh", "-c", &format!("mkdir -p /home/user && cd /home/user && {command}")]);
    unshare.env_clear().env("HOME", "/home/user").env("LANG", "C.UTF-8");
    unshare.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    process::stdout(&mut unshare).map(drop)
}

/// Returns the folder of the system, which is created once.
fn system_root() -> Result<PathBuf> {
    let root = Metadata::read()?.target_directory.join("dist-system");
    if root.join("usr/bin/npm").exists() {
        let _ = fs::remove_dir_all(root.join("home"));
        return Ok(root);
    }
    if !system_packages::can_install() {
        bail!(
            "the check installs packages into a root of its own: run it as root on Debian or Ubuntu"
        );
    }
    system_packages::install(&["mmdebstrap"])?;
    console::line(format!("installing a minimal Debian into {}", root.display()));
    let mut mmdebstrap = process::command("mmdebstrap");
    mmdebstrap.args(["--variant=minbase", "--include", SYSTEM_PACKAGES, "--quiet"]);
    mmdebstrap.arg(debian_release()?).arg(&root).args(sources()?);
    process::stdout(&mut mmdebstrap).context("mmdebstrap")?;
    Ok(root)
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

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
