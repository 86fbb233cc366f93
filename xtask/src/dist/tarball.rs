//! The archive that `install.sh` and `forebay upgrade` download.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::archive::{self, Entry};
use super::printed_by;
use super::program::Program;
use super::release::{NAME, Release, Target};

pub(super) const EXTENSION: &str = "tar.gz";

/// What a package installs beside the program, by the shell that reads it and the name it must have.
pub(super) const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "forebay.bash"), ("zsh", "_forebay"), ("fish", "forebay.fish")];

pub(super) fn write(
    release: &Release,
    target: &Target,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    let folder = release.stem(target);
    let mut entries = vec![
        Entry::executable(format!("{folder}/{NAME}"), program.bytes.clone()),
        Entry::text(format!("{folder}/man/{NAME}.1"), printed_by(program, &["man"])?),
    ];
    for (shell, name) in COMPLETIONS {
        let text = printed_by(program, &["completions", shell])?;
        entries.push(Entry::text(format!("{folder}/completions/{name}"), text));
    }
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        entries.push(Entry::of_repository(format!("{folder}/{name}"), name)?);
    }
    let path = out.join(format!("{folder}.{EXTENSION}"));
    archive::write_tar_gz(&path, &entries, release.time)?;
    Ok(path)
}
