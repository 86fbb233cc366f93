//! Kotlin, as a script.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static KOTLIN: Runtime = Runtime {
    name: "kotlin",
    aliases: &["kt", "kts"],
    is_shell: false,
    extension: "kts",
    engines: &[Engine {
        program: "kotlinc",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["-script", "{script}"]),
        prelude: Prelude::EnvironmentOnly,
        search_paths: &[],
    }],
    header: Header::None,
    install: "https://sdkman.io, or brew install kotlin",
};
