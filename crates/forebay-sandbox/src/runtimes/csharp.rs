//! C#, as a file with top-level statements.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static CSHARP: Runtime = Runtime {
    name: "csharp",
    aliases: &["c#", "cs"],
    is_shell: false,
    extension: "cs",
    engines: &[Engine {
        program: "dotnet",
        location: EngineLocation::OnPathMinVersion(10, 0),
        invocation: Invocation::Script(&["run", "{script}"]),
        prelude: Prelude::EnvironmentOnly,
        search_paths: &[],
    }],
    header: Header::None,
    install: ".NET 10 or later: https://dotnet.microsoft.com/download",
};
