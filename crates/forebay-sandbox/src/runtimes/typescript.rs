//! TypeScript, without a check of its types: what can simply run it.

use super::javascript::{BUN, FILES, REQUIRE, deno};
use super::{Engine, Place, Runtime, Start};

pub(super) static TYPESCRIPT: Runtime = Runtime {
    name: "typescript",
    aliases: &["ts", "mts"],
    extension: "mts",
    engines: &[
        BUN,
        deno(&["eval", "--ext=ts", "{code}"]),
        Engine {
            program: "tsx",
            place: Place::OnPath,
            start: Start::Inline {
                words: &["--input-type=module", "--eval", "{code}"],
                long: &["{script}"],
            },
            offer: FILES,
            search_paths: &[],
        },
        // Since then types are stripped from code that is an argument, too.
        Engine {
            program: "node",
            place: Place::OnPathSince(22, 7),
            start: Start::Inline {
                words: &[
                    "--experimental-strip-types",
                    "--disable-warning=ExperimentalWarning",
                    "--input-type=module-typescript",
                    "--eval",
                    "{code}",
                ],
                long: &[
                    "--experimental-strip-types",
                    "--disable-warning=ExperimentalWarning",
                    "{script}",
                ],
            },
            offer: FILES,
            search_paths: &[],
        },
    ],
    setup: REQUIRE,
    install: "https://bun.sh, https://deno.com, npm install -g tsx, or node 22.7 and later",
};
