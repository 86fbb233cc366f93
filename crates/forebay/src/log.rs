//! The log: a file in the data directory, never the terminal.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;

use crate::config::environment;

/// Size at which the log is rotated; one old file is kept.
const MAX_LOG_BYTES: u64 = 5_000_000;

/// Starts logging; without a writable directory there is no log.
pub(crate) fn start(file: &Path) {
    let level = environment::read(environment::LOG).and_then(|word| word.parse().ok());
    let level: LevelFilter = level.unwrap_or(LevelFilter::WARN);
    let is_large = fs::metadata(file).is_ok_and(|metadata| metadata.len() > MAX_LOG_BYTES);
    if is_large {
        let _ = fs::rename(file, file.with_extension("log.old"));
    }
    // The store creates the directory; before the first entry there is nothing to log.
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
