//! Shells: `shell` for bash or sh, and each shell by its own name.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

const BASH_ENGINE: Engine = Engine {
    program: "bash",
    location: EngineLocation::OnPath,
    invocation: DASH_C,
    // No `mapfile`: the bash of macOS lacks it.
    prelude: Prelude::FirstLine(
        "FILE_CONTENT=$(cat -- \"$FILE_PATH\"); FILES=(); while IFS= read -r REPLY; do \
         FILES+=(\"$REPLY\"); done <\"$FOREBAY_FILES\"; unset REPLY; ",
    ),
    search_paths: &[],
};

const SH_ENGINE: Engine = Engine {
    program: "sh",
    location: EngineLocation::OnPath,
    invocation: DASH_C,
    // sh has no arrays: `FILES` has one path per line.
    prelude: Prelude::FirstLine(
        "FILE_CONTENT=$(cat -- \"$FILE_PATH\"); FILES=$(cat -- \"$FOREBAY_FILES\"); ",
    ),
    search_paths: &[],
};

/// Without `--`, the shell would parse a line that starts with a dash as an option.
const DASH_C: Invocation =
    Invocation::Inline { args: &["-c", "--", "{code}"], script_args: &["{script}"] };

const PACKAGES: &str = "apt install, brew install or dnf install the package of the same name";

pub(super) static SHELL: Runtime = Runtime {
    name: "shell",
    aliases: &["terminal", "command"],
    is_shell: true,
    extension: "sh",
    engines: &[BASH_ENGINE, SH_ENGINE],
    header: Header::None,
    install: "install bash: apt install bash, or brew install bash",
};

pub(super) static BASH: Runtime = Runtime {
    name: "bash",
    aliases: &[],
    is_shell: true,
    extension: "sh",
    engines: &[BASH_ENGINE],
    header: Header::None,
    install: PACKAGES,
};

pub(super) static SH: Runtime = Runtime {
    name: "sh",
    aliases: &["posix", "dash"],
    is_shell: true,
    extension: "sh",
    engines: &[SH_ENGINE],
    header: Header::None,
    install: "install a POSIX shell: apt install dash",
};

pub(super) static ZSH: Runtime = Runtime {
    name: "zsh",
    aliases: &[],
    is_shell: true,
    extension: "zsh",
    engines: &[Engine {
        program: "zsh",
        location: EngineLocation::OnPath,
        invocation: DASH_C,
        prelude: Prelude::FirstLine(
            "FILE_CONTENT=$(<$FILE_PATH); FILES=(\"${(@f)$(<$FOREBAY_FILES)}\"); ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: PACKAGES,
};

pub(super) static FISH: Runtime = Runtime {
    name: "fish",
    aliases: &[],
    is_shell: true,
    extension: "fish",
    engines: &[Engine {
        program: "fish",
        location: EngineLocation::OnPath,
        // A file, because errors in an argument have no line number.
        invocation: Invocation::Script(&["--no-config", "{script}"]),
        prelude: Prelude::FirstLine(
            "set FILE_CONTENT (string collect <$FILE_PATH); set FILES (cat $FOREBAY_FILES); ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: PACKAGES,
};

pub(super) static POWERSHELL: Runtime = Runtime {
    name: "powershell",
    aliases: &["pwsh", "ps1"],
    is_shell: true,
    extension: "ps1",
    engines: &[Engine {
        program: "pwsh",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["-NoProfile", "-NonInteractive", "-File", "{script}"]),
        prelude: Prelude::FirstLine(
            "$FILE_PATH = $env:FILE_PATH; $FILE_CONTENT = [IO.File]::ReadAllText($FILE_PATH); \
             $FILES = @([IO.File]::ReadAllLines($env:FOREBAY_FILES)); ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "https://aka.ms/powershell, or brew install powershell",
};
