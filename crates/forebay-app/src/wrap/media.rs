//! Images, audio and other binary results.

use std::cell::OnceCell;
use std::time::Instant;

use forebay_domain::{Entry, EntryKind, Stream};
use forebay_redact::Redactions;
use forebay_text::invisible::escape_name;
use forebay_text::{cut, number};
use serde_json::Value;

use super::{WrappedCall, WrappedServer};
use crate::hooks::capture_filter;
use crate::{Answer, AppError};

const MAX_TITLE_BYTES: usize = 200;
const MAX_TYPE_BYTES: usize = 60;

/// A binary part of a result.
#[derive(Debug, Clone, Copy)]
pub struct Media<'a> {
    /// The media type that the server states.
    pub media_type: &'a str,
    pub bytes: &'a [u8],
    /// What the model would have got: the bytes in the encoding of the protocol.
    pub encoded_bytes: u64,
}

impl WrappedServer {
    /// Stores a large binary part of a result; returns the text in its place, or `None` if it is to stay.
    pub fn describe(
        &self,
        call: &WrappedCall,
        media: Media<'_>,
    ) -> Result<Option<String>, AppError> {
        let settings = &self.app.settings;
        let is_listed =
            settings.wrap.pass.iter().any(|one| capture_filter::matches(one, &call.call.name));
        let passes = call.is_whole || is_listed;
        let is_small = media.bytes.len() as u64 <= settings.wrap.media_kb * 1024;
        if passes || is_small || !capture_filter::is_captured(&call.call, &settings.hooks) {
            return Ok(None);
        }
        let started = Instant::now();
        let (entry, redactions) = self.store(call, media)?;
        let reference = entry.reference.as_str();
        let remark = if redactions.is_empty() { String::new() } else { format!(" ({redactions})") };
        let text = format!(
            "{} {}: stored, not shown{remark}. To a file: forebay get {reference} --raw > FILE",
            entry.reference,
            media.description(),
        );
        let answer = Answer::new(text, Value::Null)
            .instead_of(media.encoded_bytes)
            // How many tokens of an image its model would have been billed for is unknown.
            .of_which_shown(0);
        self.record_usage(&answer, started);
        Ok(Some(answer.text))
    }

    fn store(&self, call: &WrappedCall, media: Media<'_>) -> Result<(Entry, Redactions), AppError> {
        let app = &self.app;
        let description = media.description();
        let (line, _) = app.redaction.redact(&format!("{description} of {}", call.line));
        let mut new = app.new_entry(EntryKind::Capture, cut::one_line(&line, MAX_TITLE_BYTES));
        new.source = app.redaction.name(&call.call.name);
        new.digest = description;
        // There is no text to find.
        new.has_all_chunks = true;
        let opened = OnceCell::new();
        let mut upload = app.stores.upload_to_own(&opened)?;
        let mut written = Ok(());
        let keep = &mut |_: Stream, clean: &[u8]| {
            if written.is_ok() {
                written = upload.write(clean);
            }
        };
        let mut streams = app.redaction.streams();
        streams.push(Stream::Stdout, media.bytes, keep);
        let redactions = streams.finish(keep);
        written?;
        Ok((upload.finish(new)?, redactions))
    }
}

impl Media<'_> {
    /// `image/png, 1280x720, 184.0 KB`
    fn description(&self) -> String {
        let media_type = match self.media_type.trim() {
            "" => "binary data".into(),
            stated => escape_name(cut::prefix(stated, MAX_TYPE_BYTES)),
        };
        let size = number::bytes(self.bytes.len() as u64);
        match imagesize::blob_size(self.bytes) {
            Ok(found) => format!("{media_type}, {}x{}, {size}", found.width, found.height),
            Err(_) => format!("{media_type}, {size}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(media_type: &str, bytes: &[u8], expect: &str) {
        let media = Media { media_type, bytes, encoded_bytes: 0 };
        assert_eq!(media.description(), expect);
    }

    #[test]
    fn describes_type_dimensions_and_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x02\xd0\x08\x02\0\0\0";
        check("image/png", png, "image/png, 1280x720, 29 B");
        check("audio/wav", &[0; 2_000], "audio/wav, 2.0 KB");
        check(" ", b"x", "binary data, 1 B");
        check("a\nb", b"x", "a\\nb, 1 B");
    }
}
