//! Go, with its own build cache.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

pub(super) static GO: Runtime = Runtime {
    name: "go",
    aliases: &["golang"],
    is_shell: false,
    extension: "go",
    engines: &[Engine {
        program: "go",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["run", "{script}", "{prelude-args}"]),
        // A second file of the package, because imports must be the first declarations of the script.
        prelude: Prelude::File(PreludeFile {
            name: "prelude.go",
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
            args: &["{prelude}"],
        }),
        search_paths: &[],
    }],
    header: Header::None,
    install: "https://go.dev/dl, apt install golang-go, or brew install go",
};
