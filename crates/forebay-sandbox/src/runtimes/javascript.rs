//! JavaScript, always as a module, so that static imports and top-level `await` work.
//!
//! The code is an argument, so that relative imports are resolved from the working directory.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

/// Models mix `require` and `import`, but a module lacks `require`.
pub(super) const REQUIRE: Header = Header::FirstLine(
    "import { createRequire as __forebay_require } from \"node:module\"; \
     globalThis.require ??= __forebay_require(process.cwd() + \"/\"); ",
);

pub(super) const FILES: Prelude = Prelude::FirstLine(
    "import { readFileSync as __forebay_read } from \"node:fs\"; \
     globalThis.FILE_PATH = process.env.FILE_PATH; \
     globalThis.FILES = __forebay_read(process.env.FOREBAY_FILES, \"utf8\").split(\"\\n\").filter(Boolean); \
     globalThis.FILE_CONTENTS = FILES.map((path) => __forebay_read(path, \"utf8\")); \
     globalThis.FILE_CONTENT = FILE_CONTENTS[0]; ",
);

pub(super) const BUN: Engine = Engine {
    program: "bun",
    location: EngineLocation::OnPath,
    invocation: Invocation::Inline { args: &["-e", "{code}"], script_args: &["run", "{script}"] },
    prelude: FILES,
    search_paths: &[],
};

pub(super) const fn deno(extension: &'static [&'static str]) -> Engine {
    Engine {
        program: "deno",
        location: EngineLocation::OnPath,
        invocation: Invocation::Inline { args: extension, script_args: &["run", "-A", "{script}"] },
        prelude: FILES,
        search_paths: &[],
    }
}

pub(super) static JAVASCRIPT: Runtime = Runtime {
    name: "javascript",
    aliases: &["js", "node", "nodejs", "mjs"],
    is_shell: false,
    extension: "mjs",
    engines: &[
        Engine {
            program: "node",
            location: EngineLocation::OnPath,
            invocation: Invocation::Inline {
                args: &["--input-type=module", "--eval", "{code}"],
                script_args: &["{script}"],
            },
            prelude: FILES,
            search_paths: &[],
        },
        BUN,
        deno(&["eval", "{code}"]),
    ],
    header: REQUIRE,
    install: "https://nodejs.org, apt install nodejs, or brew install node",
};
