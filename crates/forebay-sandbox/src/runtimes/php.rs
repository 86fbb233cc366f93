//! PHP; the opening tag is optional.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, PreludeFile, Runtime};

pub(super) static PHP: Runtime = Runtime {
    name: "php",
    aliases: &[],
    is_shell: false,
    extension: "php",
    engines: &[Engine {
        program: "php",
        location: EngineLocation::OnPath,
        // Print errors once, regardless of the `php.ini` of the machine.
        invocation: Invocation::Script(&[
            "-d",
            "display_errors=stderr",
            "-d",
            "log_errors=0",
            "{prelude-args}",
            "{script}",
        ]),
        // A file, because `declare` and `namespace` must be the first statement of the script.
        prelude: Prelude::File(PreludeFile {
            name: "prelude.php",
            text: r"<?php
$FILE_PATH = getenv('FILE_PATH');
$FILES = file(getenv('FOREBAY_FILES'), FILE_IGNORE_NEW_LINES);
$FILE_CONTENTS = array_map('file_get_contents', $FILES);
$FILE_CONTENT = $FILE_CONTENTS[0];
",
            args: &["-d", "auto_prepend_file={prelude}"],
        }),
        search_paths: &[],
    }],
    header: Header::OpeningTag("<?php "),
    install: "apt install php-cli, or brew install php",
};
