//! How Forebay was installed, told by where its executable is.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_store::control_file;

use crate::next_call::shell_word;

/// How Forebay was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// For people: `npm (global)`.
    pub name: &'static str,
    pub upgrade: Upgrade,
}

/// Who replaces the executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrade {
    /// Forebay itself: no package manager knows the file.
    InPlace,
    Command(Commands),
}

/// The commands that install the newest version, and one by its number, if the package manager can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    pub newest: String,
    /// With `VERSION` for the number.
    exact: Option<String>,
    /// What installs it to stay, if it is only in a cache.
    lasting: Option<&'static str>,
    /// What removes it.
    pub remove: String,
}

impl Commands {
    /// Returns the command that installs a version.
    pub fn exact(&self, version: &str) -> Option<String> {
        Some(self.exact.as_ref()?.replace("VERSION", version))
    }
}

/// A package manager that is recognised by its folders.
struct PackageManager {
    name: &'static str,
    /// Consecutive parts of the path.
    folders: &'static [&'static str],
    newest: &'static str,
    exact: Option<&'static str>,
    lasting: Option<&'static str>,
    /// With `CACHE` for the folder of the cache.
    remove: &'static str,
}

/// In this order: the first match counts.
const PACKAGE_MANAGERS: &[PackageManager] = &[
    PackageManager {
        name: "npx",
        folders: &["_npx"],
        newest: "npx forebay@latest",
        exact: Some("npx forebay@VERSION"),
        lasting: Some("npm install --global forebay"),
        remove: "rm -r CACHE",
    },
    PackageManager {
        name: "pnpm",
        folders: &["pnpm", "global"],
        newest: "pnpm add --global forebay@latest",
        exact: Some("pnpm add --global forebay@VERSION"),
        lasting: None,
        remove: "pnpm remove --global forebay",
    },
    PackageManager {
        name: "bun",
        folders: &[".bun", "install", "global"],
        newest: "bun add --global forebay@latest",
        exact: Some("bun add --global forebay@VERSION"),
        lasting: None,
        remove: "bun remove --global forebay",
    },
    PackageManager {
        name: "npm (global)",
        folders: &["lib", "node_modules"],
        newest: "npm install --global forebay@latest",
        exact: Some("npm install --global forebay@VERSION"),
        lasting: None,
        remove: "npm uninstall --global forebay",
    },
    PackageManager {
        name: "pipx",
        folders: &["pipx", "venvs"],
        newest: "pipx upgrade forebay",
        exact: Some("pipx install --force forebay==VERSION"),
        lasting: None,
        remove: "pipx uninstall forebay",
    },
    PackageManager {
        name: "uv tool",
        folders: &["uv", "tools"],
        newest: "uv tool upgrade forebay",
        exact: Some("uv tool install forebay==VERSION"),
        lasting: None,
        remove: "uv tool uninstall forebay",
    },
    PackageManager {
        name: "uvx",
        folders: &["uv", "archive-v0"],
        newest: "uvx forebay@latest",
        exact: Some("uvx forebay@VERSION"),
        lasting: Some("uv tool install forebay"),
        remove: "uv cache clean forebay",
    },
    PackageManager {
        name: "Homebrew",
        folders: &["Cellar", "forebay"],
        newest: "brew upgrade forebay",
        exact: None,
        lasting: None,
        remove: "brew uninstall forebay",
    },
    PackageManager {
        name: "Nix",
        folders: &["nix", "store"],
        newest: "nix profile upgrade forebay",
        exact: None,
        lasting: None,
        remove: "nix profile remove forebay",
    },
];

impl Channel {
    /// Returns the channel of an executable, whose path has no links. Package databases are looked up below `root`.
    pub fn detect(executable: &Path, root: &Path) -> Self {
        from_source(executable)
            .or_else(|| from_known_folder(executable))
            .or_else(|| from_node_modules(executable))
            .or_else(|| from_python(executable))
            .or_else(|| from_cargo(executable))
            .or_else(|| from_system_package(executable, root))
            .or_else(|| from_container(executable, root))
            .unwrap_or(Self { name: "archive", upgrade: Upgrade::InPlace })
    }

    /// Returns what installs Forebay to stay, if its executable is only in a cache.
    pub fn lasting_install(&self) -> Option<&'static str> {
        match &self.upgrade {
            Upgrade::InPlace => None,
            Upgrade::Command(commands) => commands.lasting,
        }
    }

    fn command(
        name: &'static str,
        newest: impl Into<String>,
        exact: Option<String>,
        remove: impl Into<String>,
    ) -> Self {
        let (newest, remove) = (newest.into(), remove.into());
        let commands = Commands { newest, exact, lasting: None, remove };
        Self { name, upgrade: Upgrade::Command(commands) }
    }
}

fn from_known_folder(executable: &Path) -> Option<Channel> {
    let parts = parts(executable);
    let has = |folders: &[&str]| parts.windows(folders.len()).any(|window| window == folders);
    let manager = PACKAGE_MANAGERS.iter().find(|manager| has(manager.folders))?;
    let (newest, exact) = (manager.newest.to_owned(), manager.exact.map(str::to_owned));
    let remove = manager.remove.replace("CACHE", &shell_word(&cache(executable).to_string_lossy()));
    let commands = Commands { newest, exact, lasting: manager.lasting, remove };
    Some(Channel { name: manager.name, upgrade: Upgrade::Command(commands) })
}

/// The folder of one package in npx's cache.
fn cache(executable: &Path) -> &Path {
    let is_in_cache =
        |folder: &&Path| folder.parent().is_some_and(|parent| parent.ends_with("_npx"));
    executable.ancestors().find(is_in_cache).unwrap_or(executable)
}

fn parts(path: &Path) -> Vec<&str> {
    path.iter().filter_map(|part| part.to_str()).collect()
}

/// Cargo leaves its records beside what it builds.
fn from_source(executable: &Path) -> Option<Channel> {
    let folder = executable.parent()?;
    let is_built_here = folder.join(".fingerprint").is_dir() && folder.join("deps").is_dir();
    let update = "git pull && cargo build --release";
    is_built_here.then(|| Channel::command("a build from source", update, None, "cargo clean"))
}

/// A dependency of a project, or of an agent's plugin.
fn from_node_modules(executable: &Path) -> Option<Channel> {
    let modules =
        executable.ancestors().filter(|folder| folder.ends_with("node_modules")).last()?;
    let folder = shell_word(&modules.parent()?.to_string_lossy());
    let install = |version: &str| format!("cd {folder} && npm install forebay@{version}");
    let remove = format!("cd {folder} && npm uninstall forebay");
    Some(Channel::command("npm (local)", install("latest"), Some(install("VERSION")), remove))
}

/// A virtual environment, or the user's own packages.
fn from_python(executable: &Path) -> Option<Channel> {
    let prefix = executable.parent()?.parent()?;
    if prefix.join("pyvenv.cfg").is_file() {
        let python = shell_word(&prefix.join("bin/python").to_string_lossy());
        let newest = format!("{python} -m pip install --upgrade forebay");
        let exact = format!("{python} -m pip install forebay==VERSION");
        let remove = format!("{python} -m pip uninstall forebay");
        return Some(Channel::command("pip (virtual environment)", newest, Some(exact), remove));
    }
    has_python_package(prefix).then(|| {
        let exact = "python3 -m pip install --user forebay==VERSION".to_owned();
        let newest = "python3 -m pip install --user --upgrade forebay";
        Channel::command("pip", newest, Some(exact), "python3 -m pip uninstall forebay")
    })
}

/// Whether `PREFIX/lib/python3.X/site-packages` has Forebay's record.
fn has_python_package(prefix: &Path) -> bool {
    let named = |folder: &Path, start: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_named = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
        };
        entries.map(|entry| entry.path()).filter(is_named).collect()
    };
    named(&prefix.join("lib"), "python3").iter().any(|python| {
        ["site-packages", "dist-packages"]
            .iter()
            .any(|packages| !named(&python.join(packages), "forebay-").is_empty())
    })
}

/// Cargo lists what it installed beside its `bin` folder, with the source: `"forebay 0.1.0 (git+https://…#commit)"`.
fn from_cargo(executable: &Path) -> Option<Channel> {
    let listed = executable.parent()?.parent()?.join(".crates.toml");
    let listed = control_file::read(&listed).ok().flatten()?;
    let line = listed.lines().find(|line| line.starts_with("\"forebay "))?;
    let source = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'))?.0;
    let place = source.split_once("+file://").or_else(|| source.split_once('+'));
    let install = match (source, place) {
        (_, Some(("git", url))) => {
            format!("cargo install --git {} forebay", url.split(['#', '?']).next().unwrap_or(url))
        }
        (_, Some(("path", folder))) => format!("cargo install --path {}", shell_word(folder)),
        _ => {
            let exact = "cargo install forebay --version VERSION".to_owned();
            let newest = "cargo install forebay";
            return Some(Channel::command("cargo install", newest, Some(exact), CARGO_REMOVE));
        }
    };
    Some(Channel::command("cargo install", install, None, CARGO_REMOVE))
}

const CARGO_REMOVE: &str = "cargo uninstall forebay";

/// What is in `/usr/bin` belongs to the system's package manager.
fn from_system_package(executable: &Path, root: &Path) -> Option<Channel> {
    let is_debian = is_listed_by_dpkg(executable, root);
    if is_debian {
        let exact = "sudo apt-get install forebay=VERSION".to_owned();
        let newest = "sudo apt-get update && sudo apt-get install --only-upgrade forebay";
        return Some(Channel::command("deb", newest, Some(exact), "sudo apt-get remove forebay"));
    }
    if !executable.starts_with("/usr/bin") && !executable.starts_with("/bin") {
        return None;
    }
    let has_rpm =
        ["var/lib/rpm", "usr/lib/sysimage/rpm"].iter().any(|path| root.join(path).is_dir());
    if has_rpm {
        let exact = "sudo dnf install forebay-VERSION".to_owned();
        let newest = "sudo dnf upgrade forebay";
        return Some(Channel::command("rpm", newest, Some(exact), "sudo dnf remove forebay"));
    }
    let newest = "upgrade the package forebay with this system's package manager";
    let remove = "remove the package forebay with this system's package manager";
    Some(Channel::command("a system package", newest, None, remove))
}

fn is_listed_by_dpkg(executable: &Path, root: &Path) -> bool {
    let list = control_file::read(&root.join("var/lib/dpkg/info/forebay.list"));
    let list = list.ok().flatten().unwrap_or_default();
    list.lines().any(|line| Path::new(line) == executable)
}

/// What an image contains is replaced with the image; what a user installs in a container is not part of it.
fn from_container(executable: &Path, root: &Path) -> Option<Channel> {
    let is_container =
        [".dockerenv", "run/.containerenv"].iter().any(|mark| root.join(mark).exists());
    let is_of_image = executable.starts_with("/usr") || executable.starts_with("/opt");
    let newest = "pull the newest image and start a new container from it";
    let remove = "use an image, or a set-up of the development container, without it";
    (is_container && is_of_image)
        .then(|| Channel::command("a container image", newest, None, remove))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Detects the channel of a path on a machine with these files.
    fn detect(executable: &str, files: &[(&str, &str)]) -> Channel {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Channel::detect(Path::new(executable), root.path())
    }

    #[test]
    fn packages_of_the_system_and_images_are_told_from_archives() {
        let dpkg = ("var/lib/dpkg/info/forebay.list", "/.\n/usr\n/usr/bin/forebay\n");
        let rpm = ("var/lib/rpm/rpmdb.sqlite", "");
        let docker = (".dockerenv", "");
        for (executable, files, expect) in [
            ("/usr/bin/forebay", vec![dpkg], "deb"),
            ("/usr/bin/forebay", vec![dpkg, docker], "deb"),
            ("/usr/local/bin/forebay", vec![dpkg], "archive"),
            ("/usr/bin/forebay", vec![rpm], "rpm"),
            ("/usr/local/bin/forebay", vec![rpm], "archive"),
            ("/usr/bin/forebay", vec![], "a system package"),
            ("/usr/local/bin/forebay", vec![docker], "a container image"),
            ("/usr/local/bin/forebay", vec![("run/.containerenv", "")], "a container image"),
            ("/root/.local/bin/forebay", vec![docker], "archive"),
            ("/root/.local/bin/forebay", vec![], "archive"),
        ] {
            assert_eq!(detect(executable, &files).name, expect, "{executable} {files:?}");
        }
    }

    #[test]
    fn the_folder_of_the_package_in_the_cache_of_npx_is_removed() {
        let executable = "/h/.npm/_npx/ab 12/node_modules/forebay/bin/forebay";
        let Upgrade::Command(commands) = detect(executable, &[]).upgrade else { panic!("npx") };
        assert_eq!(commands.remove, "rm -r '/h/.npm/_npx/ab 12'");
    }

    #[test]
    fn a_version_takes_the_place_of_the_newest() {
        let channel = detect("/usr/bin/forebay", &[("var/lib/rpm/x", "")]);
        let Upgrade::Command(commands) = channel.upgrade else { panic!("an archive") };
        assert_eq!(commands.newest, "sudo dnf upgrade forebay");
        assert_eq!(commands.remove, "sudo dnf remove forebay");
        assert_eq!(commands.exact("0.3.0").unwrap(), "sudo dnf install forebay-0.3.0");
    }
}
