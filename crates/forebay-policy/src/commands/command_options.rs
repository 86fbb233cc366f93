//! Programs that run what some of their options or words say.

/// A table's row: programs, and their options or signs.
type Row = (&'static [&'static str], &'static [&'static str]);

/// Programs that run what some options say; how an option is written, `options` decides.
pub(super) const COMMAND_OPTIONS: &[Row] = &[
    (
        &["tar", "gtar", "bsdtar"],
        &[
            "--checkpoint-action",
            "--to-command",
            "-I",
            "--use-compress-program",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
    ),
    // Files and texts
    (&["cpio"], &["--rsh-command"]),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["scp", "sftp"], &["-S", "-o", "-D"]),
    (&["install"], &["--strip-program"]),
    (&["zip"], &["-TT", "--unzip-command"]),
    (&["sort"], &["--compress-program"]),
    (&["split"], &["--filter"]),
    (&["sdiff", "diff3"], &["--diff-program"]),
    (&["rg"], &["--pre", "--hostname-bin"]),
    (&["ugrep"], &["--filter", "--pager", "--view"]),
    (&["ag", "ack", "bat", "batcat", "delta"], &["--pager"]),
    (&["man"], &["-P", "--pager", "-H", "--html"]),
    (&["less"], &["-k", "--lesskey-src", "--lesskey-content"]),
    (&["pandoc"], &["--filter", "-F", "--pdf-engine", "--pdf-engine-opt"]),
    (&["mlr"], &["--prepipe", "--prepipex"]),
    (&["nano"], &["-s", "--speller"]),
    (&["vim", "vi", "nvim", "ex", "view", "rvim", "gvim", "vimdiff"], &["-c", "--cmd", "+", "-S"]),
    (&["emacs"], &["--eval", "-eval", "--execute", "-execute", "-f", "--funcall"]),
    (&["emacsclient"], &["-a", "--alternate-editor", "-e", "--eval"]),
    // Builds
    (&["make", "gmake"], &["--eval", "-E"]),
    (
        &["go"],
        &["-exec", "-toolexec", "--exec", "--toolexec", "-vettool", "-ldflags", "-gccgoflags"],
    ),
    (
        &["bazel", "bazelisk"],
        &["--run_under", "--workspace_status_command", "--shell_executable", "--credential_helper"],
    ),
    (&["java", "javaw"], &["-XX:OnError", "-XX:OnOutOfMemoryError"]),
    (&["javac", "jar", "javap", "javadoc"], &["-J-XX:OnError", "-J-XX:OnOutOfMemoryError"]),
    (&["mvn", "mvnw"], &["-Dexec.executable", "-Dexec.args", "-Dexec.arguments", "-D"]),
    (&["meson"], &["--wrap", "--wrapper", "--gdb-path"]),
    (&["cargo"], &["-x", "-s", "--exec", "--config", "-C"]),
    (
        &["rustc", "rustdoc"],
        &["-C", "--codegen", "-Z", "--runtool", "--test-runtool", "--test-builder"],
    ),
    (&["cabal"], &["-w", "--with-*", "--test-wrapper"]),
    (&["zig"], &["--test-cmd"]),
    (&["protoc"], &["--plugin"]),
    (&["cppcheck"], &["--clang", "--addon", "--addon-python"]),
    (&["valgrind"], &["--db-command"]),
    (&["nx"], &["--command", "--commands"]),
    (&["just"], &["--set", "--command", "-c"]),
    (&["npm", "pnpm", "yarn"], &["--script-shell", "script-shell"]),
    (&["cdk"], &["-a", "--app"]),
    (&["netlify"], &["-c", "--command"]),
    // Tests and checks of python
    (&["tox"], &["-x", "--override"]),
    (&["pylint"], &["--init-hook"]),
    (&["pip", "pip3"], &["--python", "--keyring-provider", "--editor"]),
    (&["mypy"], &["--python-executable"]),
    (&["pyright"], &["--pythonpath"]),
    (&["twine"], &["--sign-with"]),
    // The network, other machines and clouds
    (&["tcpdump"], &["-z"]),
    (&["wget"], &["--use-askpass", "-e", "--execute"]),
    (&["aria2c"], &["--on-*"]),
    (
        &["rclone"],
        &["--password-command", "--sftp-ssh", "--webdav-bearer-token-command", "--metadata-mapper"],
    ),
    (&["helm"], &["--post-renderer", "--post-renderer-args"]),
    (&["helmfile"], &["-b", "--helm-binary", "--kustomize-binary"]),
    (&["terragrunt"], &["--terragrunt-tfpath", "--tf-path"]),
    (
        &["ansible"],
        &[
            "-a",
            "--args",
            "-e",
            "--extra-vars",
            "--ssh-common-args",
            "--ssh-extra-args",
            "--scp-extra-args",
            "--sftp-extra-args",
            "--vault-password-file",
        ],
    ),
    (&["gcloud", "fly", "flyctl", "k9s"], &["--command", "-C"]),
    (&["doctl"], &["--ssh-command"]),
    // Systems, packages and databases
    (&["apt", "apt-get", "apt-cache"], &["-o", "--option"]),
    (&["dpkg"], &["--pre-invoke", "--post-invoke"]),
    (&["rpm"], &["--eval", "-E", "--pipe", "--define", "-D", "--predefine", "--load"]),
    (&["gpg"], &["--photo-viewer", "--pinentry-program", "--agent-program", "--dirmngr-program"]),
    (&["mysql", "mariadb"], &["--pager", "--init-command", "-e", "--execute"]),
    (&["strace"], &["-o", "--output"]),
    // Version control
    (&["svn"], &["--config-option", "--diff-cmd", "--diff3-cmd", "--editor-cmd"]),
    (
        &["hg"],
        &["--config", "-e", "--ssh", "--remotecmd", "-c", "--command", "-p", "--program", "--tool"],
    ),
    // Builtins
    (&["mapfile", "readarray", "complete", "compgen"], &["-C"]),
    (&["bind"], &["-x"]),
    (&["fc"], &["-e"]),
];

/// Programs whose words may be code, and what in a word tells that it runs something.
pub(super) const CODE: &[Row] = &[
    (&["gdb", "lldb", "rr"], &["shell", "!", "python", "pipe", "exec", "script"]),
    (
        &["sqlite3", "duckdb", "psql", "mysql", "mariadb"],
        &["shell", "system", "!", "|", "program", "PROGRAM", "pager", "\\P", "edit", "`"],
    ),
    (
        &["ftp", "lftp", "sftp", "ed", "red", "mutt", "mail", "less", "more", "telnet"],
        &["!", "|", "shell", "local"],
    ),
    (
        &["vim", "vi", "nvim", "ex", "view", "rvim"],
        &["!", "system", "term", "shell", "exec", "job"],
    ),
    (&["dc"], &["!"]),
    (&["m4"], &["syscmd", "indir", "builtin"]),
    (&["emacs", "emacsclient"], &["shell", "process", "call"]),
    (&["awk", "gawk", "mawk", "nawk"], &["system", "|", "getline", "@"]),
    (&["ipython", "ghci", "scala", "irb"], &["!"]),
    (&["expect"], &["spawn", "exec"]),
    (&["patch", "sbt"], &["!", "eval"]),
    (&["rake", "rails", "exiftool", "mlr"], &["system", "exec", "spawn", "sh ", "`", "|"]),
    // Names of images and sounds that are commands
    (
        &[
            "convert",
            "magick",
            "identify",
            "mogrify",
            "composite",
            "montage",
            "compare",
            "sox",
            "play",
        ],
        &["|", "`", ";"],
    ),
    (&["cvs"], &[":ext:", ":fork:"]),
    (&["sysctl"], &["|"]),
    // Properties that builds run: `-p:PostBuildEvent=...`
    (&["dotnet", "msbuild", "xcodebuild"], &["="]),
    (&["nim"], &["exe", "eval"]),
];

/// Programs whose words may be programs in their language.
pub(super) const PROGRAMS: &[&str] = &["rails", "rake", "mix", "crystal", "artisan", "rebar3"];

/// Options by which programs load native code that rules cannot see.
pub(super) const LOADING_OPTIONS: &[Row] = &[
    (&["ssh-keygen"], &["-D", "-w"]),
    (&["ssh-add"], &["-s", "-S"]),
    (&["ssh"], &["-I"]),
    (&["openssl"], &["-engine", "-provider-path", "-pre"]),
    (&["gawk"], &["-l", "--load"]),
];
