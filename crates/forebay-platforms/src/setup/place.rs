//! Where a host's files lie on a machine.

/// An operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
}

/// The folder a path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Project,
    Home,
    /// A folder a variable may name; else this one in the user's home.
    EnvOr(&'static str, &'static str),
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every system.
    XdgConfig,
    /// The same, but `%APPDATA%` on Windows.
    Config,
    /// Where desktop programs keep their settings.
    AppSupport,
}

/// The folders of a machine and a project.
pub struct Folders<'a> {
    pub os: Os,
    pub home: &'a str,
    pub project: &'a str,
    /// Variables of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Folders<'_> {
    /// The whole path of a file.
    pub fn path(&self, base: Base, path: &str) -> String {
        format!("{}/{path}", self.base(base).trim_end_matches(['/', '\\']))
    }

    fn base(&self, base: Base) -> String {
        match (base, self.os) {
            (Base::Project, _) => self.project.to_owned(),
            (Base::Home, _) => self.home.to_owned(),
            (Base::EnvOr(name, folder), _) => self.named_or(name, folder),
            (Base::Config | Base::AppSupport, Os::Windows) => {
                self.named_or("APPDATA", "AppData/Roaming")
            }
            (Base::AppSupport, Os::MacOs) => self.at_home("Library/Application Support"),
            (Base::XdgConfig | Base::Config | Base::AppSupport, _) => {
                self.named_or("XDG_CONFIG_HOME", ".config")
            }
        }
    }

    fn named_or(&self, name: &str, folder: &str) -> String {
        (self.variable)(name)
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| self.at_home(folder))
    }

    fn at_home(&self, folder: &str) -> String {
        format!("{}/{folder}", self.home.trim_end_matches(['/', '\\']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(os: Os, base: Base, path: &str, expect: &str) {
        let variable = |name: &str| (name == "CODEX_HOME").then(|| "/opt/codex/".to_owned());
        let folders =
            Folders { os, home: "/home/user", project: "/home/user/p", variable: &variable };
        assert_eq!(folders.path(base, path), expect);
    }

    #[test]
    fn places_follow_the_system_and_its_variables() {
        check(Os::Linux, Base::Project, ".mcp.json", "/home/user/p/.mcp.json");
        check(
            Os::Linux,
            Base::EnvOr("CODEX_HOME", ".codex"),
            "hooks.json",
            "/opt/codex/hooks.json",
        );
        check(Os::Linux, Base::EnvOr("COPILOT_HOME", ".copilot"), "x", "/home/user/.copilot/x");
        check(
            Os::MacOs,
            Base::AppSupport,
            "Claude/c.json",
            "/home/user/Library/Application Support/Claude/c.json",
        );
        check(Os::Linux, Base::AppSupport, "Code/m.json", "/home/user/.config/Code/m.json");
        check(Os::Windows, Base::Config, "zed/s.json", "/home/user/AppData/Roaming/zed/s.json");
        check(
            Os::Windows,
            Base::XdgConfig,
            "opencode/o.json",
            "/home/user/.config/opencode/o.json",
        );
    }
}
