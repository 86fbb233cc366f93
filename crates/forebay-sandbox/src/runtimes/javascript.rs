//! JavaScript: always a module, so that static imports and `await` work at the top.
//!
//! The code is an argument, because then relative imports count from the working folder.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

/// Models mix `require` with `import`; a module has only the latter.
pub(super) const REQUIRE: Setup = Setup::FirstLine(
    "import { createRequire as __forebay_require } from \"node:module\"; \
     globalThis.require ??= __forebay_require(process.cwd() + \"/\"); ",
);

pub(super) const FILES: Offer = Offer::FirstLine(
    "import { readFileSync as __forebay_read } from \"node:fs\"; \
     globalThis.FILE_PATH = process.env.FILE_PATH; \
     globalThis.FILES = __forebay_read(process.env.FOREBAY_FILES, \"utf8\").split(\"\\n\").filter(Boolean); \
     globalThis.FILE_CONTENTS = FILES.map((path) => __forebay_read(path, \"utf8\")); \
     globalThis.FILE_CONTENT = FILE_CONTENTS[0]; ",
);

pub(super) const BUN: Engine = Engine {
    program: "bun",
    place: Place::OnPath,
    start: Start::Inline { words: &["-e", "{code}"], long: &["run", "{script}"] },
    offer: FILES,
    search_paths: &[],
};

pub(super) const fn deno(extension: &'static [&'static str]) -> Engine {
    Engine {
        program: "deno",
        place: Place::OnPath,
        start: Start::Inline { words: extension, long: &["run", "-A", "{script}"] },
        offer: FILES,
        search_paths: &[],
    }
}

pub(super) static JAVASCRIPT: Runtime = Runtime {
    name: "javascript",
    aliases: &["js", "node", "nodejs", "mjs"],
    extension: "mjs",
    engines: &[
        Engine {
            program: "node",
            place: Place::OnPath,
            start: Start::Inline {
                words: &["--input-type=module", "--eval", "{code}"],
                long: &["{script}"],
            },
            offer: FILES,
            search_paths: &[],
        },
        BUN,
        deno(&["eval", "{code}"]),
    ],
    setup: REQUIRE,
    install: "https://nodejs.org, apt install nodejs, or brew install node",
};
