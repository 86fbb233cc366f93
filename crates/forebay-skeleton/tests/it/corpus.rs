//! Completeness on real code, compared with a reference parser of each language.

mod python;
mod rust;
mod typescript;

use std::fs;
use std::path::{Path, PathBuf};

/// The number of reference items, and those that a skeleton lacks.
#[derive(Default)]
struct Count {
    items: usize,
    missing: Vec<String>,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.items += other.items;
        self.missing.extend(other.missing);
    }

    fn percent(&self) -> f64 {
        100.0 * (self.items - self.missing.len()) as f64 / self.items.max(1) as f64
    }

    fn print(&self, what: &str) {
        println!("{what}: {:.3} % of {} items", self.percent(), self.items);
        for missing in self.missing.iter().take(60) {
            println!("  {missing}");
        }
    }
}

/// Returns the files in a folder tree with an extension, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|actual| actual == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
