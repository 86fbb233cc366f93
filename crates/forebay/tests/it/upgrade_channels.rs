//! How Forebay was installed, told by where it stands: every channel but the archive has a command of its own.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::env::{TestEnv, finish};
use crate::mcp_client::McpClient;
use crate::release_server::{INSTALLED, Installation, NEWER, Publisher, script};

/// Installs the program at a path below the test's root, with files around it.
fn installed<'a>(env: &'a TestEnv, path: &str, around: &[(&str, &str)]) -> Installation<'a> {
    for (file, text) in around {
        let file = env.root().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    Installation::installed_at(env, &env.root().join(path))
}

/// A path, files around it, and the name and the command of its channel.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, &'a str);

#[test]
fn every_package_manager_is_named_with_its_command() {
    let git = "[v1]\n\"forebay 0.1.0 (git+https://example.org/forebay?branch=main#abc)\" = [\"forebay\"]\n";
    let registry = "[v1]\n\"forebay 0.1.0 (registry+https://github.com/rust-lang/crates.io-index)\" = [\"forebay\"]\n";
    let path = "[v1]\n\"other 1.0.0 (x)\" = []\n\"forebay 0.1.0 (path+file:///src/for ebay)\" = [\"forebay\"]\n";
    let metadata = "lib/python3.12/site-packages/forebay-0.1.0.dist-info/METADATA";
    let cases: &[Case<'_>] = &[
        (
            "n/lib/node_modules/forebay/bin/forebay",
            &[],
            "npm (global)",
            "npm install --global forebay@latest",
        ),
        (".npm/_npx/ab12/node_modules/forebay/bin/forebay", &[], "npx", "npx forebay@latest"),
        (
            "pnpm/global/5/.pnpm/forebay@0.1.0/node_modules/forebay/forebay",
            &[],
            "pnpm",
            "pnpm add --global forebay@latest",
        ),
        (
            ".bun/install/global/node_modules/forebay/forebay",
            &[],
            "bun",
            "bun add --global forebay@latest",
        ),
        (
            "web app/node_modules/forebay/bin/forebay",
            &[],
            "npm (local)",
            "/web app' && npm install forebay@latest",
        ),
        ("share/pipx/venvs/forebay/bin/forebay", &[], "pipx", "pipx upgrade forebay"),
        ("share/uv/tools/forebay/bin/forebay", &[], "uv tool", "uv tool upgrade forebay"),
        ("cache/uv/archive-v0/x1/bin/forebay", &[], "uvx", "uvx forebay@latest"),
        (
            "venv/bin/forebay",
            &[("venv/pyvenv.cfg", "")],
            "pip (virtual environment)",
            "/venv/bin/python -m pip install --upgrade forebay",
        ),
        (
            "local/bin/forebay",
            &[(&format!("local/{metadata}"), "")],
            "pip",
            "python3 -m pip install --user --upgrade forebay",
        ),
        ("brew/Cellar/forebay/0.1.0/bin/forebay", &[], "Homebrew", "brew upgrade forebay"),
        ("nix/store/abc-forebay-0.1.0/bin/forebay", &[], "Nix", "nix profile upgrade forebay"),
        (
            "c1/bin/forebay",
            &[("c1/.crates.toml", git)],
            "cargo install",
            "cargo install --git https://example.org/forebay forebay",
        ),
        (
            "c2/bin/forebay",
            &[("c2/.crates.toml", registry)],
            "cargo install",
            "cargo install forebay",
        ),
        (
            "c3/bin/forebay",
            &[("c3/.crates.toml", path)],
            "cargo install",
            "cargo install --path '/src/for ebay'",
        ),
        (
            "target/release/forebay",
            &[("target/release/.fingerprint/x", ""), ("target/release/deps/x", "")],
            "a build from source",
            "git pull && cargo build --release",
        ),
    ];
    for (path, around, channel, command) in cases {
        let env = TestEnv::new();
        let program = installed(&env, path, around);
        let output = program.upgrade("http://127.0.0.1:9", "", &["--json"]).ok().json();
        assert_eq!(output["channel"], *channel, "{path}");
        assert_eq!(output["installed"], INSTALLED);
        let told = output["command"].as_str().unwrap();
        assert!(told.ends_with(command), "{path}: {told}");
        let text = program.upgrade("http://127.0.0.1:9", "", &[]).ok().text();
        assert!(text.ends_with(command) && text.contains(channel), "{text}");
        assert_eq!(program.files().0.iter().filter(|name| name.starts_with(".forebay")).count(), 0);
    }
}

#[test]
fn a_version_and_the_way_back_have_their_commands() {
    let env = TestEnv::new();
    let npm = installed(&env, "n/lib/node_modules/forebay/bin/forebay", &[]);
    let told = |program: &Installation<'_>, arguments: &[&str]| program.upgrade("", "", arguments);
    let text = told(&npm, &["--version", "0.3.0"]).ok().text();
    assert!(text.ends_with("npm install --global forebay@0.3.0"), "{text}");
    let text = told(&npm, &["--rollback"]).ok().text();
    assert!(text.ends_with("npm install --global forebay@VERSION"), "{text}");
    let brew = installed(&env, "b/Cellar/forebay/0.1.0/bin/forebay", &[]);
    told(&brew, &["--rollback"]).refused(2, "no earlier versions", "brew upgrade forebay");
}

#[test]
fn check_names_the_command_of_the_package_manager() {
    let (env, publisher) = {
        let env = TestEnv::new();
        let publisher = Publisher::new(&env);
        (env, publisher)
    };
    publisher.publish(NEWER, &script(NEWER));
    let pipx = installed(&env, "pipx/venvs/forebay/bin/forebay", &[]);
    let text = pipx.upgrade_from(&publisher, &["--check"]).ok().text();
    assert!(text.contains(NEWER) && text.ends_with("pipx upgrade forebay"), "{text}");
}

/// A desktop starts agents with another PATH, and an upgrade removes the versioned folder.
#[test]
fn the_tool_tells_and_changes_nothing() {
    let env = TestEnv::new();
    let owned = installed(&env, "n/lib/node_modules/forebay/bin/forebay", &[]);
    let told = McpClient::initialized(owned.command(&["mcp"])).text("ctx_upgrade", json!({}));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        told,
        format!(
            "forebay {version}, installed as npm (global)\n\
             in a shell, this installs the newest version: npm install --global forebay@latest"
        )
    );
    let archive = Installation::new(&env);
    let told = McpClient::initialized(archive.command(&["mcp"])).text("ctx_upgrade", json!({}));
    assert!(told.ends_with("installs the newest version: forebay upgrade"), "{told}");
}

#[test]
fn init_writes_names_that_survive_an_upgrade() {
    let env = TestEnv::new();
    let root = env.root().to_string_lossy().into_owned();
    let link = |real: &str, link: &str| {
        let (real, link) = (env.root().join(real), env.root().join(link));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(real, &link).unwrap();
        link.to_string_lossy().into_owned()
    };
    let cellar = "brew/Cellar/forebay/0.1.0/bin/forebay";
    let store = "nix/store/abc-forebay-0.1.0/bin/forebay";
    let archive = "cache/uv/archive-v0/x1/bin/forebay";
    for real in [cellar, store, archive] {
        installed(&env, real, &[]);
    }
    link("brew/Cellar/forebay/0.1.0", "brew/opt/forebay");
    let by_brew = link(cellar, "brew/bin/forebay");
    let by_nix = link(store, "home/.nix-profile/bin/forebay");
    let by_uv = link(archive, "home/.local/bin/forebay");
    installed(&env, "apps/forebay-0.1.0/forebay", &[]);
    let own = link("apps/forebay-0.1.0/forebay", "mine/fb");
    let written = |started: &str, path: &str, level: &str| {
        let mut command = env.program(started);
        command.args(["init", "claude-code", "--dry-run", level]).env("PATH", path);
        let text = finish(command, b"").ok().text();
        let line = text.lines().find(|line| line.contains("\"command\": ")).unwrap().to_owned();
        line.trim_start_matches(['+', ' ']).replace(&root, "")
    };
    let path_of =
        |program: &str| Path::new(program).parent().unwrap().to_string_lossy().into_owned();
    for (started, path, expect) in [
        (by_brew.as_str(), path_of(&by_brew), "/brew/bin/forebay"),
        (&format!("{root}/{cellar}"), path_of(&by_brew), "/brew/bin/forebay"),
        (&format!("{root}/{cellar}"), "/nowhere".to_owned(), "/brew/opt/forebay/bin/forebay"),
        (&by_nix, path_of(&by_nix), "/home/.nix-profile/bin/forebay"),
        (&format!("{root}/{store}"), "/nowhere".to_owned(), "/home/.nix-profile/bin/forebay"),
        (&own, "/nowhere".to_owned(), "/mine/fb"),
        (&by_uv, path_of(&by_uv), "/home/.local/bin/forebay"),
        (&format!("{root}/{archive}"), "/nowhere".to_owned(), "/home/.local/bin/forebay"),
    ] {
        let line = written(started, &path, "--user");
        assert!(line.contains(&format!("\"{expect}\"")), "{started} with PATH={path}: {line}");
    }
    let line = written(&by_brew, &path_of(&by_brew), "--project");
    assert!(line.contains("\"forebay\""), "{line}");
}

/// npm's command is a script beside the program, so it is another file than the one that runs.
#[test]
fn init_knows_the_launcher_of_npm() {
    let env = TestEnv::new();
    let package = "n/lib/node_modules/forebay";
    let program =
        installed(&env, &format!("{package}/node_modules/@forebay/linux-x64/bin/forebay"), &[]);
    let launcher = env.root().join(package).join("bin/forebay.js");
    fs::create_dir_all(launcher.parent().unwrap()).unwrap();
    fs::copy("/bin/true", &launcher).unwrap();
    let bin = env.root().join("n/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(&launcher, bin.join("forebay")).unwrap();
    let mut command = program.command(&["init", "claude-code", "--dry-run", "--project"]);
    command.env("PATH", &bin);
    let text = finish(command, b"").ok().text();
    assert!(text.contains("\"command\": \"forebay\""), "{text}");
}

#[test]
fn init_warns_of_a_path_that_a_cache_may_remove() {
    let env = TestEnv::new();
    let program = installed(&env, ".npm/_npx/ab12/node_modules/forebay/bin/forebay", &[]);
    let mut command = program.command(&["init", "claude-code", "--dry-run"]);
    command.env("PATH", "/nowhere");
    let text = finish(command, b"").ok().text();
    assert!(text.contains("note: ") && text.contains("npm install --global forebay"), "{text}");
}
