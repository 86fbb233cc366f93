//! What the packages of Linux distributions install, by path below the root.

use std::io::Write as _;

use anyhow::Result;
use flate2::{Compression, GzBuilder};

use super::archive::Entry;
use super::printed_by;
use super::program::Program;
use super::release::NAME;

/// The folder of completions of each shell, and the name of the file.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/forebay"),
    ("zsh", "usr/share/zsh/vendor-completions/_forebay"),
    ("fish", "usr/share/fish/vendor_completions.d/forebay.fish"),
];

pub(super) fn list(program: &Program) -> Result<Vec<Entry>> {
    let mut files = vec![
        Entry::executable(format!("usr/bin/{NAME}"), program.bytes.clone()),
        manual(program)?,
        service()?,
        Entry::text(
            "usr/lib/sysusers.d/forebay.conf",
            "u forebay - \"Forebay server\" /var/lib/forebay\n",
        ),
    ];
    for (shell, path) in COMPLETIONS {
        files.push(Entry::text(path, printed_by(program, &["completions", shell])?));
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        files.push(Entry::of_repository(format!("usr/share/doc/{NAME}/{name}"), name)?);
    }
    Ok(files)
}

fn manual(program: &Program) -> Result<Entry> {
    let mut gzip = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    gzip.write_all(printed_by(program, &["man"])?.as_bytes())?;
    let name = format!("usr/share/man/man1/{NAME}.1.gz");
    Ok(Entry { name, bytes: gzip.finish()?, is_executable: false })
}

/// The unit of the server, with the program where packages install it. It is not started: most people need no server.
fn service() -> Result<Entry> {
    let unit =
        Entry::of_repository("usr/lib/systemd/system/forebay.service", "deploy/forebay.service")?;
    let text = String::from_utf8(unit.bytes)?.replace("/usr/local/bin/", "/usr/bin/");
    Ok(Entry { bytes: text.into_bytes(), ..unit })
}
