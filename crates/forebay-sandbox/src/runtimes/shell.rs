//! Shells: the line most models write, and each shell by its own name.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

const BASH_ENGINE: Engine = Engine {
    program: "bash",
    place: Place::OnPath,
    start: DASH_C,
    // Without `mapfile`, which the bash of macOS lacks.
    offer: Offer::FirstLine(
        "FILE_CONTENT=$(cat -- \"$FILE_PATH\"); FILES=(); while IFS= read -r REPLY; do \
         FILES+=(\"$REPLY\"); done <\"$FOREBAY_FILES\"; unset REPLY; ",
    ),
    search_paths: &[],
};

const SH_ENGINE: Engine = Engine {
    program: "sh",
    place: Place::OnPath,
    start: DASH_C,
    // A list is lines here.
    offer: Offer::FirstLine(
        "FILE_CONTENT=$(cat -- \"$FILE_PATH\"); FILES=$(cat -- \"$FOREBAY_FILES\"); ",
    ),
    search_paths: &[],
};

/// Without `--` a line that starts with a dash would be read as the shell's option.
const DASH_C: Start = Start::Inline { words: &["-c", "--", "{code}"], long: &["{script}"] };

const PACKAGES: &str = "apt install, brew install or dnf install the package of the same name";

pub(super) static SHELL: Runtime = Runtime {
    name: "shell",
    aliases: &["terminal", "command"],
    extension: "sh",
    engines: &[BASH_ENGINE, SH_ENGINE],
    setup: Setup::Nothing,
    install: "install bash: apt install bash, or brew install bash",
};

pub(super) static BASH: Runtime = Runtime {
    name: "bash",
    aliases: &[],
    extension: "sh",
    engines: &[BASH_ENGINE],
    setup: Setup::Nothing,
    install: PACKAGES,
};

pub(super) static SH: Runtime = Runtime {
    name: "sh",
    aliases: &["posix", "dash"],
    extension: "sh",
    engines: &[SH_ENGINE],
    setup: Setup::Nothing,
    install: "install a POSIX shell: apt install dash",
};

pub(super) static ZSH: Runtime = Runtime {
    name: "zsh",
    aliases: &[],
    extension: "zsh",
    engines: &[Engine {
        program: "zsh",
        place: Place::OnPath,
        start: DASH_C,
        offer: Offer::FirstLine(
            "FILE_CONTENT=$(<$FILE_PATH); FILES=(\"${(@f)$(<$FOREBAY_FILES)}\"); ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: PACKAGES,
};

pub(super) static FISH: Runtime = Runtime {
    name: "fish",
    aliases: &[],
    extension: "fish",
    engines: &[Engine {
        program: "fish",
        place: Place::OnPath,
        // As an argument its errors would not tell the line.
        start: Start::Script(&["--no-config", "{script}"]),
        offer: Offer::FirstLine(
            "set FILE_CONTENT (string collect <$FILE_PATH); set FILES (cat $FOREBAY_FILES); ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: PACKAGES,
};

pub(super) static POWERSHELL: Runtime = Runtime {
    name: "powershell",
    aliases: &["pwsh", "ps1"],
    extension: "ps1",
    engines: &[Engine {
        program: "pwsh",
        place: Place::OnPath,
        start: Start::Script(&["-NoProfile", "-NonInteractive", "-File", "{script}"]),
        offer: Offer::FirstLine(
            "$FILE_PATH = $env:FILE_PATH; $FILE_CONTENT = [IO.File]::ReadAllText($FILE_PATH); \
             $FILES = @([IO.File]::ReadAllLines($env:FOREBAY_FILES)); ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://aka.ms/powershell, or brew install powershell",
};
