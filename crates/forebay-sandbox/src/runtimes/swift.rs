//! Swift, as a script.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static SWIFT: Runtime = Runtime {
    name: "swift",
    aliases: &[],
    extension: "swift",
    engines: &[Engine {
        program: "swift",
        place: Place::OnPath,
        start: Start::Script(&["{script}"]),
        offer: Offer::FirstLine(
            "import Foundation; let FILE_PATH = ProcessInfo.processInfo.environment[\"FILE_PATH\"]!; \
             let FILE_CONTENT = try! String(contentsOfFile: FILE_PATH, encoding: .utf8); ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://swift.org/install",
};
