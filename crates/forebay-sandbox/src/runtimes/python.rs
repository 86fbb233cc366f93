//! Python; the virtual environment of the project comes first.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

/// Unbuffered, so that the output before a timeout is captured.
const SCRIPT: Invocation = Invocation::Script(&["-u", "{script}"]);

/// The script is in a private directory, so the working directory is added for the modules of the project.
const SEARCH_PATHS: &[(&str, &str)] = &[("PYTHONPATH", "{folder}:{cwd}")];

/// A `sitecustomize`, because `from __future__ import` must be the first statement of the script. It imports
/// the `sitecustomize` that it shadows.
const FILES: Prelude = Prelude::File(PreludeFile {
    name: "sitecustomize.py",
    text: r#"import builtins, os, sys

def _read(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")

def _offer():
    own = os.path.dirname(os.path.abspath(__file__))
    builtins.FILE_PATH = os.environ["FILE_PATH"]
    with open(os.environ["FOREBAY_FILES"], "rb") as names:
        builtins.FILES = [os.fsdecode(name) for name in names.read().split(b"\n") if name]
    builtins.FILE_CONTENTS = [_read(path) for path in builtins.FILES]
    builtins.FILE_CONTENT = builtins.FILE_CONTENTS[0]
    sys.path[:] = [path for path in sys.path if path != own]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize
    except ImportError:
        pass
    sys.modules.setdefault("sitecustomize", this)

# Child interpreters inherit the search path, and may have lost the files.
if os.path.exists(os.environ.get("FOREBAY_FILES", "")):
    _offer()
"#,
    args: &[],
});

const fn python(program: &'static str, location: EngineLocation) -> Engine {
    Engine { program, location, invocation: SCRIPT, prelude: FILES, search_paths: SEARCH_PATHS }
}

pub(super) static PYTHON: Runtime = Runtime {
    name: "python",
    aliases: &["py", "python3"],
    is_shell: false,
    extension: "py",
    engines: &[
        python(".venv/bin/python", EngineLocation::InProject),
        python("bin/python", EngineLocation::InEnvDir("VIRTUAL_ENV")),
        Engine {
            program: "uv",
            location: EngineLocation::OnPathIfProjectHas("uv.lock"),
            invocation: Invocation::Script(&["run", "--quiet", "python", "-u", "{script}"]),
            prelude: FILES,
            search_paths: SEARCH_PATHS,
        },
        python("python3", EngineLocation::OnPath),
        python("python", EngineLocation::OnPath),
    ],
    header: Header::None,
    install: "apt install python3, brew install python, or https://docs.astral.sh/uv",
};
