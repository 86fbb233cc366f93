//! Perl.

use super::{Engine, Offer, Place, Runtime, Setup, Start};

pub(super) static PERL: Runtime = Runtime {
    name: "perl",
    aliases: &["pl"],
    extension: "pl",
    engines: &[Engine {
        program: "perl",
        place: Place::OnPath,
        start: Start::Script(&["-I", "{cwd}", "{script}"]),
        offer: Offer::FirstLine(
            "our ($FILE_PATH, $FILE_CONTENT, @FILES, @FILE_CONTENTS); BEGIN { \
             my $read = sub { local $/; open(my $file, '<', $_[0]) or die \"$_[0]: $!\\n\"; scalar <$file> }; \
             $FILE_PATH = $ENV{FILE_PATH}; @FILES = split /\\n/, $read->($ENV{FOREBAY_FILES}); \
             @FILE_CONTENTS = map { $read->($_) } @FILES; $FILE_CONTENT = $FILE_CONTENTS[0]; } ",
        ),
        search_paths: &[],
    }],
    setup: Setup::Nothing,
    install: "apt install perl, or brew install perl",
};
