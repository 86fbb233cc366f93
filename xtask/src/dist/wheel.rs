//! The Python wheel: it installs the executable itself as a script, so no Python runs when it is called.

use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::program::Program;
use super::release::{AUTHORS, KEYWORDS, NAME, Release, Target};

pub(super) fn write(
    release: &Release,
    target: &Target,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    let stem = format!("{NAME}-{}", release.version);
    let info = format!("{stem}.dist-info");
    let mut entries = vec![
        Entry::executable(format!("{stem}.data/scripts/{NAME}"), program.bytes.clone()),
        Entry::text(format!("{info}/METADATA"), metadata(release)?),
        Entry::text(format!("{info}/WHEEL"), tags(target)),
    ];
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        entries.push(Entry::of_repository(format!("{info}/licenses/{name}"), name)?);
    }
    entries.push(Entry::text(format!("{info}/RECORD"), record(&entries, &info)));
    let path = out.join(format!("{stem}-py3-none-{}.whl", target.wheel));
    archive::write_zip(&path, &entries)?;
    Ok(path)
}

fn metadata(release: &Release) -> Result<String> {
    let readme = std::fs::read_to_string(crate::workspace::root().join("README.md"))?;
    let mut lines = vec![
        "Metadata-Version: 2.4".to_owned(),
        format!("Name: {NAME}"),
        format!("Version: {}", release.version),
        format!("Summary: {}", release.description),
        format!("Author: {AUTHORS}"),
        format!("License-Expression: {}", release.license),
        "License-File: LICENSE-MIT".to_owned(),
        "License-File: LICENSE-APACHE".to_owned(),
        format!("Keywords: {}", KEYWORDS.join(",")),
        "Requires-Python: >=3.8".to_owned(),
        "Description-Content-Type: text/markdown".to_owned(),
    ];
    lines.extend(release.repository.iter().map(|url| format!("Project-URL: Source, {url}")));
    let mut text = lines.join("\n") + "\n\n" + &readme;
    // The MCP registry looks for its name of the server in the description.
    if let Some(name) = release.registry_name() {
        text.push_str(&format!("\n<!-- mcp-name: {name} -->\n"));
    }
    Ok(text)
}

fn tags(target: &Target) -> String {
    format!(
        "Wheel-Version: 1.0\nGenerator: forebay\nRoot-Is-Purelib: false\nTag: py3-none-{}\n",
        target.wheel
    )
}

/// Lists every file with its hash and size; the list itself has neither.
fn record(entries: &[Entry], info: &str) -> String {
    let line = |entry: &Entry| {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
        format!("{},sha256={hash},{}\n", entry.name, entry.bytes.len())
    };
    entries.iter().map(line).collect::<String>() + &format!("{info}/RECORD,,\n")
}
