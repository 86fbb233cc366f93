//! R.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static R: Runtime = Runtime {
    name: "r",
    aliases: &["rscript"],
    is_shell: false,
    extension: "R",
    engines: &[Engine {
        program: "Rscript",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["{script}"]),
        prelude: Prelude::FirstLine(
            "FILE_PATH <- Sys.getenv(\"FILE_PATH\"); FILES <- readLines(Sys.getenv(\"FOREBAY_FILES\")); \
             FILE_CONTENTS <- lapply(FILES, function(path) readChar(path, file.size(path), useBytes = TRUE)); \
             FILE_CONTENT <- FILE_CONTENTS[[1]]; ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "apt install r-base-core, or brew install r",
};
