//! C#: one file with statements at its top.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static CSHARP: Runtime = Runtime {
    name: "csharp",
    aliases: &["c#", "cs"],
    extension: "cs",
    engines: &[Engine {
        program: "dotnet",
        place: Place::OnPathSince(10, 0),
        start: Start::Script(&["run", "{script}"]),
        offer: Offer::Environment,
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: ".NET 10 or later: https://dotnet.microsoft.com/download",
};
