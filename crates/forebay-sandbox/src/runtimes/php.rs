//! PHP: the opening tag may be left out.

use super::{Engine, Load, Offer, Place, Runtime, Setup, Start};

pub(super) static PHP: Runtime = Runtime {
    name: "php",
    aliases: &[],
    extension: "php",
    engines: &[Engine {
        program: "php",
        place: Place::OnPath,
        // Errors are shown once, whatever the machine's settings say.
        start: Start::Script(&[
            "-d",
            "display_errors=stderr",
            "-d",
            "log_errors=0",
            "{load}",
            "{script}",
        ]),
        // Loaded, not a first line: `declare` and `namespace` must stay the first statement.
        offer: Offer::Loaded(Load {
            file: "prelude.php",
            text: r"<?php
$FILE_PATH = getenv('FILE_PATH');
$FILES = file(getenv('FOREBAY_FILES'), FILE_IGNORE_NEW_LINES);
$FILE_CONTENTS = array_map('file_get_contents', $FILES);
$FILE_CONTENT = $FILE_CONTENTS[0];
",
            words: &["-d", "auto_prepend_file={prelude}"],
        }),
        search_paths: &[],
    }],
    setup: Setup::Tag("<?php "),
    install: "apt install php-cli, or brew install php",
};
