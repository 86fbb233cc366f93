//! Go, which keeps what it compiled itself.

use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

pub(super) static GO: Runtime = Runtime {
    name: "go",
    aliases: &["golang"],
    extension: "go",
    engines: &[Engine {
        program: "go",
        place: Place::OnPath,
        start: Start::Script(&["run", "{script}", "{load}"]),
        // A second file of the package: imports must stay the first declarations of the script.
        offer: Offer::Loaded(Load {
            file: "prelude.go",
            text: r#"package main

import (
	"os"
	"strings"
)

var FILE_PATH = os.Getenv("FILE_PATH")
var FILES = strings.Split(strings.TrimSuffix(forebayRead(os.Getenv("FOREBAY_FILES")), "\n"), "\n")
var FILE_CONTENT = forebayRead(FILE_PATH)

func forebayRead(path string) string {
	bytes, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}
"#,
            words: &["{prelude}"],
        }),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "https://go.dev/dl, apt install golang-go, or brew install go",
};
