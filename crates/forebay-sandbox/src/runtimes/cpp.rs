//! C++.

use super::c::includes_no_file_of_the_project;
use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

const fn cpp(program: &'static str) -> Engine {
    Engine {
        program,
        place: Place::OnPath,
        start: Start::Compiled {
            words: &["-std=c++17", "-O1", "-g", "-I{cwd}", "{load}", "-o", "{binary}", "{script}"],
            is_alone: includes_no_file_of_the_project,
        },
        offer: Offer::Loaded(Load {
            file: "prelude.hpp",
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
            words: &["-include", "{prelude}"],
        }),
        search_paths: &[],
    }
}

pub(super) static CPP: Runtime = Runtime {
    name: "cpp",
    aliases: &["c++", "cxx"],
    extension: "cpp",
    engines: &[cpp("c++"), cpp("g++"), cpp("clang++")],
    setup: Setup::Nothing,
    install: "apt install g++, or xcode-select --install",
};
