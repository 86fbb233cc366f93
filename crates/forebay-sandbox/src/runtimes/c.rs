//! C, compiled by `cc`.

use std::path::Path;

use super::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

const fn c(program: &'static str) -> Engine {
    Engine {
        program,
        location: EngineLocation::OnPath,
        invocation: Invocation::Compiled {
            args: &["-O1", "-g", "-I{cwd}", "{prelude-args}", "-o", "{binary}", "{script}", "-lm"],
            is_self_contained: includes_only_system_headers,
        },
        // A constructor sets the variables before `main`.
        prelude: Prelude::File(PreludeFile {
            name: "prelude.h",
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
            args: &["-D_GNU_SOURCE", "-include", "{prelude}"],
        }),
        search_paths: &[],
    }
}

/// Whether no include has quotes or names a file in the working directory.
pub(super) fn includes_only_system_headers(text: &str, cwd: &Path) -> bool {
    let directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut included = directives.filter_map(|directive| {
        let directive = directive.trim_start();
        directive.strip_prefix("include").or_else(|| directive.strip_prefix("embed"))
    });
    included.all(|rest| {
        let name = rest.trim().strip_prefix('<').and_then(|rest| rest.split_once('>'));
        name.is_some_and(|(name, _)| !cwd.join(name).exists())
    })
}

pub(super) static C: Runtime = Runtime {
    name: "c",
    aliases: &[],
    is_shell: false,
    extension: "c",
    engines: &[c("cc"), c("gcc"), c("clang")],
    header: Header::None,
    install: "apt install gcc, or xcode-select --install",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_project_headers_from_system_headers() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("own.h"), "").unwrap();
        let alone = |text: &str| includes_only_system_headers(text, folder.path());
        assert!(alone(
            "#include <stdio.h>\n  # include <math.h> // no \"own.h\"\nint main(void) {}"
        ));
        assert!(!alone("#include \"other.h\"") && !alone("# include <own.h>"));
        assert!(!alone("#include NAME") && !alone("#embed \"data\""));
    }
}
