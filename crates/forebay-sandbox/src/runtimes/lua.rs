//! Lua.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

const fn lua(program: &'static str) -> Engine {
    Engine {
        program,
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["{script}"]),
        prelude: Prelude::FirstLine(
            "FILE_PATH = os.getenv(\"FILE_PATH\"); FILES = {}; FILE_CONTENTS = {}; \
             for path in io.lines(os.getenv(\"FOREBAY_FILES\")) do \
             local file = assert(io.open(path, \"rb\")); FILES[#FILES + 1] = path; \
             FILE_CONTENTS[#FILES] = file:read(\"*a\"); file:close() end; \
             FILE_CONTENT = FILE_CONTENTS[1]; ",
        ),
        search_paths: &[],
    }
}

pub(super) static LUA: Runtime = Runtime {
    name: "lua",
    aliases: &["luajit"],
    is_shell: false,
    extension: "lua",
    engines: &[lua("lua"), lua("lua5.4"), lua("lua5.3"), lua("luajit")],
    header: Header::None,
    install: "apt install lua5.4, or brew install lua",
};
