//! Control files: what tools execute or obey when a person merely enters a folder, opens it in an editor, or uses git, a
//! package manager or an agent there.
//!
//! The table of all but those of single agents: no rule can allow a change to one in advance, and isolation freezes those of the project for runs.
//! Build descriptions (`Makefile`, `package.json`, `build.rs`) and CI workflows are not listed: they are the project's
//! code, changed in ordinary work, and reviewed as such.

/// Files and folders that are frozen for runs, relative to the project. Whatever their folder, no tool changes one without
/// asking.
const CONTROL_FILES: &[&str] = &[
    ".forebay.toml",
    // Shells that enter the folder.
    ".envrc",
    ".envrc.local",
    ".envrc.private",
    ".autoenv.zsh",
    ".autoenv_leave.zsh",
    ".shadowenv.d",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    ".mise",
    ".config/mise.toml",
    ".config/mise",
    ".miserc.toml",
    "mise/config.toml",
    // Editors and development environments.
    ".idea",
    ".fleet",
    ".vim",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".nvim",
    ".lvimrc",
    ".helix",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".emacs.desktop",
    ".ycm_extra_conf.py",
    ".vimspector.json",
    "Session.vim",
    ".nova",
    ".lapce",
    ".devcontainer",
    ".devcontainer.json",
    // Debuggers and consoles, which execute them when they start.
    ".gdbinit",
    ".lldbinit",
    ".pdbrc",
    ".perldb",
    ".phpdbginit",
    ".rdbgrc",
    ".byebugrc",
    ".irbrc",
    ".pryrc",
    ".psysh.php",
    ".erlang",
    ".octaverc",
    ".iex.exs",
    ".ghci",
    ".ocamlinit",
    ".Rprofile",
    ".Renviron",
    "jupyter_config.py",
    "jupyter_config.json",
    "jupyter_server_config.py",
    "jupyter_server_config.json",
    "jupyter_notebook_config.py",
    "jupyter_notebook_config.json",
    "jupyter_lab_config.py",
    "jupyter_lab_config.json",
    // Hook managers.
    ".husky",
    ".githooks",
    ".lefthook",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    "lefthook-local.yml",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lefthook-local.yml",
    ".config/lefthook.yml",
    ".pre-commit-config.yaml",
    ".overcommit.yml",
    ".git-hooks",
    // Other version control: hooks and aliases.
    ".hg/hgrc",
    ".hg/hgrc-not-shared",
    ".sl/config",
    "_darcs/prefs/defaults",
    ".pijul/config",
    ".jj/repo/config.toml",
    ".jj/repo/workspace-config.toml",
    ".jj/workspace-config.toml",
    // Package managers: registries, wrappers, plugins.
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/releases",
    ".yarn/plugins",
    ".yarn/sdks",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    ".bundle/config",
    ".bundle/plugin",
    ".cargo/config.toml",
    ".cargo/config",
    ".mvn",
    "nuget.config",
    "NuGet.config",
    "NuGet.Config",
    ".yarn/bin",
    ".huskyrc",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".lintstagedrc.yaml",
    ".lintstagedrc.yml",
    ".lintstagedrc.js",
    ".lintstagedrc.cjs",
    ".lintstagedrc.mjs",
    "lint-staged.config.js",
    "lint-staged.config.cjs",
    "lint-staged.config.mjs",
    ".pre-commit-config.yml",
    ".pre-commit-hooks.yaml",
    // Which compiler or interpreter runs, by its path: a prompt asks it for its version.
    "rust-toolchain.toml",
    "rust-toolchain",
    ".tool-versions",
    ".bazelrc",
    // Settings that become those of the user where HOME or a variable leads to the project.
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
    ".direnvrc",
    ".gitconfig",
    "hgrc",
    ".hgrc",
    ".pypirc",
    "pip.conf",
    "pip.ini",
    ".pydistutils.cfg",
    ".condarc",
    ".gemrc",
    ".tmux.conf",
    ".ripgreprc",
    ".curlrc",
    ".wgetrc",
    // Agents; the folders of each are in the table of the hosts.
    ".claude",
    ".claude.json",
    ".mcp.json",
    ".vscode",
    ".zed",
];

/// What no tool changes without asking either, and runs change in ordinary work, each with what they do there.
const OPEN_TO_RUNS: &[(&str, &str)] = &[
    (".git", "commits; what git executes in it is frozen"),
    (".gitmodules", "git changes it with submodules, and executes nothing that it names"),
    (".hg", "commits; its settings are frozen"),
    (".jj", "commits; its settings are frozen"),
    (".sl", "commits; its settings are frozen"),
    ("_darcs", "commits; its settings are frozen"),
    (".pijul", "commits; its settings are frozen"),
    (".direnv", "the virtual environments that packages are installed into"),
    (".cargo", "its settings are frozen"),
    (".yarn", "downloaded packages; what it executes is frozen"),
    (".bundle", "downloaded gems; what it executes is frozen"),
    (".ssh", "keys of tests; nothing obeys it in a project"),
];

/// Ends of the names of settings that their owner names: an editor obeys them when it opens one.
const EDITOR_PROJECTS: &[&str] = &[".code-workspace", ".sublime-project", ".sublime-workspace"];

/// The files and folders that runs may neither change nor make at the top of a project.
pub fn control_files() -> impl Iterator<Item = &'static str> {
    CONTROL_FILES.iter().copied()
}

/// Whether a canonical path is never changed without asking.
pub fn is_protected(path: &str) -> bool {
    let is_editors = |name: &str| EDITOR_PROJECTS.iter().any(|end| name.ends_with(end));
    CONTROL_FILES.iter().any(|listed| is_within(path, listed))
        || OPEN_TO_RUNS.iter().any(|(listed, _)| is_within(path, listed))
        || path.split('/').any(is_editors)
}

/// Whether a path is that of a listed file or folder, in any folder, or inside of it.
pub fn is_within(path: &str, listed: &str) -> bool {
    let begins = |rest: &str| {
        let behind = rest.strip_prefix(listed);
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/'))
    };
    // From each name of the path on.
    let mut rests = std::iter::successors(Some(path), |rest| Some(rest.split_once('/')?.1));
    rests.any(begins)
}

pub(super) fn reason(path: &str) -> String {
    format!("{path} is protected: programs take commands or settings from it")
}
