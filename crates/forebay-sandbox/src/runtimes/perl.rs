//! Perl.

use super::{Engine, EngineLocation, Header, Invocation, Prelude, Runtime};

pub(super) static PERL: Runtime = Runtime {
    name: "perl",
    aliases: &["pl"],
    is_shell: false,
    extension: "pl",
    engines: &[Engine {
        program: "perl",
        location: EngineLocation::OnPath,
        invocation: Invocation::Script(&["-I", "{cwd}", "{script}"]),
        prelude: Prelude::FirstLine(
            "our ($FILE_PATH, $FILE_CONTENT, @FILES, @FILE_CONTENTS); BEGIN { \
             my $read = sub { local $/; open(my $file, '<', $_[0]) or die \"$_[0]: $!\\n\"; scalar <$file> }; \
             $FILE_PATH = $ENV{FILE_PATH}; @FILES = split /\\n/, $read->($ENV{FOREBAY_FILES}); \
             @FILE_CONTENTS = map { $read->($_) } @FILES; $FILE_CONTENT = $FILE_CONTENTS[0]; } ",
        ),
        search_paths: &[],
    }],
    header: Header::None,
    install: "apt install perl, or brew install perl",
};
