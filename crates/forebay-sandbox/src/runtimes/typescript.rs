//! TypeScript, run without type checking.

use super::javascript::{BUN, FILES, REQUIRE, deno};
use super::{Engine, EngineLocation, Invocation, Runtime};

pub(super) static TYPESCRIPT: Runtime = Runtime {
    name: "typescript",
    aliases: &["ts", "mts"],
    is_shell: false,
    extension: "mts",
    engines: &[
        BUN,
        deno(&["eval", "--ext=ts", "{code}"]),
        Engine {
            program: "tsx",
            location: EngineLocation::OnPath,
            invocation: Invocation::Inline {
                args: &["--input-type=module", "--eval", "{code}"],
                script_args: &["{script}"],
            },
            prelude: FILES,
            search_paths: &[],
        },
        // Since this version, node also strips types from code in an argument.
        Engine {
            program: "node",
            location: EngineLocation::OnPathMinVersion(22, 7),
            invocation: Invocation::Inline {
                args: &[
                    "--experimental-strip-types",
                    "--disable-warning=ExperimentalWarning",
                    "--input-type=module-typescript",
                    "--eval",
                    "{code}",
                ],
                script_args: &[
                    "--experimental-strip-types",
                    "--disable-warning=ExperimentalWarning",
                    "{script}",
                ],
            },
            prelude: FILES,
            search_paths: &[],
        },
    ],
    header: REQUIRE,
    install: "https://bun.sh, https://deno.com, npm install -g tsx, or node 22.7 and later",
};
