//! Ruby: the code is an argument, so `require_relative` counts from the working folder.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static RUBY: Runtime = Runtime {
    name: "ruby",
    aliases: &["rb"],
    extension: "rb",
    engines: &[Engine {
        program: "ruby",
        place: Place::OnPath,
        start: Start::Inline {
            words: &["-I", "{cwd}", "-e", "{code}"],
            long: &["-I", "{cwd}", "{script}"],
        },
        offer: Offer::FirstLine(
            "FILE_PATH = ENV[\"FILE_PATH\"]; FILES = File.readlines(ENV[\"FOREBAY_FILES\"], chomp: true); \
             FILE_CONTENTS = FILES.map { |path| File.read(path, encoding: \"UTF-8\").scrub }; \
             FILE_CONTENT = FILE_CONTENTS[0]; ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "apt install ruby, or brew install ruby",
};
