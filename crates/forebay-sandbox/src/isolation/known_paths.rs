//! The paths that profiles refer to, each with the reason it is listed.
//!
//! Paths are relative to the home directory of the user unless they start with a slash. A variable of the environment at
//! the start stands for its value, `$UID` for the user. Secrets are listed in `known_secrets`.

use std::env;
use std::path::{Path, PathBuf};

/// A path and the reason it is listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownPath {
    pub(super) path: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by the tests"))]
    pub(super) reason: &'static str,
}

/// Sockets of other processes: closed, except for a run under `project` that names one of the programs that own them.
/// SECURITY.md lists them.
pub(super) const TOOL_SOCKETS: &[ToolCredentials] = &[
    owned("/run/docker.sock", CONTAINER_TOOLS),
    owned("$DOCKER_HOST", CONTAINER_TOOLS),
    owned("$XDG_RUNTIME_DIR/docker.sock", CONTAINER_TOOLS),
    owned(".docker/run/docker.sock", CONTAINER_TOOLS),
    owned(".docker/desktop/docker.sock", CONTAINER_TOOLS),
    owned("/run/podman", CONTAINER_TOOLS),
    owned("$XDG_RUNTIME_DIR/podman", CONTAINER_TOOLS),
    owned("/run/containerd", &["ctr", "nerdctl", "crictl"]),
    owned("/run/crio", &["crictl"]),
    owned("/run/libvirt", &["virsh", "virt-install"]),
    owned("/var/snap/lxd/common/lxd/unix.socket", &["lxc"]),
    owned("/var/lib/incus/unix.socket", &["incus"]),
    owned("/nix/var/nix/daemon-socket", &["nix", "nix-build", "nix-shell", "nix-store", "nix-env"]),
    owned("$SSH_AUTH_SOCK", SSH_TOOLS),
    owned(".gnupg", &["gpg", "gpg2", "gpgconf", "gpg-connect-agent", "git", "pass", "sops"]),
    owned(
        "$XDG_RUNTIME_DIR/gnupg",
        &["gpg", "gpg2", "gpgconf", "gpg-connect-agent", "git", "pass", "sops"],
    ),
    owned("/run/postgresql", POSTGRES_TOOLS),
    owned("/tmp/.s.PGSQL.5432", POSTGRES_TOOLS),
    owned("/run/mysqld", MYSQL_TOOLS),
    owned("/var/lib/mysql/mysql.sock", MYSQL_TOOLS),
    owned("/tmp/mysql.sock", MYSQL_TOOLS),
    owned("/run/redis", &["redis-cli", "valkey-cli"]),
];

const CONTAINER_TOOLS: &[&str] =
    &["docker", "docker-compose", "podman", "podman-compose", "buildah", "act", "devcontainer"];
const SSH_TOOLS: &[&str] = &[
    "ssh",
    "ssh-add",
    "scp",
    "sftp",
    "rsync",
    "mosh",
    "sshfs",
    "git",
    "gh",
    "glab",
    "hub",
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "uv",
    "ansible",
    "ansible-playbook",
];
const POSTGRES_TOOLS: &[&str] = &[
    "psql",
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "pg_isready",
    "pgbench",
    "createdb",
    "dropdb",
    "createuser",
    "dropuser",
    "vacuumdb",
];
const MYSQL_TOOLS: &[&str] =
    &["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mariadb-admin"];

/// Directories of sockets that lead out of isolation, as a whole: sockets that are made later are closed too.
pub(super) const SOCKET_FOLDERS: &[KnownPath] = &[
    known("$XDG_RUNTIME_DIR", "the session: D-Bus, Wayland, systemd, audio"),
    known("/run/user/$UID", "the session, if the variable is not set"),
    known("/run/dbus", "the system bus starts services"),
    known("$TMUX_TMPDIR/tmux-$UID", "tmux types into the user's terminals"),
    known("/tmp/tmux-$UID", "tmux types into the user's terminals"),
    known("/run/screen", "screen types into the user's terminals"),
    known(".screen", "screen types into the user's terminals"),
    known("/tmp/.X11-unix", "the screen and the keyboard"),
    known("/tmp/.ICE-unix", "the desktop session"),
];

/// Sockets that every program may use.
pub(super) const SYSTEM_SOCKETS: &[KnownPath] = &[
    known("/run/systemd/resolve", "name resolution"),
    known("/run/systemd/userdb", "names of users"),
    known("/run/systemd/journal", "logging"),
    known("/run/nscd", "names of users and hosts"),
    known("/run/nslcd", "names of users"),
    known("/var/lib/sss/pipes", "names of users"),
    known("/run/avahi-daemon", "name resolution"),
    known("/dev/log", "logging"),
];

/// Caches that builds keep between runs.
///
/// What a run writes into a directory of `PATH`, an interpreter or the settings of a tool takes effect outside of isolation.
/// So none of them is a cache, and those that a tool places into its cache are in [`START_FILES`].
pub(super) const TOOL_CACHES: &[ToolCache] = &[
    cache(".cache", Some("XDG_CACHE_HOME"), "", "sh", "the cache directory of most tools"),
    cache(".cargo", Some("CARGO_HOME"), "registry", "cargo", "downloaded crates"),
    cache(".cargo", Some("CARGO_HOME"), "git", "cargo", "crates from git"),
    cache(".npm", None, "", "npm", "downloaded packages and npm's log"),
    cache(".yarn", None, "berry", "yarn", "downloaded packages"),
    cache(".local/share/pnpm", None, "store", "pnpm", "the package store, not its bin"),
    cache(".bun", None, "install/cache", "bun", "downloaded packages"),
    cache(".local/share/virtualenv", None, "", "virtualenv", "seed packages"),
    cache(".local/share/virtualenvs", None, "", "pipenv", "the environments of projects"),
    cache("go", Some("GOPATH"), "pkg", "go", "downloaded modules"),
    cache(".cache/go-build", Some("GOCACHE"), "", "go", "compiled packages"),
    cache(".gradle", Some("GRADLE_USER_HOME"), "caches", "gradle", "downloaded artifacts"),
    cache(
        ".gradle",
        Some("GRADLE_USER_HOME"),
        "daemon",
        "gradle",
        "the daemon's registry and logs",
    ),
    cache(".gradle", Some("GRADLE_USER_HOME"), "native", "gradle", "unpacked libraries"),
    cache(".gradle", Some("GRADLE_USER_HOME"), "wrapper", "gradle", "downloaded Gradles"),
    cache(".gradle", Some("GRADLE_USER_HOME"), ".tmp", "gradle", "its temp"),
    cache(".m2", None, "repository", "mvn", "downloaded artifacts"),
    cache(".nuget", None, "", "dotnet", "downloaded packages and its state"),
    cache(".nuget/packages", Some("NUGET_PACKAGES"), "", "dotnet", "downloaded packages"),
    cache(".gem", None, "", "gem", "installed gems"),
    cache(".bundle", None, "cache", "bundle", "downloaded gems"),
    cache(".hex", None, "", "mix", "downloaded packages"),
    cache(".mix", None, "", "mix", "archives"),
    cache(".julia", None, "", "julia", "packages and compiled code"),
    cache(".pub-cache", None, "hosted", "dart", "downloaded packages"),
    cache(".ccache", Some("CCACHE_DIR"), "", "ccache", "compiled objects"),
    cache("Library/Caches", None, "", "sw_vers", "the caches of macOS"),
];

/// What is in such a cache, and is executed when a shell, an editor or a tool starts outside of isolation: not writable.
/// `$USER` is the user's name.
pub(super) const START_FILES: &[ToolCache] = &[
    in_cache("p10k-instant-prompt-$USER.zsh", "zsh", "Powerlevel10k sources it"),
    in_cache("p10k-instant-prompt-$USER.zsh.zwc", "zsh", "the same, compiled"),
    in_cache("p10k-dump-$USER.zsh", "zsh", "Powerlevel10k sources it"),
    in_cache("p10k-dump-$USER.zsh.zwc", "zsh", "the same, compiled"),
    in_cache("gitstatus", "zsh", "Powerlevel10k executes its daemon"),
    in_cache("zsh", "zsh", "completions that are sourced"),
    in_cache("oh-my-zsh", "zsh", "completions that are sourced"),
    in_cache("zsh4humans", "zsh", "all of its code"),
    in_cache("prezto", "zsh", "completions that are sourced"),
    in_cache("antidote", "zsh", "plugins"),
    in_cache("antibody", "zsh", "plugins"),
    in_cache("zinit", "zsh", "plugins"),
    in_cache("bash", "bash", "completions that are sourced"),
    in_cache("nushell", "nu", "sourced by settings"),
    in_cache("wal", "sh", "colours that shells source"),
    in_cache("nvim", "nvim", "compiled settings"),
    in_cache("oh-my-posh", "oh-my-posh", "its script that shells source"),
    in_cache("starship", "starship", "its script that nushell sources"),
    in_cache("carapace", "carapace", "its script that nushell sources"),
    in_cache("fish", "fish", "completions that are sourced"),
    in_cache("zcompdump", "zsh", "completions that are sourced"),
    in_cache("zcompdump.zwc", "zsh", "the same, compiled"),
    in_cache(".zcompdump", "zsh", "completions that are sourced"),
    in_cache(".zcompdump.zwc", "zsh", "the same, compiled"),
    in_cache("dein", "vim", "plugins"),
    in_cache("dpp", "vim", "plugins"),
    in_cache("lvim", "nvim", "compiled settings"),
    in_cache("emacs", "emacs", "compiled settings"),
    in_cache("rebar3/bin", "rebar3", "a folder of PATH"),
    in_cache(".bun/bin", "bun", "a folder of PATH, where XDG_CACHE_HOME moves Bun"),
    in_cache(".bun/install/global", "bun", "programs on PATH are links to it"),
    cache("Library/Caches", None, "antidote", "zsh", "plugins"),
    cache("Library/Caches", None, "oh-my-posh", "oh-my-posh", "its script that shells source"),
    cache(".julia", None, "config", "julia", "executed by each Julia"),
    cache(".julia", None, "bin", "julia", "a folder of PATH"),
    cache(".julia", None, "juliaup", "julia", "the versions of Julia and which one runs"),
    cache(".mix", None, "escripts", "mix", "a folder of PATH"),
    cache(".mix", None, "archives", "mix", "loaded by each mix"),
    cache(".mix", None, "elixir", "mix", "rebar3, which mix executes"),
    cache(".mix", None, "rebar", "mix", "mix executes it"),
    cache(".mix", None, "rebar3", "mix", "mix executes it"),
    cache(".hex", None, "hex.config", "mix", "where packages come from"),
    cache(".nuget", None, "NuGet", "dotnet", "settings: where packages come from"),
    cache(".nuget", None, "plugins", "dotnet", "programs that NuGet executes"),
    cache(".ccache", Some("CCACHE_DIR"), "ccache.conf", "ccache", "settings that name programs"),
];

const fn in_cache(within: &'static str, program: &'static str, reason: &'static str) -> ToolCache {
    cache(".cache", Some("XDG_CACHE_HOME"), within, program, reason)
}

/// Files next to a cache that a tool must write for its locks.
pub(super) const TOOL_LOCK_FILES: &[KnownPath] = &[
    known(".cargo/.package-cache", "cargo's lock"),
    known(".cargo/.package-cache-mutate", "cargo's lock"),
    known(".cargo/.global-cache", "cargo's usage times"),
    known(".cargo/.crates.toml", "cargo locks it to list what is installed"),
    known(".cargo/.crates2.json", "cargo locks it to list what is installed"),
    known(".local/share/uv/tools/.lock", "uv's lock"),
    known(".local/share/uv/python/.lock", "uv's lock"),
];

/// Shared temp directories.
pub(super) const TEMP_DIRS: &[KnownPath] = &[
    known("/tmp", "temp"),
    known("/var/tmp", "temp that outlives a restart"),
    known("/private/tmp", "temp on macOS"),
    known("/private/var/folders", "temp on macOS"),
];

/// Memory that processes share by name.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Devices that any program may use.
pub(super) const DEVICES: &[KnownPath] = &[
    known("/dev/null", "discards output"),
    known("/dev/zero", "zeros"),
    known("/dev/full", "simulates a full disk"),
    known("/dev/random", "random numbers"),
    known("/dev/urandom", "random numbers"),
    known("/dev/tty", "the terminal, which a run does not have"),
    known("/dev/ptmx", "new terminals, for programs that test with them"),
    known("/dev/pts", "new terminals"),
    known(SHARED_MEMORY, "shared memory, used for locks between processes"),
];

/// Programs and libraries: everything that `strict` reads outside the project.
pub(super) const SYSTEM_PATHS: &[KnownPath] = &[
    known("/usr", "programs and libraries"),
    known("/bin", "programs"),
    known("/sbin", "programs"),
    known("/lib", "libraries"),
    known("/lib32", "libraries"),
    known("/lib64", "libraries"),
    known("/etc", "system settings, except the password hashes"),
    known("/opt", "programs"),
    known("/nix", "programs"),
    known("/snap", "programs"),
    known("/proc", "process state; the kernel hides most of other processes"),
    known("/sys/devices/system", "the number of processors"),
    known("/sys/fs/cgroup", "the memory limit of a container"),
    known("/run/current-system", "programs of NixOS"),
    known("/System", "libraries of macOS"),
    known("/Library", "libraries of macOS"),
    known(".cargo/bin", "Rust"),
    known(".cargo/registry", "Rust crates"),
    known(".cargo/git", "Rust crates"),
    known(".cargo/config.toml", "cargo settings"),
    known(".rustup", "Rust"),
    known(".pyenv", "Python"),
    known(".local/bin", "programs"),
    known(".local/lib", "Python packages"),
    known(".local/share/uv", "Python"),
    known(".nvm", "Node"),
    known(".volta", "Node"),
    known(".local/share/fnm", "Node"),
    known(".bun/bin", "Bun"),
    known(".deno/bin", "Deno"),
    known(".rbenv", "Ruby"),
    known(".gem", "Ruby"),
    known(".sdkman", "Java"),
    known(".asdf", "all languages"),
    known(".local/share/mise", "all languages"),
    known("go", "Go"),
    known("sdk", "Go"),
    known(".m2/repository", "Java libraries"),
    known(".gitconfig", "git fails if it is configured but unreadable"),
    known(".config/git", "git settings"),
];

/// Credentials, and the programs that own them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCredentials {
    pub(super) path: &'static str,
    pub(super) programs: &'static [&'static str],
}

pub(super) const fn owned(
    path: &'static str,
    programs: &'static [&'static str],
) -> ToolCredentials {
    ToolCredentials { path, programs }
}

pub(super) const fn known(path: &'static str, reason: &'static str) -> KnownPath {
    KnownPath { path, reason }
}

/// The cache of a tool: a directory in the home directory, or the one in an environment variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCache {
    pub(super) folder: &'static str,
    pub(super) variable: Option<&'static str>,
    /// The subdirectory that is the cache.
    pub(super) within: &'static str,
    /// The program that uses it. If it is installed, a run that may need a missing directory creates it.
    pub(super) program: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by the tests"))]
    pub(super) reason: &'static str,
}

impl ToolCache {
    /// Where it is, for a user with this home directory.
    pub(super) fn path(&self, home: Option<&Path>) -> Option<PathBuf> {
        let named = self.variable.and_then(env::var_os).map(PathBuf::from);
        let folder = named.filter(|path| path.is_absolute());
        Some(folder.or_else(|| Some(home?.join(self.folder)))?.join(self.within))
    }
}

const fn cache(
    folder: &'static str,
    variable: Option<&'static str>,
    within: &'static str,
    program: &'static str,
    reason: &'static str,
) -> ToolCache {
    ToolCache { folder, variable, within, program, reason }
}

#[cfg(test)]
mod tests {
    use super::super::known_secrets::{SECRET_STORE_EXCEPTIONS, SECRET_STORES};
    use super::*;

    #[test]
    fn every_path_has_a_reason_and_is_listed_once() {
        for list in [
            SECRET_STORES,
            SECRET_STORE_EXCEPTIONS,
            TOOL_LOCK_FILES,
            TEMP_DIRS,
            DEVICES,
            SYSTEM_PATHS,
            SOCKET_FOLDERS,
            SYSTEM_SOCKETS,
        ] {
            for (index, entry) in list.iter().enumerate() {
                assert!(!entry.reason.is_empty(), "{}", entry.path);
                assert!(
                    list[..index].iter().all(|other| other.path != entry.path),
                    "{}",
                    entry.path
                );
            }
        }
        assert!(TOOL_CACHES.iter().chain(START_FILES).all(|cache| !cache.reason.is_empty()));
        let is_cache =
            |file: &ToolCache| TOOL_CACHES.iter().any(|cache| cache.folder == file.folder);
        assert!(START_FILES.iter().all(is_cache), "only those in caches can be written");
    }

    #[test]
    fn security_md_lists_sockets() {
        let page = include_str!("../../../../SECURITY.md");
        for known in TOOL_SOCKETS {
            let home = if known.path.starts_with(['/', '$']) { "" } else { "~/" };
            let programs: Vec<String> =
                known.programs.iter().map(|program| format!("`{program}`")).collect();
            let row = format!("| `{home}{}` | {} |", known.path, programs.join(", "));
            assert!(page.contains(&row), "SECURITY.md does not list {row}");
        }
        for known in SOCKET_FOLDERS {
            assert!(page.contains(known.path), "SECURITY.md does not list {}", known.path);
        }
    }
}
