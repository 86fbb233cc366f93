//! C.

use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

const fn c(program: &'static str) -> Engine {
    Engine {
        program,
        place: Place::OnPath,
        start: Start::Compiled(&[
            "-O1", "-g", "-I{cwd}", "{load}", "-o", "{binary}", "{script}", "-lm",
        ]),
        // A constructor fills the variables before `main`.
        offer: Offer::Loaded(Load {
            file: "prelude.h",
            text: r#"#include <stdio.h>
#include <stdlib.h>
static const char *FILE_PATH;
static char *FILE_CONTENT;
static size_t FILE_SIZE;
__attribute__((constructor)) static void forebay_offer(void) {
    FILE_PATH = getenv("FILE_PATH");
    FILE *file = fopen(FILE_PATH, "rb");
    if (!file) { perror(FILE_PATH); exit(1); }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    FILE_CONTENT = (char *)malloc(size + 1);
    FILE_SIZE = fread(FILE_CONTENT, 1, size, file);
    FILE_CONTENT[FILE_SIZE] = 0;
    fclose(file);
}
"#,
            words: &["-D_GNU_SOURCE", "-include", "{prelude}"],
        }),
        search_paths: &[],
    }
}

pub(super) static C: Runtime = Runtime {
    name: "c",
    aliases: &[],
    extension: "c",
    engines: &[c("cc"), c("gcc"), c("clang")],
    setup: Setup::Nothing,
    install: "apt install gcc, or xcode-select --install",
};
