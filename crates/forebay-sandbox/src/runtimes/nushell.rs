//! Nushell.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static NUSHELL: Runtime = Runtime {
    name: "nushell",
    aliases: &["nu"],
    is_shell: true,
    extension: "nu",
    engines: &[Engine {
        program: "nu",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["--no-config-file", "{script}"]),
        prelude: Prelude::FirstLine(
            "let FILE_PATH = $env.FILE_PATH; let FILE_CONTENT = (open --raw $env.FILE_PATH); \
             let FILES = (open --raw $env.FOREBAY_FILES | lines); ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "cargo install nu, or brew install nushell",
};
