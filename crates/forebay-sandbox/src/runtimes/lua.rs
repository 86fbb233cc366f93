//! Lua.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

const fn lua(program: &'static str) -> Engine {
    Engine {
        program,
        place: Place::OnPath,
        start: Start::Script(&["{script}"]),
        offer: Offer::FirstLine(
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
    extension: "lua",
    engines: &[lua("lua"), lua("lua5.4"), lua("lua5.3"), lua("luajit")],
    setup: Setup::Nothing,
    install: "apt install lua5.4, or brew install lua",
};
