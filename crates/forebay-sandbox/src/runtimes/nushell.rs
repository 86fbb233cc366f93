//! Nushell.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static NUSHELL: Runtime = Runtime {
    name: "nushell",
    aliases: &["nu"],
    extension: "nu",
    engines: &[Engine {
        program: "nu",
        place: Place::OnPath,
        start: Start::Script(&["--no-config-file", "{script}"]),
        offer: Offer::FirstLine(
            "let FILE_PATH = $env.FILE_PATH; let FILE_CONTENT = (open --raw $env.FILE_PATH); \
             let FILES = (open --raw $env.FOREBAY_FILES | lines); ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "cargo install nu, or brew install nushell",
};
