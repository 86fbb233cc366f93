//! Any bytes pushed or imported as entries are stored or refused, never a panic.
#![no_main]

use std::io::Read as _;
use std::sync::LazyLock;

use forebay_app::App;
use forebay_app::team::exchange::accept_push;
use forebay_store::read_archive;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static HOME: LazyLock<(TempDir, App)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let app = forebay_fuzz::app(folder.path());
    (folder, app)
});

fuzz_target!(|bytes: &[u8]| {
    let _ = accept_push(&HOME.1, bytes);
    if let Ok(archive) = read_archive(bytes) {
        let _ = archive.take(1 << 20).read_to_end(&mut Vec::new());
    }
});
