//! Files that make tools execute code: no rule can allow a change to one in advance.
//!
//! The test for a file is whether something that people run anyway (a shell, git, an editor, a package manager, an
//! agent) takes commands, programs or their source from it. Build descriptions (`Makefile`, `package.json`,
//! `build.rs`) and CI workflows are not listed: they are the project's code, changed in ordinary work, and reviewed
//! as such.

/// Directories whose content controls what programs do.
const FOLDERS: &[&str] = &[
    // Version control: hooks, filters, aliases.
    ".git",
    ".husky",
    ".githooks",
    ".lefthook",
    // Editors and development environments: tasks, terminals, containers.
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".devcontainer",
    ".helix",
    ".mise",
    ".direnv",
    // Agents: hooks, rules, servers.
    ".claude",
    // Package managers: registries, build wrappers, plugins.
    ".cargo",
    ".yarn",
    ".bundle",
    ".mvn",
    // Keys, and commands of hosts.
    ".ssh",
];

/// Files that control what shells and tools do.
const FILES: &[&str] = &[
    // Agents.
    ".mcp.json",
    ".claude.json",
    // Forebay: what is isolated, run and stored.
    ".forebay.toml",
    // Shells.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".inputrc",
    // Environments that a shell enters with the directory.
    ".envrc",
    ".direnvrc",
    ".autoenv.zsh",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    // Version control and its hook managers.
    ".gitconfig",
    ".gitmodules",
    "hgrc",
    ".hgrc",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ".pre-commit-hooks.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
    "lefthook-local.yml",
    ".lefthook-local.yml",
    ".huskyrc",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".lintstagedrc.yaml",
    ".overcommit.yml",
    // Package managers: registries to install from, scripts and plugins to run.
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".pypirc",
    "pip.conf",
    "pip.ini",
    ".pydistutils.cfg",
    ".condarc",
    ".gemrc",
    // Debuggers, editors and clients that read commands at start.
    ".gdbinit",
    ".lldbinit",
    ".pdbrc",
    ".irbrc",
    ".pryrc",
    ".iex.exs",
    ".ghci",
    ".ocamlinit",
    ".Rprofile",
    ".Renviron",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".tmux.conf",
    ".ripgreprc",
    ".curlrc",
    ".wgetrc",
];

/// Whether a canonical path is never changed without asking.
pub(super) fn is_protected(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    FILES.contains(&name) || path.split('/').any(|name| FOLDERS.contains(&name))
}

pub(super) fn reason(path: &str) -> String {
    format!("{path} is protected: programs take commands or settings from it")
}
