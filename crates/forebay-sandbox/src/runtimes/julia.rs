//! Julia.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static JULIA: Runtime = Runtime {
    name: "julia",
    aliases: &["jl"],
    extension: "jl",
    engines: &[Engine {
        program: "julia",
        place: Place::OnPath,
        start: Start::Script(&["--project={cwd}", "{script}"]),
        offer: Offer::FirstLine(
            "const FILE_PATH = ENV[\"FILE_PATH\"]; const FILES = readlines(ENV[\"FOREBAY_FILES\"]); \
             const FILE_CONTENTS = [read(path, String) for path in FILES]; \
             const FILE_CONTENT = FILE_CONTENTS[1]; ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://julialang.org/install, or brew install julia",
};
