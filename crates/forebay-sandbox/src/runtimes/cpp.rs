//! C++, compiled by `c++`.

use super::c::includes_only_system_headers;
use super::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

const fn cpp(program: &'static str) -> Engine {
    Engine {
        program,
        location: EngineLocation::OnPath,
        invocation: Invocation::Compiled {
            args: &[
                "-std=c++17",
                "-O1",
                "-g",
                "-I{cwd}",
                "{prelude-args}",
                "-o",
                "{binary}",
                "{script}",
            ],
            is_self_contained: includes_only_system_headers,
        },
        prelude: Prelude::File(PreludeFile {
            name: "prelude.hpp",
            text: r#"#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
static std::string forebay_read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
static std::vector<std::string> forebay_lines(const std::string &path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}
static const std::string FILE_PATH = std::getenv("FILE_PATH");
static const std::string FILE_CONTENT = forebay_read(FILE_PATH);
static const std::vector<std::string> FILES = forebay_lines(std::getenv("FOREBAY_FILES"));
"#,
            args: &["-include", "{prelude}"],
        }),
        search_paths: &[],
    }
}

pub(super) static CPP: Runtime = Runtime {
    name: "cpp",
    aliases: &["c++", "cxx"],
    is_shell: false,
    extension: "cpp",
    engines: &[cpp("c++"), cpp("g++"), cpp("clang++")],
    header: Header::None,
    install: "apt install g++, or xcode-select --install",
};
