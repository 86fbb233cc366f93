//! Converting any bytes as HTML or PDF ends, and the text has no tag of a script.
#![no_main]

use forebay_app::ingest::convert;
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // A panic of the PDF parser is caught by the converter; libFuzzer's own hook would abort first.
    init: std::panic::set_hook(Box::new(|_| ())),
    |bytes: &[u8]| {
        let _ = convert::pdf(bytes);
        let html = String::from_utf8_lossy(bytes);
        let _ = convert::is_html("page.html", &html);
        let _ = convert::html_charset(bytes);
        let _ = convert::html(&html);
    }
);
