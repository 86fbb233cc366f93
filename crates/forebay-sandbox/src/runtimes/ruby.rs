//! Ruby; the code is an argument, so that `require_relative` is resolved from the working directory.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static RUBY: Runtime = Runtime {
    name: "ruby",
    aliases: &["rb"],
    is_shell: false,
    extension: "rb",
    engines: &[Engine {
        program: "ruby",
        location: EngineLocation::OnPath,
        invocation: Invocation::Inline {
            args: &["-I", "{cwd}", "-e", "{code}"],
            script_args: &["-I", "{cwd}", "{script}"],
        },
        prelude: Prelude::FirstLine(
            "FILE_PATH = ENV[\"FILE_PATH\"]; FILES = File.readlines(ENV[\"FOREBAY_FILES\"], chomp: true); \
             FILE_CONTENTS = FILES.map { |path| File.read(path, encoding: \"UTF-8\").scrub }; \
             FILE_CONTENT = FILE_CONTENTS[0]; ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "apt install ruby, or brew install ruby",
};
