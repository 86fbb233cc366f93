//! `#include` of C and C++.

use super::project::Project;
use super::{Imports, folder, joined, unquoted};

pub(crate) const C: Imports = Imports { read: |text| vec![unquoted(text).to_owned()], resolve };

/// Beside the file, else wherever a header of that path lies nearest.
fn resolve(path: &str, from: &str, project: &Project) -> Vec<String> {
    let beside = joined(folder(from), path).filter(|path| project.has(path));
    let plain = joined("", path).unwrap_or_else(|| path.replace("../", ""));
    beside.or_else(|| project.ending(&plain, from).into_iter().next()).into_iter().collect()
}
