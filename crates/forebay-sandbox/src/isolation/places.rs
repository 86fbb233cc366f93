//! The places a profile speaks of, each with the reason it is listed.
//!
//! Folders are below the user's home unless they start with a slash.

/// What lies where, and why it is in its list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) path: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "a row carries its reason; tests hold that"))]
    pub(super) why: &'static str,
}

/// Secrets that no build needs. The credentials of `gh`, `aws`, `gcloud`, `kubectl` and `docker` are
/// not among them on purpose: these tools must work, and read them from `~/.config/gh`, `~/.aws`, ....
pub(super) const SECRET_STORES: &[Place] = &[
    place(".ssh", "private keys; ssh itself works through the agent, see SECRETS_LEFT_OPEN"),
    place(".gnupg", "private keys; signing works through the agent's socket"),
    place(".netrc", "passwords of hosts"),
    place(".password-store", "pass"),
    place(".local/share/keyrings", "GNOME keyring"),
    place(".local/share/kwalletd", "KDE wallet"),
    place(".config/keepassxc", "KeePassXC"),
    place(".config/Bitwarden", "Bitwarden"),
    place(".config/1Password", "1Password"),
    place(".mozilla", "Firefox: cookies and passwords"),
    place(".thunderbird", "mail and its passwords"),
    place(".config/google-chrome", "Chrome: cookies and passwords"),
    place(".config/chromium", "Chromium: cookies and passwords"),
    place(".config/BraveSoftware", "Brave: cookies and passwords"),
    place(".config/microsoft-edge", "Edge: cookies and passwords"),
    place("Library/Keychains", "the macOS keychain"),
    place("Library/Application Support/Google/Chrome", "Chrome on macOS"),
    place("Library/Application Support/Firefox", "Firefox on macOS"),
    place("/etc/shadow", "password hashes, for a run as root"),
    place("/etc/gshadow", "password hashes, for a run as root"),
];

/// Inside the secret stores, but no secret and needed to speak with hosts through an agent.
pub(super) const SECRETS_LEFT_OPEN: &[Place] = &[
    place(".ssh/config", "which host is reached how"),
    place(".ssh/known_hosts", "the public keys of hosts"),
    place(".ssh/known_hosts.old", "likewise"),
    place(".ssh/allowed_signers", "public keys that may sign commits"),
];

/// What builds keep between runs. Never a folder of programs on PATH nor a tool's settings: what a run
/// leaves there would act outside of isolation later.
pub(super) const TOOL_CACHES: &[Cache] = &[
    cache(".cache", Some("XDG_CACHE_HOME"), "", "sh", "where most tools keep what they can lose"),
    cache(".cargo", Some("CARGO_HOME"), "registry", "cargo", "downloaded crates"),
    cache(".cargo", Some("CARGO_HOME"), "git", "cargo", "crates from git"),
    cache(".npm", None, "", "npm", "downloaded packages and npm's log"),
    cache(".yarn", None, "berry", "yarn", "downloaded packages"),
    cache(".local/share/pnpm", None, "store", "pnpm", "the package store, not its bin"),
    cache(".bun", None, "install/cache", "bun", "downloaded packages"),
    cache(".local/share/uv", None, "", "uv", "Python versions and tools of uv"),
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
    cache(".nuget", Some("NUGET_PACKAGES"), "", "dotnet", "downloaded packages"),
    cache(".gem", None, "", "gem", "installed gems"),
    cache(".bundle", None, "cache", "bundle", "downloaded gems"),
    cache(".hex", None, "", "mix", "downloaded packages"),
    cache(".mix", None, "", "mix", "archives"),
    cache(".julia", None, "", "julia", "packages and compiled code"),
    cache(".pub-cache", None, "hosted", "dart", "downloaded packages"),
    cache(".ccache", Some("CCACHE_DIR"), "", "ccache", "compiled objects"),
    cache("Library/Caches", None, "", "sw_vers", "the caches of macOS"),
];

/// Files beside a cache that a tool must be able to write for its locks.
pub(super) const TOOL_LOCKS: &[Place] = &[
    place(".cargo/.package-cache", "cargo's lock"),
    place(".cargo/.package-cache-mutate", "cargo's lock"),
    place(".cargo/.global-cache", "when cargo last used what"),
    place(".cargo/.crates.toml", "cargo locks it to list what is installed"),
    place(".cargo/.crates2.json", "likewise"),
];

/// Temp that everyone shares.
pub(super) const TEMP: &[Place] = &[
    place("/tmp", "temp"),
    place("/var/tmp", "temp that outlives a restart"),
    place("/private/tmp", "temp on macOS"),
    place("/private/var/folders", "temp on macOS"),
];

/// Devices that any program may use.
pub(super) const DEVICES: &[Place] = &[
    place("/dev/null", "nothing"),
    place("/dev/zero", "zeros"),
    place("/dev/full", "a disk that is full"),
    place("/dev/random", "chance"),
    place("/dev/urandom", "chance"),
    place("/dev/tty", "the terminal, of which a run has none"),
    place("/dev/ptmx", "new terminals, for programs that test with them"),
    place("/dev/pts", "likewise"),
    place("/dev/shm", "shared memory, of which locks between processes are made"),
];

/// What programs are made of: all that `strict` reads outside of the project.
pub(super) const SYSTEM: &[Place] = &[
    place("/usr", "programs and libraries"),
    place("/bin", "programs"),
    place("/sbin", "programs"),
    place("/lib", "libraries"),
    place("/lib32", "libraries"),
    place("/lib64", "libraries"),
    place("/etc", "settings of the system, without the password hashes"),
    place("/opt", "programs"),
    place("/nix", "programs"),
    place("/snap", "programs"),
    place("/proc", "a run's own state; of other processes the kernel shows little"),
    place("/sys/devices/system", "how many processors there are"),
    place("/sys/fs/cgroup", "how much memory a container has"),
    place("/run/current-system", "programs of NixOS"),
    place("/System", "libraries of macOS"),
    place("/Library", "libraries of macOS"),
    place(".cargo/bin", "Rust"),
    place(".cargo/registry", "Rust crates"),
    place(".cargo/git", "Rust crates"),
    place(".cargo/config.toml", "settings of Rust"),
    place(".rustup", "Rust"),
    place(".pyenv", "Python"),
    place(".local/bin", "programs"),
    place(".local/lib", "Python packages"),
    place(".local/share/uv", "Python"),
    place(".nvm", "Node"),
    place(".volta", "Node"),
    place(".local/share/fnm", "Node"),
    place(".bun/bin", "Bun"),
    place(".deno/bin", "Deno"),
    place(".rbenv", "Ruby"),
    place(".gem", "Ruby"),
    place(".sdkman", "Java"),
    place(".asdf", "all languages"),
    place(".local/share/mise", "all languages"),
    place("go", "Go"),
    place("sdk", "Go"),
    place(".m2/repository", "Java libraries"),
    place(".gitconfig", "git refuses to work without it where it is named"),
    place(".config/git", "likewise"),
];

const fn place(path: &'static str, why: &'static str) -> Place {
    Place { path, why }
}

/// A tool's cache: a folder in the home folder, or where a variable says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cache {
    pub(super) folder: &'static str,
    pub(super) variable: Option<&'static str>,
    /// The part of the folder that is the cache.
    pub(super) within: &'static str,
    /// Whose it is: where this program is installed, the folder is made if it is missing, for the
    /// fence can only be opened for what exists.
    pub(super) program: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "a row carries its reason; tests hold that"))]
    pub(super) why: &'static str,
}

const fn cache(
    folder: &'static str,
    variable: Option<&'static str>,
    within: &'static str,
    program: &'static str,
    why: &'static str,
) -> Cache {
    Cache { folder, variable, within, program, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_reason_and_stands_once() {
        for list in [SECRET_STORES, SECRETS_LEFT_OPEN, TOOL_LOCKS, TEMP, DEVICES, SYSTEM] {
            for (index, place) in list.iter().enumerate() {
                assert!(!place.why.is_empty(), "{}", place.path);
                assert!(
                    list[..index].iter().all(|other| other.path != place.path),
                    "{}",
                    place.path
                );
            }
        }
        assert!(TOOL_CACHES.iter().all(|cache| !cache.why.is_empty()));
    }

    #[test]
    fn what_cloud_tools_need_stays_readable() {
        for needed in [".aws", ".config/gh", ".config/gcloud", ".kube", ".docker"] {
            let hidden = SECRET_STORES.iter().any(|store| needed.starts_with(store.path));
            assert!(!hidden, "{needed}");
        }
    }
}
