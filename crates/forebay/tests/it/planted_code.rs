//! Attacks on what is executed later, outside of isolation: start files in caches, hooks and settings that git's name.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::env::{HANG_TIMEOUT, Output, TestEnv, finish, wait_until};

/// A line that runs shell commands. Perl hides them from the permission rules, which would ask about some.
fn hidden_from_rules(script: &str) -> String {
    let bytes: Vec<String> = script.bytes().map(|byte| byte.to_string()).collect();
    format!("perl -e 'exec(\"sh\", \"-c\", pack(\"C*\", {}))'", bytes.join(","))
}

fn run(env: &TestEnv, script: &str) -> Output {
    run_with(env, script, &[])
}

/// Runs with more variables in the environment of Forebay.
fn run_with(env: &TestEnv, script: &str, variables: &[(&str, &Path)]) -> Output {
    let mut command = env.command(["run", "--", &hidden_from_rules(script)]);
    command.env("USER", "ann").envs(variables.iter().copied());
    finish(command, b"")
}

#[expect(clippy::disallowed_methods, reason = "the tests use git from outside of isolation")]
fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

#[test]
fn what_shells_and_tools_start_with_is_not_planted_in_caches() {
    let env = TestEnv::outside_temp();
    let at = |name: &str| env.home().join(name);
    let existing = [
        "xdg-cache/zsh/zcompdump",
        ".julia/config/startup.jl",
        ".julia/juliaup/julia/bin/julia",
        ".mix/archives/hex.ez",
        ".ccache/ccache.conf",
    ];
    for name in existing {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        fs::write(at(name), "own\n").unwrap();
    }
    fs::create_dir(at(".nuget")).unwrap();
    let new = [
        "xdg-cache/p10k-instant-prompt-ann.zsh",
        "xdg-cache/oh-my-zsh/completions/_x",
        ".julia/bin/x",
        ".nuget/NuGet/NuGet.Config",
        ".nuget/plugins/netcore/x",
    ];
    for name in existing.iter().chain(&new) {
        let script = format!("mkdir -p \"$(dirname ~/{name})\"; echo evil > ~/{name}");
        let ran = run(&env, &script);
        let content = fs::read_to_string(at(name)).unwrap_or_default();
        assert!(!content.contains("evil"), "{name}: {}", ran.text());
        let is_told =
            ["is frozen for runs", "*.from-run"].iter().any(|told| ran.text().contains(told));
        assert!(is_told, "{name}: {}", ran.text());
    }
    // What uv installs is no cache.
    for name in [".local/share/uv/tools/x/bin/x", ".local/share/uv/python/x/bin/python3"] {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        let ran = run(&env, &format!("echo evil > ~/{name}"));
        assert!(!at(name).exists(), "{name}: {}", ran.text());
        assert!(ran.text().contains("is not allowed by profile project"), "{}", ran.text());
    }
    // The caches themselves are for runs.
    run(
        &env,
        "mkdir -p ~/xdg-cache/tool && echo x > ~/xdg-cache/tool/x && mv ~/xdg-cache/tool ~/xdg-cache/other",
    )
    .ok();
    let mut opened = env.command(["run", "--", "echo x > ~/xdg-cache/zsh/zcompdump"]);
    opened.env("FOREBAY_ISOLATION_WRITE", r#"["~/xdg-cache/zsh"]"#);
    finish(opened, b"").ok();
}

/// The attack: package managers keep what they start on demand (`npx`, `uvx`) in a cache, and a run replaces it there.
#[test]
fn the_program_itself_is_not_replaced_in_a_cache() {
    let env = TestEnv::outside_temp();
    let folder = env.home().join("xdg-cache/npx/bin");
    fs::create_dir_all(&folder).unwrap();
    let own = folder.join("forebay");
    fs::copy(env!("CARGO_BIN_EXE_forebay"), &own).unwrap();
    fs::write(folder.join("other"), "own\n").unwrap();
    let size = fs::metadata(&own).unwrap().len();
    let run = |script: &str| {
        let mut command = env.program(own.to_str().unwrap());
        command.args(["run", "--", &hidden_from_rules(script)]);
        finish(command, b"")
    };
    for attack in [
        "echo evil > x; mv x ~/xdg-cache/npx/bin/forebay",
        "rm ~/xdg-cache/npx/bin/forebay",
        "mv ~/xdg-cache/npx/bin ~/xdg-cache/npx/old",
        "mv ~/xdg-cache/npx ~/xdg-cache/old",
    ] {
        let ran = run(attack);
        assert!(!ran.status.success(), "{attack}: {}", ran.text());
        assert_eq!(fs::metadata(&own).unwrap().len(), size, "{attack}: {}", ran.text());
    }
    // The control: what is beside it can be replaced.
    run("echo evil > x; mv x ~/xdg-cache/npx/bin/other").ok();
    assert_eq!(fs::read_to_string(folder.join("other")).unwrap(), "evil\n");
}

#[test]
fn hooks_and_settings_that_git_is_told_to_use_are_frozen() {
    let env = TestEnv::outside_temp();
    let project = env.project();
    fs::remove_dir_all(project.join(".git")).unwrap();
    git(&project, &["init", "-q", "-b", "main", "."]);
    git(&project, &["config", "user.name", "a"]);
    git(&project, &["config", "user.email", "a@b"]);
    git(&project, &["config", "core.hooksPath", "tools/git"]);
    git(&project, &["config", "include.path", "../team.gitconfig"]);
    fs::write(project.join("team.gitconfig"), "[include]\n\tpath = more.gitconfig\n").unwrap();
    let planted = env.home().join("planted");
    let evil = format!("touch {}; false", planted.display());
    let attacks = [
        format!("printf '[core]\\n\\tfsmonitor = {evil}\\n' >> team.gitconfig"),
        format!("printf '[core]\\n\\tfsmonitor = {evil}\\n' > more.gitconfig"),
        format!(
            "mkdir -p tools/git; printf '#!/bin/sh\\n{evil}\\n' > tools/git/post-index-change; chmod +x tools/git/*"
        ),
        format!("rm team.gitconfig; git config -f team.gitconfig core.fsmonitor '{evil}'"),
    ];
    for attack in attacks {
        let ran = run(&env, &attack);
        git(&project, &["status"]);
        fs::write(project.join("file"), &attack).unwrap();
        git(&project, &["add", "file"]);
        assert!(!planted.exists(), "{attack}: {}", ran.text());
    }
    run(&env, "mkdir -p tools && echo x > tools/build && git add tools && git commit -qm x").ok();
}

/// Tries to write `evil` into an existing or missing file of the project; it must neither stay nor be silent.
#[track_caller]
fn assert_not_planted(env: &TestEnv, file: &str, variables: &[(&str, &Path)]) {
    let script = format!("mkdir -p \"$(dirname {file})\"; echo evil > {file}");
    let ran = run_with(env, &script, variables);
    let content = fs::read_to_string(env.project().join(file)).unwrap_or_default();
    assert!(!content.contains("evil"), "{file}: {}", ran.text());
    let is_told = ["is frozen for runs", "*.from-run"].iter().any(|told| ran.text().contains(told));
    assert!(is_told, "{file}: {}", ran.text());
}

#[test]
fn hooks_and_settings_that_the_users_git_settings_name_are_frozen() {
    let env = TestEnv::outside_temp();
    let of_user = env.home().join("xdg-config/git/config");
    fs::create_dir_all(of_user.parent().unwrap()).unwrap();
    let settings = "[core] hooksPath = hooks\n[include]\n\tpath = ~/../app/team.gitconfig\n";
    fs::write(&of_user, settings).unwrap();
    fs::create_dir(env.project().join("hooks")).unwrap();
    for file in ["hooks/pre-commit", "team.gitconfig"] {
        assert_not_planted(&env, file, &[]);
    }
    let global = env.write("global.gitconfig", "[core] hooksPath = ~/../app/more-hooks\n");
    let variables: [(&str, &Path); 1] = [("GIT_CONFIG_GLOBAL", &global)];
    for file in ["./global.gitconfig", "more-hooks/pre-commit"] {
        assert_not_planted(&env, file, &variables);
    }
    run(&env, "echo x > other.gitconfig; mkdir -p other-hooks; echo x > other-hooks/x").ok();
}

#[test]
fn hooks_of_worktrees_and_submodules_are_frozen() {
    let env = TestEnv::outside_temp();
    let project = env.project();
    fs::remove_dir_all(project.join(".git")).unwrap();
    let commit =
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"];
    git(&project, &["init", "-q", "-b", "main", "."]);
    git(&project, &["init", "-q", "sub"]);
    git(&project.join("sub"), &commit);
    git(&project.join("sub"), &["config", "core.hooksPath", "tools"]);
    git(&project, &["add", "sub"]);
    git(&project, &commit);
    git(&project, &["worktree", "add", "-q", "linked"]);
    git(&project, &["config", "core.hooksPath", "scripts"]);
    git(&project, &["config", "extensions.worktreeConfig", "true"]);
    git(&project, &["config", "--worktree", "init.templateDir", "template"]);
    for file in ["sub/tools/x", "linked/scripts/x", "scripts/x", "template/hooks/x"] {
        assert_not_planted(&env, file, &[]);
    }
    for folder in ["sub", "linked", "."] {
        run(&env, &format!("mkdir -p {folder}/other && echo x > {folder}/other/x")).ok();
    }
}

#[test]
fn what_a_run_plants_before_its_server_is_killed_is_set_aside_later() {
    let env = TestEnv::outside_temp();
    run(&env, "true").ok();
    let planted = env.project().join(".envrc");
    let line = hidden_from_rules("echo evil > .envrc; sleep 60");
    let mut child = env.command(["run", "--", &line]).spawn().unwrap();
    assert!(wait_until(HANG_TIMEOUT, || planted.exists()));
    // SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    // The process that ends the run may outlive its server for a moment.
    let mut text = String::new();
    let is_gone = wait_until(HANG_TIMEOUT, || {
        text = run(&env, "true").ok().text();
        !planted.exists()
    });
    assert!(is_gone && text.contains("*.from-run") && text.contains(".envrc"), "{text}");
}

#[test]
fn the_dashboard_is_opened_by_no_program_of_the_project() {
    let env = TestEnv::outside_temp();
    let outside = env.root().join("bin");
    let inside = env.project().join("bin");
    for folder in [&inside, &outside] {
        fs::create_dir_all(folder).unwrap();
        let opener = folder.join("xdg-open");
        fs::write(&opener, format!("#!/bin/sh\necho x > {}/opened\n", folder.display())).unwrap();
        fs::set_permissions(&opener, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{}:{path}", inside.display(), outside.display());
    let mut server = env.command(["ui"]).env("PATH", path).env("DISPLAY", ":0").spawn().unwrap();
    assert!(wait_until(HANG_TIMEOUT, || outside.join("opened").exists()));
    assert!(!inside.join("opened").exists());
    server.kill().unwrap();
    server.wait().unwrap();
}
