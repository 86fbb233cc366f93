//! The secrets that runs cannot read, and where they are.
//!
//! Paths are relative to the home directory of the user unless they start with a slash; `$UID` stands for the user.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::Isolation;
use super::canonicalize::canonicalize;
use super::known_paths::{KnownPath, ToolCredentials, known, owned};

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
    owned(".local/share/uv/credentials", &["uv", "uvx"]),
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

/// Paths inside secret stores that contain no secrets and are needed to connect through an agent.
pub(super) const SECRET_STORE_EXCEPTIONS: &[KnownPath] = &[
    known(".ssh/config", "connection settings of hosts"),
    known(".ssh/known_hosts", "the public keys of hosts"),
    known(".ssh/known_hosts.old", "the public keys of hosts"),
    known(".ssh/allowed_signers", "public keys that may sign commits"),
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

/// Where the secrets of a table are: at their usual path, and where variables move them.
pub(super) fn locations(path: &str, isolation: &Isolation) -> Vec<PathBuf> {
    let named: Cow<'_, str> = if path.contains("$UID") {
        path.replace("$UID", &geteuid().as_raw().to_string()).into()
    } else {
        path.into()
    };
    // Joining an absolute path replaces the folder.
    let usual = isolation.home.as_deref().unwrap_or(Path::new("/")).join(&*named);
    let usual = canonicalize(&usual);
    let moved = MOVED_BY.iter().map(|(from, variable)| {
        let (from, path) = (Path::new(from), Path::new(path));
        let at = |named: PathBuf| match path.strip_prefix(from) {
            // Joining an empty path would add a slash.
            Ok(rest) if !rest.as_os_str().is_empty() => named.join(rest),
            _ => named,
        };
        let is_moved = path.starts_with(from) || from.starts_with(path);
        let named = if is_moved { named_by(variable) } else { Vec::new() };
        named.into_iter().map(at).collect::<Vec<_>>()
    });
    let moved = moved.flatten().filter_map(|path| canonicalize(&path));
    // A variable may name a device to keep nothing, and must not close what every run needs.
    let is_needed = |path: &Path| {
        let needed = isolation.project_root.iter().chain(&isolation.home);
        needed.into_iter().any(|needed| needed.starts_with(path))
    };
    let moved = moved.filter(|path| (path.is_file() || path.is_dir()) && !is_needed(path));
    usual.into_iter().chain(moved).collect()
}

/// The absolute paths in a variable, which may be a list of them.
fn named_by(variable: &str) -> Vec<PathBuf> {
    let value = env::var_os(variable).unwrap_or_default();
    env::split_paths(&value).filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
