//! The log: a file in the data folder, never the terminal, which belongs to answers.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;

use crate::config::environment;

/// A log that has grown beyond this starts anew; the former one is kept beside it.
const LARGEST_BYTES: u64 = 5_000_000;

/// Starts logging; without a writable folder there is no log, and nothing else changes.
pub(crate) fn start(file: &Path) {
    let level = environment::read(environment::LOG).and_then(|word| word.parse().ok());
    let level: LevelFilter = level.unwrap_or(LevelFilter::WARN);
    let is_large = fs::metadata(file).is_ok_and(|metadata| metadata.len() > LARGEST_BYTES);
    if is_large {
        let _ = fs::rename(file, file.with_extension("log.old"));
    }
    // The folder is the store's to make; before the first entry there is nothing worth a log.
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(file);
    if let Ok(opened) = opened {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(false)
            .with_writer(Mutex::new(opened))
            .finish();
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
}
