//! `#include` of C and C++.

use super::project::ProjectFiles;
use super::{ImportSyntax, folder, join_path, unquoted};

pub(crate) const C: ImportSyntax =
    ImportSyntax { parse: |text| vec![unquoted(text).to_owned()], resolve };

/// Looks next to the file, then for the nearest header with this path.
fn resolve(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let beside = join_path(folder(from), path).filter(|path| project.contains(path));
    let plain = join_path("", path).unwrap_or_else(|| path.replace("../", ""));
    beside
        .or_else(|| project.files_with_suffix(&plain, from).into_iter().next())
        .into_iter()
        .collect()
}
