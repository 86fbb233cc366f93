//! The folders of a machine that hosts' paths are relative to.

/// An operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
}

/// The folder that a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseDir {
    Project,
    Home,
    /// The folder named by an environment variable, or else this one in the user's home.
    EnvOr(&'static str, &'static str),
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every system.
    XdgConfig,
    /// The same, but `%APPDATA%` on Windows.
    Config,
    /// The settings folder of desktop programs.
    AppSupport,
}

impl BaseDir {
    /// Whether an environment variable may relocate it.
    pub fn is_moved_by(self, variable: &str) -> bool {
        match self {
            Self::Project | Self::Home => false,
            Self::EnvOr(name, _) => name == variable,
            Self::XdgConfig | Self::Config | Self::AppSupport => {
                ["XDG_CONFIG_HOME", "APPDATA"].contains(&variable)
            }
        }
    }
}

/// The folders of a machine and a project.
pub struct BaseDirs<'a> {
    pub os: Os,
    pub home: &'a str,
    pub project: &'a str,
    /// Looks up an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl BaseDirs<'_> {
    /// Resolves a path below a base folder.
    pub fn path(&self, base: BaseDir, path: &str) -> String {
        format!("{}/{path}", self.base(base).trim_end_matches(['/', '\\']))
    }

    fn base(&self, base: BaseDir) -> String {
        match (base, self.os) {
            (BaseDir::Project, _) => self.project.to_owned(),
            (BaseDir::Home, _) => self.home.to_owned(),
            (BaseDir::EnvOr(name, folder), _) => self.env_or(name, folder),
            (BaseDir::Config | BaseDir::AppSupport, Os::Windows) => {
                self.env_or("APPDATA", "AppData/Roaming")
            }
            (BaseDir::AppSupport, Os::MacOs) => self.in_home("Library/Application Support"),
            (BaseDir::XdgConfig | BaseDir::Config | BaseDir::AppSupport, _) => {
                self.env_or("XDG_CONFIG_HOME", ".config")
            }
        }
    }

    fn env_or(&self, name: &str, folder: &str) -> String {
        (self.variable)(name)
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| self.in_home(folder))
    }

    fn in_home(&self, folder: &str) -> String {
        format!("{}/{folder}", self.home.trim_end_matches(['/', '\\']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(os: Os, base: BaseDir, path: &str, expect: &str) {
        let variable = |name: &str| (name == "CODEX_HOME").then(|| "/opt/codex/".to_owned());
        let folders =
            BaseDirs { os, home: "/home/user", project: "/home/user/p", variable: &variable };
        assert_eq!(folders.path(base, path), expect);
    }

    #[test]
    fn resolves_by_system_and_environment() {
        check(Os::Linux, BaseDir::Project, ".mcp.json", "/home/user/p/.mcp.json");
        check(
            Os::Linux,
            BaseDir::EnvOr("CODEX_HOME", ".codex"),
            "hooks.json",
            "/opt/codex/hooks.json",
        );
        check(Os::Linux, BaseDir::EnvOr("COPILOT_HOME", ".copilot"), "x", "/home/user/.copilot/x");
        check(
            Os::MacOs,
            BaseDir::AppSupport,
            "Claude/c.json",
            "/home/user/Library/Application Support/Claude/c.json",
        );
        check(Os::Linux, BaseDir::AppSupport, "Code/m.json", "/home/user/.config/Code/m.json");
        check(Os::Windows, BaseDir::Config, "zed/s.json", "/home/user/AppData/Roaming/zed/s.json");
        check(
            Os::Windows,
            BaseDir::XdgConfig,
            "opencode/o.json",
            "/home/user/.config/opencode/o.json",
        );
    }
}
