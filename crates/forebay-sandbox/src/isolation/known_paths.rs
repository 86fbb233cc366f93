//! The paths that profiles refer to, each with the reason it is listed.
//!
//! Paths are relative to the home directory of the user unless they start with a slash. A variable of the environment at
//! the start stands for its value, `$UID` for the user.

/// A path and the reason it is listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownPath {
    pub(super) path: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by the tests"))]
    pub(super) reason: &'static str,
}

/// Secrets that no build needs.
pub(super) const SECRET_STORES: &[KnownPath] = &[
    known(".ssh", "private keys; ssh itself works through the agent, see SECRET_STORE_EXCEPTIONS"),
    known(".gnupg", "private keys; signing works through the agent's socket"),
    known(".netrc", "passwords of hosts"),
    known(".password-store", "pass"),
    known(".local/share/keyrings", "GNOME keyring"),
    known(".local/share/kwalletd", "KDE wallet"),
    known(".config/keepassxc", "KeePassXC"),
    known(".config/Bitwarden", "Bitwarden"),
    known(".config/1Password", "1Password"),
    known(".mozilla", "Firefox: cookies and passwords"),
    known(".thunderbird", "mail and its passwords"),
    known(".config/google-chrome", "Chrome: cookies and passwords"),
    known(".config/chromium", "Chromium: cookies and passwords"),
    known(".config/BraveSoftware", "Brave: cookies and passwords"),
    known(".config/microsoft-edge", "Edge: cookies and passwords"),
    known(".pki/nssdb", "certificates and keys of browsers"),
    known(".config/op", "1Password's command line"),
    known(".config/sops/age", "keys that decrypt secrets in repositories"),
    known(".bitcoin", "a wallet"),
    known(".ethereum/keystore", "a wallet"),
    known(".config/solana/id.json", "a wallet"),
    known(".Xauthority", "access to the screen"),
    known(".subversion/auth", "passwords of hosts"),
    known(".bash_history", "secrets typed at a prompt"),
    known(".zsh_history", "secrets typed at a prompt"),
    known(".histfile", "secrets typed at a prompt"),
    known(".zsh_sessions", "secrets typed at a prompt"),
    known(".local/share/fish/fish_history", "secrets typed at a prompt"),
    known(".local/share/atuin", "secrets typed at a prompt"),
    known(".psql_history", "secrets typed at a prompt"),
    known(".mysql_history", "secrets typed at a prompt"),
    known(".sqlite_history", "secrets typed at a prompt"),
    known(".rediscli_history", "secrets typed at a prompt"),
    known(".mongodb", "secrets typed at a prompt"),
    known(".python_history", "secrets typed at a prompt"),
    known(".node_repl_history", "secrets typed at a prompt"),
    known(".irb_history", "secrets typed at a prompt"),
    known(".authinfo", "passwords of hosts, for Emacs"),
    known(".authinfo.gpg", "passwords of hosts, for Emacs"),
    known(".config/msmtp", "passwords of mail"),
    known(".msmtprc", "passwords of mail"),
    known(".mbsyncrc", "passwords of mail"),
    known(".offlineimaprc", "passwords of mail"),
    known(".fetchmailrc", "passwords of mail"),
    known(".local/share/evolution", "mail and its passwords"),
    known(".config/filezilla", "passwords of hosts"),
    known(".local/share/remmina", "passwords of hosts"),
    known(".vnc", "passwords of screens"),
    known(".davfs2", "passwords of shares"),
    known(".smbcredentials", "passwords of shares"),
    known(".putty", "private keys"),
    known(".minisign", "private keys"),
    known(".config/age", "private keys"),
    known(".local/share/gopass", "gopass"),
    known(".local/share/rbw", "Bitwarden's command line"),
    known(".config/vivaldi", "Vivaldi: cookies and passwords"),
    known(".config/opera", "Opera: cookies and passwords"),
    known(".config/Signal", "messages and their key"),
    known(".config/Slack", "cookies"),
    known(".config/discord", "cookies"),
    known(".config/Element", "messages and their keys"),
    known(".local/share/TelegramDesktop", "messages and their key"),
    known(".var/app", "data of Flatpak applications, browsers among them"),
    known("snap/firefox", "Firefox: cookies and passwords"),
    known("snap/chromium", "Chromium: cookies and passwords"),
    known("snap/thunderbird", "mail and its passwords"),
    known(".electrum", "a wallet"),
    known("Library/Keychains", "the macOS keychain"),
    known("Library/Application Support/Google/Chrome", "Chrome on macOS"),
    known("Library/Application Support/Firefox", "Firefox on macOS"),
    known("/etc/shadow", "password hashes, for a run as root"),
    known("/etc/gshadow", "password hashes, for a run as root"),
    known("/etc/ssl/private", "private keys, for a run as root"),
    known("/etc/wireguard", "private keys, for a run as root"),
    known("/etc/NetworkManager/system-connections", "passwords of networks, for a run as root"),
    known("/etc/krb5.keytab", "keys of this machine, for a run as root"),
    known("/run/secrets", "secrets of a container: Docker, Kubernetes"),
];

/// Credentials of tools: closed, except for a run under `project` that names one of the programs that own them.
/// SECURITY.md lists them. Agents' own come from the caller.
pub(super) const TOOL_CREDENTIALS: &[ToolCredentials] = &[
    owned(".aws", &["aws", "sam", "cdk", "terraform", "tofu", "pulumi"]),
    owned(".azure", &["az", "azd", "terraform", "tofu", "pulumi"]),
    owned(".config/gcloud", &["gcloud", "gsutil", "bq", "terraform", "tofu", "pulumi"]),
    owned(".config/gh", &["gh", "git"]),
    owned(".config/glab-cli", &["glab", "git"]),
    owned(".config/hub", &["hub"]),
    owned(".git-credentials", &["git", "gh", "glab", "hub", "cargo", "go", "npm", "pip", "uv"]),
    owned(
        ".config/git/credentials",
        &["git", "gh", "glab", "hub", "cargo", "go", "npm", "pip", "uv"],
    ),
    owned(".kube", &["kubectl", "helm", "k9s", "kustomize", "oc", "terraform", "tofu"]),
    owned(".docker/config.json", &["docker", "docker-compose", "podman", "buildah", "skopeo"]),
    owned(".config/containers/auth.json", &["podman", "buildah", "skopeo"]),
    owned(".terraform.d/credentials.tfrc.json", &["terraform", "tofu"]),
    owned(".vault-token", &["vault"]),
    owned(".pgpass", &["psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "dropdb"]),
    owned(".my.cnf", &["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"]),
    owned(".npmrc", &["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx", "corepack"]),
    owned(".yarnrc.yml", &["yarn", "corepack"]),
    owned(".pypirc", &["twine", "uv", "hatch", "flit", "poetry"]),
    owned(".cargo/credentials.toml", &["cargo"]),
    owned(".cargo/credentials", &["cargo"]),
    owned(".gem/credentials", &["gem", "bundle"]),
    owned(".m2/settings.xml", &["mvn", "mvnw", "gradle", "gradlew"]),
    owned(".config/rclone", &["rclone"]),
    owned(".s3cfg", &["s3cmd"]),
    owned(".boto", &["gsutil"]),
    owned(".terraformrc", &["terraform", "tofu"]),
    owned(".pulumi/credentials.json", &["pulumi"]),
    owned(".cache/huggingface/token", &["hf", "huggingface-cli"]),
    owned(".huggingface/token", &["hf", "huggingface-cli"]),
    owned(".fly", &["fly", "flyctl"]),
    owned(".vercel", &["vercel"]),
    owned(".local/share/com.vercel.cli", &["vercel"]),
    owned(".config/netlify", &["netlify"]),
    owned(".config/stripe", &["stripe"]),
    owned(".config/hcloud", &["hcloud"]),
    owned(".config/ngrok", &["ngrok"]),
    owned(".config/helm/registry", &["helm"]),
    owned(".config/doctl", &["doctl"]),
    owned(".config/heroku", &["heroku"]),
    owned(".config/pypoetry/auth.toml", &["poetry"]),
    owned(".config/composer/auth.json", &["composer"]),
    owned(".composer/auth.json", &["composer"]),
    owned(".config/nix/netrc", &["nix"]),
    owned(".local/share/gem/credentials", &["gem", "bundle"]),
    owned(".bundle/config", &["bundle", "gem", "rails", "rake", "rspec", "ruby"]),
    owned(".gradle/gradle.properties", &["gradle", "gradlew", "make"]),
    owned(".sbt/.credentials", &["sbt"]),
    owned(".ivy2/.credentials", &["sbt"]),
    owned(".databrickscfg", &["databricks", "terraform", "tofu"]),
    owned(".snowsql/config", &["snowsql"]),
    owned(".snowflake", &["snow"]),
    owned(".kaggle/kaggle.json", &["kaggle"]),
    owned(".oci", &["oci"]),
    owned(".bluemix", &["ibmcloud"]),
    owned(".aliyun", &["aliyun"]),
    owned(".docker/contexts", &["docker"]),
    owned(".minikube", &["minikube", "kubectl"]),
    owned(".cloudflared", &["cloudflared"]),
    owned(".wrangler", &["wrangler"]),
    owned(".config/.wrangler", &["wrangler"]),
    owned(".supabase", &["supabase"]),
    owned(".railway", &["railway"]),
    owned(".tsh", &["tsh"]),
    owned(".sentryclirc", &["sentry-cli"]),
    owned(".android/adbkey", &["adb"]),
    owned(".gitcookies", &["git"]),
    owned(".config/tea", &["tea"]),
    owned(".mylogin.cnf", &["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"]),
    owned(
        ".pg_service.conf",
        &["psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "dropdb"],
    ),
    owned(".dbt/profiles.yml", &["dbt"]),
    owned(".cassandra", &["cqlsh"]),
    owned(".clickhouse-client", &["clickhouse-client"]),
    owned(".nuget/NuGet/NuGet.Config", &["dotnet", "nuget", "msbuild", "make", "just"]),
    owned(".config/NuGet", &["dotnet", "nuget", "msbuild", "make", "just"]),
    owned(".conan2/credentials.json", &["conan"]),
    owned(".hex/hex.config", &["mix"]),
    owned(".m2/settings-security.xml", &["mvn", "mvnw", "gradle", "gradlew"]),
    owned(".config/configstore", &["firebase"]),
    owned(".config/linode-cli", &["linode-cli"]),
    owned(".config/scw", &["scw", "terraform", "tofu"]),
    owned(".ngrok2", &["ngrok"]),
    owned(".modal.toml", &["modal"]),
    owned(".circleci", &["circleci"]),
    owned(".chef", &["knife", "chef"]),
    owned(".saml2aws", &["saml2aws"]),
    owned(".awsvault", &["aws-vault"]),
    owned(".config/nats", &["nats"]),
    owned(".confluent", &["confluent"]),
    owned(".step", &["step"]),
    owned(".acme.sh", &["acme.sh"]),
    owned(".local/share/mkcert", &["mkcert"]),
    owned(".config/io.datasette.llm", &["llm"]),
    owned(".config/aichat", &["aichat"]),
    owned(".aider.conf.yml", &["aider"]),
    owned(".wakatime.cfg", &["wakatime", "wakatime-cli"]),
    owned("/tmp/krb5cc_$UID", &["kinit", "klist", "ssh", "scp", "git", "curl", "psql"]),
    owned("/etc/rancher/k3s/k3s.yaml", &["kubectl", "k3s", "helm"]),
    owned("/etc/kubernetes/admin.conf", &["kubectl", "kubeadm", "helm"]),
    owned(".curlrc", &["curl"]),
    owned(".wgetrc", &["wget"]),
];

/// Variables that move a path of the tables above elsewhere, or a part of it.
pub(super) const MOVED_BY: &[(&str, &str)] = &[
    (".config", "XDG_CONFIG_HOME"),
    (".local/share", "XDG_DATA_HOME"),
    (".cache", "XDG_CACHE_HOME"),
    (".cargo", "CARGO_HOME"),
    (".gradle", "GRADLE_USER_HOME"),
    (".gnupg", "GNUPGHOME"),
    (".password-store", "PASSWORD_STORE_DIR"),
    (".netrc", "NETRC"),
    (".bash_history", "HISTFILE"),
    (".config/sops/age/keys.txt", "SOPS_AGE_KEY_FILE"),
    (".aws/credentials", "AWS_SHARED_CREDENTIALS_FILE"),
    (".azure", "AZURE_CONFIG_DIR"),
    (".config/gcloud", "CLOUDSDK_CONFIG"),
    (".config/gcloud/key.json", "GOOGLE_APPLICATION_CREDENTIALS"),
    (".config/gh", "GH_CONFIG_DIR"),
    (".config/rclone/rclone.conf", "RCLONE_CONFIG"),
    (".config/containers/auth.json", "REGISTRY_AUTH_FILE"),
    (".docker", "DOCKER_CONFIG"),
    (".kube/config", "KUBECONFIG"),
    (".pgpass", "PGPASSFILE"),
    (".pg_service.conf", "PGSERVICEFILE"),
    (".npmrc", "NPM_CONFIG_USERCONFIG"),
    (".cache/huggingface", "HF_HOME"),
    (".terraformrc", "TF_CLI_CONFIG_FILE"),
    (".pulumi", "PULUMI_HOME"),
    (".databrickscfg", "DATABRICKS_CONFIG_FILE"),
    (".oci/config", "OCI_CLI_CONFIG_FILE"),
    (".kaggle", "KAGGLE_CONFIG_DIR"),
    (".dbt", "DBT_PROFILES_DIR"),
    (".boto", "BOTO_CONFIG"),
];

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

/// Paths inside secret stores that contain no secrets and are needed to connect through an agent.
pub(super) const SECRET_STORE_EXCEPTIONS: &[KnownPath] = &[
    known(".ssh/config", "connection settings of hosts"),
    known(".ssh/known_hosts", "the public keys of hosts"),
    known(".ssh/known_hosts.old", "the public keys of hosts"),
    known(".ssh/allowed_signers", "public keys that may sign commits"),
];

/// Caches that builds keep between runs.
///
/// Never a directory of `PATH` or the settings of a tool: what a run writes there would later take effect
/// outside of isolation.
pub(super) const TOOL_CACHES: &[ToolCache] = &[
    cache(".cache", Some("XDG_CACHE_HOME"), "", "sh", "the cache directory of most tools"),
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

/// Files next to a cache that a tool must write for its locks.
pub(super) const TOOL_LOCK_FILES: &[KnownPath] = &[
    known(".cargo/.package-cache", "cargo's lock"),
    known(".cargo/.package-cache-mutate", "cargo's lock"),
    known(".cargo/.global-cache", "cargo's usage times"),
    known(".cargo/.crates.toml", "cargo locks it to list what is installed"),
    known(".cargo/.crates2.json", "cargo locks it to list what is installed"),
];

/// Shared temp directories.
pub(super) const TEMP_DIRS: &[KnownPath] = &[
    known("/tmp", "temp"),
    known("/var/tmp", "temp that outlives a restart"),
    known("/private/tmp", "temp on macOS"),
    known("/private/var/folders", "temp on macOS"),
];

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
    known("/dev/shm", "shared memory, used for locks between processes"),
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

const fn owned(path: &'static str, programs: &'static [&'static str]) -> ToolCredentials {
    ToolCredentials { path, programs }
}

const fn known(path: &'static str, reason: &'static str) -> KnownPath {
    KnownPath { path, reason }
}

/// The cache of a tool: a directory in the home directory, or the one in an environment variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCache {
    pub(super) folder: &'static str,
    pub(super) variable: Option<&'static str>,
    /// The subdirectory that is the cache.
    pub(super) within: &'static str,
    /// The program that uses it. If it is installed, a missing directory is created, because rules apply only to
    /// existing paths.
    pub(super) program: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by the tests"))]
    pub(super) reason: &'static str,
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
        assert!(TOOL_CACHES.iter().all(|cache| !cache.reason.is_empty()));
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

    #[test]
    fn security_md_lists_credentials() {
        let page = include_str!("../../../../SECURITY.md");
        for credentials in TOOL_CREDENTIALS {
            let home = if credentials.path.starts_with('/') { "" } else { "~/" };
            let path = format!("`{home}{}`", credentials.path);
            assert!(page.contains(&path), "SECURITY.md does not list {path}");
            assert!(!credentials.programs.is_empty(), "{path} has no owner");
            let hidden = SECRET_STORES.iter().any(|store| credentials.path.starts_with(store.path));
            assert!(!hidden, "{path} is listed twice");
        }
    }
}
