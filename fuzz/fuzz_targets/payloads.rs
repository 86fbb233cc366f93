//! Decoding any bytes from a hook's stdin and encoding any reply never panics.
#![no_main]

use forebay_app::hooks::extract::events;
use forebay_domain::hook::Reply;
use forebay_platforms::{PLATFORMS, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for platform in PLATFORMS {
        for row in platform.events {
            let Ok(decoded) = decode(platform, row.name, bytes) else { return };
            let _ = events(&decoded.call.event);
            for reply in [Reply::Replace("x".to_owned()), Reply::Rewrite("x".to_owned())] {
                let _ = encode(&decoded, &reply);
            }
        }
    }
});
