//! What the packages of Linux distributions install, by path below the root.

use std::io::Write as _;

use anyhow::Result;
use flate2::{Compression, GzBuilder};

use super::archive::Entry;
use super::printed_by;
use super::program::Program;
use super::release::NAME;

/// Where zsh looks for completions of packages: Debian changed its search path, Fedora and openSUSE did not.
pub(super) const DEBIAN_ZSH_FOLDER: &str = "usr/share/zsh/vendor-completions";
pub(super) const RPM_ZSH_FOLDER: &str = "usr/share/zsh/site-functions";

/// Returns the file of completions of each shell.
fn completions(zsh_folder: &str) -> [(&'static str, String); 3] {
    [
        ("bash", "usr/share/bash-completion/completions/forebay".to_owned()),
        ("zsh", format!("{zsh_folder}/_forebay")),
        ("fish", "usr/share/fish/vendor_completions.d/forebay.fish".to_owned()),
    ]
}

pub(super) fn list(program: &Program, zsh_folder: &str) -> Result<Vec<Entry>> {
    let mut files = vec![
        Entry::executable(format!("usr/bin/{NAME}"), program.bytes.clone()),
        manual(program)?,
        service()?,
        Entry::text(
            "usr/lib/sysusers.d/forebay.conf",
            "u forebay - \"Forebay server\" /var/lib/forebay\n",
        ),
    ];
    for (shell, path) in completions(zsh_folder) {
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
