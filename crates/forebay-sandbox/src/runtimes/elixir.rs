//! Elixir. Capitalized names are modules, so the variables are `file_content` and so on.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static ELIXIR: Runtime = Runtime {
    name: "elixir",
    aliases: &["ex", "exs"],
    is_shell: false,
    extension: "exs",
    engines: &[Engine {
        program: "elixir",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["{script}"]),
        prelude: Prelude::FirstLine(
            "file_path = System.get_env(\"FILE_PATH\"); \
             files = \"FOREBAY_FILES\" |> System.get_env() |> File.read!() |> String.split(\"\\n\", trim: true); \
             file_contents = Enum.map(files, &File.read!/1); file_content = hd(file_contents); \
             _ = {file_path, file_content}; ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "apt install elixir, or brew install elixir",
};
