//! Swift, as a script.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static SWIFT: Runtime = Runtime {
    name: "swift",
    aliases: &[],
    is_shell: false,
    extension: "swift",
    engines: &[Engine {
        program: "swift",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["{script}"]),
        prelude: Prelude::FirstLine(
            "import Foundation; let FILE_PATH = ProcessInfo.processInfo.environment[\"FILE_PATH\"]!; \
             let FILE_CONTENT = try! String(contentsOfFile: FILE_PATH, encoding: .utf8); ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "https://swift.org/install",
};
