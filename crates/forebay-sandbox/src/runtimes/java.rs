//! Java, started from its source: one file, the first class has `main`.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static JAVA: Runtime = Runtime {
    name: "java",
    aliases: &[],
    extension: "java",
    engines: &[Engine {
        program: "java",
        place: Place::OnPath,
        start: Start::Script(&["{script}"]),
        offer: Offer::Environment,
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "apt install default-jdk-headless, or brew install openjdk",
};
