//! Java, in single-file source mode: the first class has `main`.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static JAVA: Runtime = Runtime {
    name: "java",
    aliases: &[],
    is_shell: false,
    extension: "java",
    engines: &[Engine {
        program: "java",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["{script}"]),
        prelude: Prelude::EnvironmentOnly,
        search_paths: &[],
    }],
    header: Header::None,
    install: "apt install default-jdk-headless, or brew install openjdk",
};
