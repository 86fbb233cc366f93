//! R.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static R: Runtime = Runtime {
    name: "r",
    aliases: &["rscript"],
    extension: "R",
    engines: &[Engine {
        program: "Rscript",
        place: Place::OnPath,
        start: Start::Script(&["{script}"]),
        offer: Offer::FirstLine(
            "FILE_PATH <- Sys.getenv(\"FILE_PATH\"); FILES <- readLines(Sys.getenv(\"FOREBAY_FILES\")); \
             FILE_CONTENTS <- lapply(FILES, function(path) readChar(path, file.size(path), useBytes = TRUE)); \
             FILE_CONTENT <- FILE_CONTENTS[[1]]; ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "apt install r-base-core, or brew install r",
};
