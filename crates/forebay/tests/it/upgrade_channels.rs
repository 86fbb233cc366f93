//! How Forebay was installed, told by where it stands: every channel but the archive has a command of its own.

use std::fs;
use std::path::Path;

use crate::env::{TestEnv, finish};
use crate::release_server::{INSTALLED, Installation, NEWER, Publisher, script};

/// Installs the program at a path below the test's root, with files around it.
fn installed<'a>(env: &'a TestEnv, path: &str, around: &[(&str, &str)]) -> Installation<'a> {
    for (file, text) in around {
        let file = env.root().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    Installation::at(env, &env.root().join(path))
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
