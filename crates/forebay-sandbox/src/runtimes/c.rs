//! C.

use std::path::Path;

use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

const fn c(program: &'static str) -> Engine {
    Engine {
        program,
        place: Place::OnPath,
        start: Start::Compiled {
            words: &["-O1", "-g", "-I{cwd}", "{load}", "-o", "{binary}", "{script}", "-lm"],
            is_alone: includes_no_file_of_the_project,
        },
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

/// Whether all that is included is the system's: no quoted name, none that lies in the working folder.
pub(super) fn includes_no_file_of_the_project(text: &str, cwd: &Path) -> bool {
    let directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut drawn_in = directives.filter_map(|directive| {
        let directive = directive.trim_start();
        directive.strip_prefix("include").or_else(|| directive.strip_prefix("embed"))
    });
    drawn_in.all(|rest| {
        let name = rest.trim().strip_prefix('<').and_then(|rest| rest.split_once('>'));
        name.is_some_and(|(name, _)| !cwd.join(name).exists())
    })
}

pub(super) static C: Runtime = Runtime {
    name: "c",
    aliases: &[],
    extension: "c",
    engines: &[c("cc"), c("gcc"), c("clang")],
    setup: Setup::Nothing,
    install: "apt install gcc, or xcode-select --install",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_project_are_told_from_the_systems() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("own.h"), "").unwrap();
        let alone = |text: &str| includes_no_file_of_the_project(text, folder.path());
        assert!(alone(
            "#include <stdio.h>\n  # include <math.h> // no \"own.h\"\nint main(void) {}"
        ));
        assert!(!alone("#include \"other.h\"") && !alone("# include <own.h>"));
        assert!(!alone("#include NAME") && !alone("#embed \"data\""));
    }
}
