//! Python: the project's own environment first.

use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

/// Unbuffered, so that what a run printed before its time was up is there.
const SCRIPT: Start = Start::Script(&["-u", "{script}"]);

/// The script's folder is private, so the working folder is added for the project's own modules.
const SEARCH_PATHS: &[(&str, &str)] = &[("PYTHONPATH", "{folder}:{cwd}")];

/// A `sitecustomize`, not a first line: `from __future__ import` must stay the first statement. The
/// one it hides is loaded after it.
const FILES: Offer = Offer::Loaded(Load {
    file: "sitecustomize.py",
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
    words: &[],
});

const fn python(program: &'static str, place: Place) -> Engine {
    Engine { program, place, start: SCRIPT, offer: FILES, search_paths: SEARCH_PATHS }
}

pub(super) static PYTHON: Runtime = Runtime {
    name: "python",
    aliases: &["py", "python3"],
    extension: "py",
    engines: &[
        python(".venv/bin/python", Place::InProject),
        python("bin/python", Place::Below("VIRTUAL_ENV")),
        Engine {
            program: "uv",
            place: Place::OnPathFor("uv.lock"),
            start: Start::Script(&["run", "--quiet", "python", "-u", "{script}"]),
            offer: FILES,
            search_paths: SEARCH_PATHS,
        },
        python("python3", Place::OnPath),
        python("python", Place::OnPath),
    ],
    setup: Setup::Nothing,
    install: "apt install python3, brew install python, or https://docs.astral.sh/uv",
};
