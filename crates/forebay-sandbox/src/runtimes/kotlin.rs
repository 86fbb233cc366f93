//! Kotlin, as a script.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static KOTLIN: Runtime = Runtime {
    name: "kotlin",
    aliases: &["kt", "kts"],
    extension: "kts",
    engines: &[Engine {
        program: "kotlinc",
        place: Place::OnPath,
        start: Start::Script(&["-script", "{script}"]),
        offer: Offer::Environment,
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://sdkman.io, or brew install kotlin",
};
