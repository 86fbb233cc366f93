//! Elixir, where a name with a capital would be a module: the variables are `file_content` and so on.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static ELIXIR: Runtime = Runtime {
    name: "elixir",
    aliases: &["ex", "exs"],
    extension: "exs",
    engines: &[Engine {
        program: "elixir",
        place: Place::OnPath,
        start: Start::Script(&["{script}"]),
        offer: Offer::FirstLine(
            "file_path = System.get_env(\"FILE_PATH\"); \
             files = \"FOREBAY_FILES\" |> System.get_env() |> File.read!() |> String.split(\"\\n\", trim: true); \
             file_contents = Enum.map(files, &File.read!/1); file_content = hd(file_contents); \
             _ = {file_path, file_content}; ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "apt install elixir, or brew install elixir",
};
