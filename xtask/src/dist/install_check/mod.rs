//! Installs every package into an empty system, as a user would, and runs the program there.
//!
//! [`mod@channels`] lists the ways to install, each with a time limit; after each of them agents are set up, and everything
//! is taken back until the home folder is as it was. [`upgrade`] goes to a newer version and back while a session runs.
//! The released Claude Code is driven by `crate::clients`, in the same system.

mod channels;
mod upgrade;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use self::channels::{Channel, channels};
use super::release::{NAME, Release, Target};
use super::signatures::Keys;
use super::{checksums, manifests, npm_package};
use crate::clean_system::CleanSystem;
use crate::snapshot::Snapshot;
use crate::{clients, console, workspace};

/// An installation that takes longer is not worth its name.
const MAX_DURATION: Duration = Duration::from_secs(30);

/// Files that the user's agents have before Forebay comes.
const OF_USER: [(&str, &str); 4] = [
    (
        ".claude.json",
        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}\n",
    ),
    (
        ".claude/settings.json",
        "{\n    \"model\": \"opus\",\n    \"permissions\": { \"deny\": [\"Bash(rm:*)\"] }\n}",
    ),
    (".codex/config.toml", "# mine\nmodel = \"m\"   # best\n"),
    (".gemini/settings.json", "{ // mine\n\t\"theme\": \"dark\",\n}"),
];

/// The command is the program itself, not a script that starts it; the tour works.
const USE: &str = "forebay --version && forebay demo >/tmp/demo.txt && grep -q ctx: /tmp/demo.txt \
                   && head -c 4 $(readlink -f $(command -v forebay)) | grep -q ELF";
/// Ends with an error unless every hook and tool call of every agent answers.
const SET_UP: &str = "mkdir -p project && cd project && git init --quiet \
                      && forebay init claude-code codex gemini-cli --yes \
                      && forebay run -- sh -c 'seq 9999 > numbers' && cd .. && rm -r project";
const TAKE_BACK: &str = "forebay uninstall --yes --purge-data";

/// Where installation scripts are disabled, the launcher of the npm package starts the program.
const WITHOUT_SCRIPTS: &str = "npm install --global --offline --ignore-scripts --prefix /opt/plain $PACKAGES \
                               && /opt/plain/bin/forebay --version && ! /opt/plain/bin/forebay no-such-command \
                               && rm -r /opt/plain";

/// A list of checksums that is not the signed one.
const WRONG_SIGNATURE: &str = "rm -rf /tampered && mkdir /tampered && ln -s /packages/* /tampered && rm /tampered/SHA256SUMS \
                               && { cat /packages/SHA256SUMS; echo; } >/tampered/SHA256SUMS \
                               && ! FOREBAY_RELEASES=/tampered sh /packages/install.sh && ! test -e .local/bin/forebay";

pub(super) fn run(release: &Release, target: &Target, out: &Path) -> Result<()> {
    let system = CleanSystem::open()?;
    let packages = system.path("/packages");
    let _ = fs::remove_dir_all(&packages);
    copy_files(out, &packages)?;
    sign(release, &packages)?;
    fs::write(packages.join("formula-check.rb"), include_str!("formula.rb"))?;
    let mut failures = Vec::new();
    for channel in channels(release, target) {
        match check(&system, &channel) {
            Ok(elapsed) => {
                console::line(format!("ok   {:24} {}", channel.name, console::duration(elapsed)));
            }
            Err(error) => failures.push(format!("{}: {error:#}", channel.name)),
        }
    }
    let packages = npm_packages(release, target);
    let mut further = |name: &str, outcome: Result<()>| match outcome {
        Ok(()) => console::line(format!("ok   {name}")),
        Err(error) => failures.push(format!("{name}: {error:#}")),
    };
    let plain = system.run(&format!("PACKAGES='{packages}'; {WITHOUT_SCRIPTS}"));
    further("npm without installation scripts", plain.map(drop));
    further("the Nix flake evaluates", evaluate_flake(&system, release));
    further("a wrong signature is refused", system.run(WRONG_SIGNATURE).map(drop));
    further(
        "a newer version and back, with a live session",
        upgrade::check(&system, release, target),
    );
    further("the released Claude Code", drive_claude_code(&system, release, target));
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Signs the packages with a key made for this: releases are signed only later, by the workflow.
fn sign(release: &Release, packages: &Path) -> Result<()> {
    let keys = Keys::generate()?;
    manifests::write(release, &keys.public(), packages)?;
    checksums::write(release, packages)?;
    keys.sign(&release.version, packages)
}

/// Installs, sets up, takes everything back; returns how long the installation took.
fn check(system: &CleanSystem, channel: &Channel) -> Result<Duration> {
    system.reset_home(&OF_USER)?;
    let before = Snapshot::take(&system.home())?;
    let started = Instant::now();
    system.run(&channel.install).context("install")?;
    let elapsed = started.elapsed();
    let in_path = |script: &str| system.run(&format!("PATH={}:$PATH; {script}", channel.folder));
    in_path(USE).context("run")?;
    if channel.lasts {
        in_path(SET_UP).context("set up agents")?;
        in_path(TAKE_BACK).context("forebay uninstall")?;
    }
    system.run(channel.uninstall).context("uninstall")?;
    system.run(&format!("! test -e {}/forebay", channel.folder)).context("something is left")?;
    let left = before.differences(&Snapshot::take(&system.home())?);
    ensure!(left.is_empty(), "the home is not as it was: {}", left.join(", "));
    ensure!(elapsed <= MAX_DURATION, "took {}", console::duration(elapsed));
    Ok(elapsed)
}

/// Hooks fire, results become digests and the guide comes back in the real client.
fn drive_claude_code(system: &CleanSystem, release: &Release, target: &Target) -> Result<()> {
    let channels = channels(release, target);
    let archive = channels.first().context("there is a channel")?;
    system.reset_home(&[])?;
    system.run(&archive.install)?;
    // Not in the home folder: the agents have homes of their own.
    system.run("mv .local/bin/forebay /usr/local/bin/forebay")?;
    let driven = clients::check_in(system, "claude-code", Path::new("/usr/local/bin/forebay"));
    system.run("rm /usr/local/bin/forebay")?;
    driven
}

/// The flake describes this release for every system. Building it needs nixpkgs, which is not in Debian.
fn evaluate_flake(system: &CleanSystem, release: &Release) -> Result<()> {
    let folder = system.path("/flake");
    fs::create_dir_all(&folder)?;
    for file in ["flake.nix", "Cargo.toml"] {
        fs::copy(workspace::root().join(file), folder.join(file))?;
    }
    fs::write(folder.join("check.nix"), include_str!("flake.nix"))?;
    let printed = system.run(
        "for name in STORE STATE LOCALSTATE LOG; do export NIX_${name}_DIR=/var/tmp/nix; done; \
         nix-instantiate --eval --strict --json /flake/check.nix",
    )?;
    let described: Map<String, Value> = serde_json::from_str(&printed)?;
    ensure!(described.len() == 4, "{printed}");
    for (name, package) in described {
        let is_this = package["version"] == release.version && package["pname"] == NAME;
        ensure!(is_this && package["program"] == "/bin/forebay", "{name}: {package}");
    }
    Ok(())
}

fn npm_packages(release: &Release, target: &Target) -> String {
    let platform = npm_package::file_name(&target.npm.package(), release);
    format!("/packages/{platform} /packages/forebay-{}.tgz", release.version)
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
