//! Julia.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static JULIA: Runtime = Runtime {
    name: "julia",
    aliases: &["jl"],
    is_shell: false,
    extension: "jl",
    engines: &[Engine {
        program: "julia",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["--project={cwd}", "{script}"]),
        prelude: Prelude::FirstLine(
            "const FILE_PATH = ENV[\"FILE_PATH\"]; const FILES = readlines(ENV[\"FOREBAY_FILES\"]); \
             const FILE_CONTENTS = [read(path, String) for path in FILES]; \
             const FILE_CONTENT = FILE_CONTENTS[1]; ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "https://julialang.org/install, or brew install julia",
};
