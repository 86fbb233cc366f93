//! The MCP bundle (`.mcpb`): one file that desktop clients install with a click.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::archive::{self, Entry};
use super::program::Program;
use super::release::{AUTHORS, KEYWORDS, NAME, Release, TITLE, Target};

pub(super) const EXTENSION: &str = "mcpb";

pub(super) fn write(
    release: &Release,
    target: &Target,
    program: &Program,
    out: &Path,
) -> Result<PathBuf> {
    let manifest = serde_json::to_string_pretty(&manifest(release, target))? + "\n";
    let mut entries = vec![
        Entry::text("manifest.json", manifest),
        Entry::executable(format!("server/{NAME}"), program.bytes.clone()),
    ];
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        entries.push(Entry::of_repository(name, name)?);
    }
    let path = out.join(format!("{}.{EXTENSION}", release.stem(target)));
    archive::write_zip(&path, &entries)?;
    Ok(path)
}

fn manifest(release: &Release, target: &Target) -> Value {
    let mut manifest = json!({
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": TITLE,
        "version": release.version,
        "description": release.description,
        "author": { "name": AUTHORS },
        "license": release.license,
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": format!("server/{NAME}"),
            "mcp_config": { "command": format!("${{__dirname}}/server/{NAME}"), "args": ["mcp"] },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "compatibility": { "platforms": [target.npm.os] },
    });
    if let Some(url) = &release.repository {
        manifest["repository"] = json!({ "type": "git", "url": url });
    }
    manifest
}
