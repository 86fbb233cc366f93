//! An entry that is an image: recognised by its bytes, whatever anything says about it.

use forebay_domain::Entry;
use forebay_store::Store;
use forebay_text::number;
use imagesize::ImageType;
use serde_json::{Value, json};

use super::entry;
use crate::{App, AppError};

/// Larger images are not shown.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// A few bytes can be an image that takes gigabytes to draw.
const MAX_PIXELS: usize = 50_000_000;
/// The size of an image is found in its first bytes; those of a JPEG may follow a preview.
const MAX_HEADER_BYTES: usize = 256 * 1024;

/// An image that browsers draw and that cannot contain scripts or addresses.
pub struct Image {
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// Returns the image that an entry is.
pub fn image(app: &App, reference: &str) -> Result<Image, AppError> {
    let (store, found) = entry::find(app, reference)?;
    let media_type = kind(&*store, &found)?.map(|kind| kind.media_type);
    let media_type = media_type.ok_or_else(|| {
        AppError::not_found(
            "the entry is no image that is shown here",
            "forebay get --raw REF > FILE",
        )
    })?;
    let mut bytes = Vec::with_capacity(found.bytes as usize);
    store.read(found.reference, 0, &mut |piece| {
        bytes.extend_from_slice(piece);
        true
    })?;
    Ok(Image { media_type, bytes })
}

/// Returns what is known of the image that an entry is; null if it is none.
pub(super) fn facts(store: &dyn Store, entry: &Entry) -> Result<Value, AppError> {
    Ok(kind(store, entry)?.map_or(Value::Null, |kind| {
        json!({
            "media_type": kind.media_type,
            "width": kind.width,
            "height": kind.height,
            "size": number::bytes(entry.bytes),
        })
    }))
}

struct Kind {
    media_type: &'static str,
    width: usize,
    height: usize,
}

fn kind(store: &dyn Store, entry: &Entry) -> Result<Option<Kind>, AppError> {
    if entry.bytes == 0 || entry.bytes > MAX_BYTES {
        return Ok(None);
    }
    let mut header: Vec<u8> = Vec::new();
    store.read(entry.reference, 0, &mut |piece| {
        header.extend_from_slice(piece);
        // Most entries are text, which the first bytes tell.
        header.len() < MAX_HEADER_BYTES && media_type(&header).is_some()
    })?;
    Ok(kind_of(&header))
}

fn kind_of(header: &[u8]) -> Option<Kind> {
    let media_type = media_type(header)?;
    let size = imagesize::blob_size(header).ok()?;
    let is_drawable = size.width.checked_mul(size.height)? <= MAX_PIXELS;
    is_drawable.then_some(Kind { media_type, width: size.width, height: size.height })
}

/// Not SVG, which is a document with scripts.
fn media_type(header: &[u8]) -> Option<&'static str> {
    match imagesize::image_type(header).ok()? {
        ImageType::Png => Some("image/png"),
        ImageType::Jpeg => Some("image/jpeg"),
        ImageType::Gif => Some("image/gif"),
        ImageType::Webp => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend(b"\x08\x02\0\0\0");
        bytes
    }

    #[test]
    fn only_drawable_images_are_images() {
        let found = kind_of(&png(640, 480)).unwrap();
        assert_eq!((found.media_type, found.width, found.height), ("image/png", 640, 480));
        assert!(kind_of(&png(60_000, 60_000)).is_none(), "it would fill the memory");
        assert!(kind_of(&png(u32::MAX, u32::MAX)).is_none());
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
        for other in [&svg[..], b"<html>", b"plain text", b"\x89PNG", b""] {
            assert!(kind_of(other).is_none(), "{other:?}");
        }
    }
}
