//! Attacks on isolation: what one run prepares, and a later run or program would fall for.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::env::{Output, TestEnv, announced_process, is_gone};

/// A home with a secret and start files of a shell, and an empty project in it.
struct Fence {
    env: TestEnv,
}

impl Fence {
    fn new() -> Self {
        let fence = Self { env: TestEnv::outside_temp() };
        fs::create_dir(fence.env.home().join(".aws")).unwrap();
        fence.at_home(".aws/credentials", "secret\n");
        fence.at_home(".bashrc", "# mine\n");
        fs::remove_dir_all(fence.env.project().join(".git")).unwrap();
        fence
    }

    fn at_home(&self, name: &str, text: &str) {
        fs::write(self.env.home().join(name), text).unwrap();
    }

    /// Runs shell commands in the project. Perl hides them from the permission rules, which would ask about some.
    fn run(&self, profile: &str, script: &str) -> Output {
        self.env.forebay(["run", "--isolation", profile, "--", &hidden(script)])
    }

    fn bashrc(&self) -> String {
        fs::read_to_string(self.env.home().join(".bashrc")).unwrap()
    }
}

fn hidden(script: &str) -> String {
    let bytes: Vec<String> = script.bytes().map(|byte| byte.to_string()).collect();
    format!("perl -e 'exec(\"sh\", \"-c\", pack(\"C*\", {}))'", bytes.join(","))
}

#[test]
fn a_forged_worktree_opens_no_other_folder() {
    for profile in ["project", "strict"] {
        let fence = Fence::new();
        let forge = r#"mkdir forged && printf '%s' "$PWD/.git" > forged/gitdir \
                      && printf '%s' "$HOME" > forged/commondir && printf 'gitdir: %s' "$PWD/forged" > .git \
                      && mkdir forged/objects forged/refs && echo ref > forged/HEAD"#;
        fence.run(profile, forge).ok();
        let ran = fence.run(profile, "echo evil >> ~/.bashrc");
        assert_eq!(fence.bashrc(), "# mine\n", "{profile}: {}", ran.text());
        let ran = fence.run("strict", "cat ~/.aws/credentials");
        assert!(!ran.text().contains("secret"), "{profile}: {}", ran.text());
    }
}

#[test]
fn a_server_grants_no_git_folder_that_came_later() {
    let fence = Fence::new();
    let mut client = fence.env.mcp();
    client.text("ctx_execute", serde_json::json!({"code": "true", "language": "shell"}));
    let other = fence.env.add_project("other");
    for folder in ["objects", "refs", "worktrees/app"] {
        fs::create_dir_all(other.join(".git").join(folder)).unwrap();
    }
    let entry = other.join(".git/worktrees/app");
    let pointer = fence.env.project().join(".git");
    fs::write(entry.join("commondir"), "../..").unwrap();
    fs::write(entry.join("gitdir"), pointer.display().to_string()).unwrap();
    fs::write(&pointer, format!("gitdir: {}", entry.display())).unwrap();
    let write = format!("echo x > {}", other.join(".git/new").display());
    let answer = client
        .call("ctx_execute", serde_json::json!({"code": hidden(&write), "language": "shell"}));
    assert!(!other.join(".git/new").exists(), "{answer:?}");
    // A server that starts now finds a genuine worktree.
    fence.run("project", &write).ok();
}

#[test]
fn a_run_cannot_plant_what_other_programs_obey() {
    let fence = Fence::new();
    let project = fence.env.project();
    for folder in [".claude", ".vscode", "objects", "refs", "hooks"] {
        let folder = if folder.starts_with('.') { folder.into() } else { format!(".git/{folder}") };
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(project.join(".git/config"), "[core]\n").unwrap();
    fs::write(
        project.join(".claude/settings.json"),
        r#"{"permissions": {"deny": ["Bash(rm:*)"]}}"#,
    )
    .unwrap();
    for script in [
        "git config core.fsmonitor evil",
        "echo evil > .git/hooks/post-checkout",
        "mv .claude other && mkdir .claude && echo '{}' > .claude/settings.json",
        "mv .git other; git init -q .; git config core.fsmonitor evil",
        "echo evil > .vscode/tasks.json",
    ] {
        let ran = fence.run("project", script);
        assert_ne!(ran.code(), Some(0), "{script}: {}", ran.text());
    }
    let config = fence.run("project", "git config core.fsmonitor evil").text();
    assert!(config.contains("is frozen for runs"), "{config}");
    let planted = fence.run(
        "project",
        "echo evil > .envrc; mkdir .codex; echo evil > .codex/config.toml; echo x > y",
    );
    assert!(planted.text().contains("renamed to *.from-run"), "{}", planted.text());
    assert!(planted.text().contains(".envrc, .codex"), "{}", planted.text());
    for absent in [".envrc", ".codex", "other", ".git/hooks/post-checkout", ".vscode/tasks.json"] {
        assert!(!project.join(absent).exists(), "{absent}");
    }
    assert_eq!(fs::read_to_string(project.join(".git/config")).unwrap(), "[core]\n");
    assert!(project.join("y").exists());
}

#[test]
fn a_run_cannot_move_the_settings_of_git() {
    let fence = Fence::new();
    let project = fence.env.project();
    git(&project, &["init", "-q", "."]);
    git(
        &project,
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    git(&project, &["worktree", "add", "-q", "tree"]);
    let plant = "mkdir evil && cp -r .git/objects .git/refs .git/HEAD evil && \
                 printf '[core]\n\tfsmonitor = touch fell-for-it; false\n' > evil/config";
    fence.run("project", plant).ok();
    for script in [
        "echo ../evil > .git/commondir",
        "echo ../../../evil > .git/worktrees/tree/commondir",
        "cp evil/config .git/worktrees/tree/config.worktree",
        "cp evil/config .git/config.worktree",
    ] {
        fence.run("project", script);
        git(&project, &["status"]);
        git(&project.join("tree"), &["status"]);
        assert!(!project.join("fell-for-it").exists(), "{script}");
        assert!(!project.join("tree/fell-for-it").exists(), "{script}");
    }
    let common = fs::read_to_string(project.join(".git/worktrees/tree/commondir")).unwrap();
    assert_eq!(common.trim(), "../..");
    assert!(!project.join(".git/commondir").exists());
}

#[expect(clippy::disallowed_methods, reason = "the tests use git from outside of isolation")]
fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

/// `git status` in a project runs git in its submodules, with the settings that it finds there.
#[test]
fn a_run_cannot_plant_settings_of_submodules() {
    let fence = Fence::new();
    repository(&fence);
    let project = fence.env.project();
    let other = fence.env.home().join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "."]);
    git(
        &other,
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    let url = other.to_str().unwrap();
    git(&project, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "libs/one"]);
    let planted = fence.env.home().join("planted");
    let evil = format!("config core.fsmonitor 'touch {}; false'", planted.display());
    for script in [
        // A submodule whose name has a folder.
        format!("git -C libs/one {evil}"),
        // A pointer to another repository.
        format!(
            "git init -q forged; git -C forged {evil}; rm libs/one/.git; echo 'gitdir: ../../forged/.git' > libs/one/.git"
        ),
        // A repository that becomes a submodule, in two runs.
        format!(
            "git init -q two; cd two; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git {evil}"
        ),
        "git add two".to_owned(),
    ] {
        fence.run("project", &script);
        git(&project, &["status"]);
        assert!(!planted.exists(), "{script}");
    }
    assert!(project.join("two/.git.from-run").exists());
    let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
    // Git reads these files otherwise than it seems: hooks, several sections in a line, a blank at the end of a path.
    for (name, plant) in [
        (
            "three",
            format!(
                "printf '#!/bin/sh\\ntouch {}\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change; touch x",
                planted.display()
            ),
        ),
        (
            "four",
            format!(
                "printf '[x] [y \"=\"] [core] fsmonitor = touch {}; false\\n' >> .git/config",
                planted.display()
            ),
        ),
        ("five", format!("git {evil}; mv .git '../kept '; printf 'gitdir: ../kept \\n' > .git")),
    ] {
        let script = format!(
            "git init -q {name}; cd {name}; {commit}; cd ..; git add {name}; cd {name}; {plant}"
        );
        fence.run("project", &script);
        git(&project, &["status"]);
        assert!(!planted.exists(), "{name}");
        assert!(project.join(name).join(".git.from-run").exists(), "{name}");
    }
    fence
        .run(
            "project",
            "cd libs/one && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m y && cd ../.. && git add libs/one",
        )
        .ok();
}

/// What is set aside is in the project: a link on the way must not have the user's own files renamed.
#[test]
fn setting_aside_follows_no_link_out_of_the_project() {
    let fence = Fence::new();
    fs::create_dir_all(fence.env.home().join(".cargo")).unwrap();
    fence.at_home(".cargo/config.toml", "[build]\n");
    let ran = fence.run("project", "ln -s ~/.cargo .cargo").ok();
    assert!(fence.env.home().join(".cargo/config.toml").exists(), "{}", ran.text());
    assert!(fence.env.project().join(".cargo.from-run").is_symlink(), "{}", ran.text());
}

#[test]
fn settings_open_a_frozen_file() {
    let fence = Fence::new();
    let project = fence.env.project();
    fs::create_dir_all(project.join(".git/objects")).unwrap();
    fs::create_dir_all(project.join(".git/refs")).unwrap();
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(project.join(".git/config"), "[core]\n").unwrap();
    let line = hidden("echo x >> .git/config");
    let mut command = fence.env.command(["run", "--", &line]);
    command.env("FOREBAY_ISOLATION_WRITE", r#"[".git/config"]"#);
    crate::env::finish(command, b"").ok();
}

#[test]
fn credentials_are_closed_unless_their_program_is_named() {
    let fence = Fence::new();
    let data = fence.env.data();
    fence.env.noted("remember");
    for (script, word) in
        [("cat ~/.aws/credentials", "secret"), ("cat DATA/projects/*/*.db", "SQLite")]
    {
        let script = script.replace("DATA", &data.display().to_string());
        let ran = fence.run("project", &script);
        assert!(ran.code() != Some(0) && !ran.text().contains(word), "{script}: {}", ran.text());
    }
    fence.at_home(".git-credentials", "token\n");
    fence.env.write("git", "#!/bin/sh\n");
    for unnamed in [
        "echo git; cat ~/.git-credentials",
        ": git; cat ~/.git-credentials",
        "./git; cat ~/.git-credentials",
        "sh ./git; cat ~/.git-credentials",
        "nosuchprogram; cat ~/.aws/credentials",
    ] {
        let ran = fence.env.forebay(["run", "--", unnamed]);
        assert!(!ran.body().contains("token"), "{unnamed}: {}", ran.text());
    }
    for named in [
        "git --version",
        "env A=b git --version",
        "timeout 9 git --version",
        "sh -c 'git --version'",
    ] {
        let line = format!("{named} >&2; cat ~/.git-credentials");
        let ran = fence.env.forebay(["run", "--", &line]);
        assert!(ran.body().lines().any(|line| line == "token"), "{named}: {}", ran.text());
    }
    fence.env.forebay(["run", "--", "true"]).ok();
}

#[test]
fn credentials_that_a_variable_moves_are_closed() {
    let fence = Fence::new();
    let moved = fence.env.home().join("moved");
    fs::create_dir_all(moved.join("gh")).unwrap();
    fence.at_home("moved/cluster.yaml", "secret\n");
    fence.at_home("moved/gh/hosts.yml", "secret\n");
    let cluster = moved.join("cluster.yaml");
    let list = format!("/none:{}", cluster.display());
    let read = |variable: &str, value: &str, line: &str| {
        let mut command = fence.env.command(["run", "--", line]);
        command.env(variable, value);
        crate::env::finish(command, b"").text()
    };
    let (home, at) = (moved.to_str().unwrap(), |name: &str| moved.join(name).display().to_string());
    for (variable, value, file) in [
        ("KUBECONFIG", &*list, at("cluster.yaml")),
        ("AWS_SHARED_CREDENTIALS_FILE", cluster.to_str().unwrap(), at("cluster.yaml")),
        ("XDG_CONFIG_HOME", home, at("gh/hosts.yml")),
    ] {
        let text = read(variable, value, &format!("cat {file}"));
        assert!(!text.contains("secret"), "{variable}: {text}");
    }
    let own = read("XDG_CONFIG_HOME", home, &format!("git --version; cat {}", at("gh/hosts.yml")));
    assert!(own.contains("secret"), "{own}");
    let nothing = read("HISTFILE", "/dev/null", "echo fine > /dev/null && echo done");
    assert!(nothing.contains("done"), "{nothing}");
}

#[test]
fn tools_that_read_files_themselves_obey_the_same_list() {
    let fence = Fence::new();
    let mut client = fence.env.mcp();
    let secret = fence.env.home().join(".aws/credentials");
    let link = fence.env.project().join("link");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    for (tool, input) in [
        ("ctx_index", serde_json::json!({"path": secret})),
        ("ctx_index", serde_json::json!({"path": link})),
        ("context_read", serde_json::json!({"path": "link"})),
        ("ctx_index", serde_json::json!({"path": fence.env.home()})),
    ] {
        let answer = client.call(tool, input.clone());
        assert!(!answer.to_string().contains("secret\\n"), "{tool} {input}: {answer}");
    }
    let found = client.text("ctx_search", serde_json::json!({"queries": ["secret"]}));
    assert!(!found.contains("credentials"), "{found}");
}

/// Starts a daemon that ignores signals and writes its process id into the project.
const DAEMON: &str = r#"setsid sh -c 'trap "" TERM HUP; echo $$ > pid; while :; do sleep 1; done' >/dev/null 2>&1 </dev/null &"#;

#[test]
fn a_daemon_ends_with_its_run() {
    for profile in ["off", "project", "strict"] {
        let fence = Fence::new();
        let ran = fence.run(profile, &format!("{DAEMON} until [ -s pid ]; do :; done")).ok();
        let daemon = announced_process(&fence.env.project().join("pid"));
        assert!(is_gone(daemon), "{profile}");
        assert!(ran.text().contains("leftover background processes were killed"), "{}", ran.text());
    }
}

#[test]
fn a_daemon_ends_with_a_server_that_is_killed() {
    let fence = Fence::new();
    let mut client = fence.env.mcp();
    let code = format!("{DAEMON} sleep 300");
    client.begin("ctx_execute", serde_json::json!({"code": code, "language": "shell"}));
    let daemon = announced_process(&fence.env.project().join("pid"));
    client.kill();
    assert!(is_gone(daemon));
}

#[test]
fn a_daemon_ends_with_its_job() {
    let fence = Fence::new();
    let mut client = fence.env.mcp();
    let code = format!("{DAEMON} sleep 300");
    let input = serde_json::json!({"code": code, "language": "shell", "background": true});
    let started = client.text("ctx_execute", input);
    let job = started.split_whitespace().next().unwrap();
    let daemon = announced_process(&fence.env.project().join("pid"));
    assert!(rustix::process::test_kill_process(daemon).is_ok(), "the job runs");
    client.text("ctx_job", serde_json::json!({"job": job, "action": "stop"}));
    assert!(is_gone(daemon));
}

/// A tmux server of the user, with one terminal; ended when it is dropped.
struct Tmux {
    name: String,
}

impl Tmux {
    /// Returns `None` if there is no tmux.
    fn start() -> Option<Self> {
        let server = Self { name: format!("forebay-test-{}", std::process::id()) };
        let started = server.call(&["new-session", "-d", "sleep 600"]).ok()?;
        started.status.success().then_some(server)
    }

    #[expect(clippy::disallowed_methods, reason = "the server is a process of the user")]
    fn call(&self, arguments: &[&str]) -> std::io::Result<std::process::Output> {
        Command::new("tmux").args(["-L", &self.name]).args(arguments).output()
    }

    fn terminal(&self) -> String {
        let shown = self.call(&["display", "-p", "#{pane_tty}"]).unwrap();
        String::from_utf8(shown.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.call(&["kill-server"]);
    }
}

#[test]
fn a_tmux_server_and_its_terminals_are_out_of_reach() {
    let fence = Fence::new();
    let Some(tmux) = Tmux::start() else {
        return forebay_test_support::skip("there is no tmux");
    };
    let escaped = fence.env.root().join("escaped");
    let command = format!("tmux -L {} run-shell 'touch {}'", tmux.name, escaped.display());
    let terminal = tmux.terminal();
    for profile in ["project", "strict"] {
        for script in [&command, &format!("echo evil > {terminal}")] {
            let ran = fence.run(profile, script);
            assert_ne!(ran.code(), Some(0), "{profile}: {script}: {}", ran.text());
        }
    }
    assert!(!escaped.exists());
    // Without isolation it works, so the refusal is not an accident.
    fence.run("off", &format!("{command}; echo > {terminal}")).ok();
    assert!(escaped.exists());
    // A run can have a server of its own.
    let own =
        "tmux new-session -d 'touch own; sleep 9'; until [ -e own ]; do :; done; tmux kill-server";
    fence.run("project", own).ok();
}

#[test]
fn abstract_sockets_of_others_are_out_of_reach() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};

    let fence = Fence::new();
    let name = format!("forebay-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let connect = format!(
        r#"perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die;
           connect(S, pack("S a*", AF_UNIX, "\0{name}")) or die'"#
    );
    for profile in ["project", "strict"] {
        assert_ne!(fence.run(profile, &connect).code(), Some(0), "{profile}");
    }
    fence.run("off", &connect).ok();
}

#[test]
fn root_loses_the_capabilities_that_reach_around_isolation() {
    if !rustix::process::geteuid().is_root() {
        return forebay_test_support::skip("this user is not root");
    }
    let fence = Fence::new();
    for (profile, script) in ["project", "strict"].iter().flat_map(|profile| {
        ["mknod disk b 7 200", "chroot / /bin/true"].map(|script| (*profile, script))
    }) {
        assert_ne!(fence.run(profile, script).code(), Some(0), "{profile}: {script}");
    }
    fence.run("off", "mknod disk b 7 200 && rm disk && chroot / /bin/true").ok();
}

/// A repository with one commit and a remote, both in the project.
fn repository(fence: &Fence) {
    let project = fence.env.project();
    git(&project, &["init", "-q", "-b", "main", "."]);
    git(&project, &["init", "-q", "--bare", "remote.git"]);
    git(&project, &["remote", "add", "origin", "./remote.git"]);
    git(&project, &["config", "user.name", "a"]);
    git(&project, &["config", "user.email", "a@b"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&project, &["branch", "old"]);
}

#[test]
fn ordinary_work_with_git_is_possible_in_a_run() {
    let fence = Fence::new();
    repository(&fence);
    for script in [
        "git worktree add -q tree && git -C tree status && touch tree/y && git -C tree add y && git -C tree commit -qm y",
        "git -C tree log --oneline && git worktree add -q two && git worktree remove two && git worktree prune",
        "git checkout -q -b feature && echo x > x && git add x && git commit -qm x && git stash list",
        "git push -q origin feature && git fetch -q && git tag v1 && git rebase -q main && git checkout -q main",
        "git merge -q feature && git reset -q --hard HEAD~1 && git gc -q",
    ] {
        fence.run("project", script).ok();
    }
}

#[test]
fn an_answer_says_what_git_could_not_change() {
    let fence = Fence::new();
    repository(&fence);
    for script in [
        "git push -u origin main",
        "git branch -D old",
        "git config user.name b",
        "cd remote.git/..; git config a.b c",
    ] {
        let text = fence.run("project", script).text();
        assert!(text.contains(".git/config is frozen for runs"), "{script}: {text}");
        assert!(text.contains("isolation.write"), "{script}: {text}");
    }
    git(&fence.env.project().join("remote.git"), &["rev-parse", "main"]);
    let quiet = fence.run("project", "git status").ok();
    assert!(!quiet.text().contains("isolation:"), "{}", quiet.text());
}
