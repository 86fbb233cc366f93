//! Detects binary data, which is described instead of shown.

use forebay_text::number::grouped;

/// Number of leading bytes that decide between text and binary data.
pub(crate) const PROBE_BYTES: usize = 1024;

/// Magic numbers: how files of each kind start.
const MAGIC: &[(&str, &[u8])] = &[
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("jpeg", b"\xff\xd8\xff"),
    ("gif", b"GIF8"),
    ("pdf", b"%PDF-"),
    ("zip", b"PK\x03\x04"),
    ("gzip", b"\x1f\x8b\x08"),
    ("elf", b"\x7fELF"),
    ("sqlite", b"SQLite format 3\0"),
    ("utf-16 text", b"\xff\xfe"),
    ("utf-16 text", b"\xfe\xff"),
];

/// Binary data, described from its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binary {
    kind: Option<&'static str>,
    /// Details read from the header.
    detail: String,
}

impl Binary {
    /// Detects binary data by its first bytes; `None` for text.
    pub(crate) fn recognize(start: &[u8]) -> Option<Self> {
        let kind = MAGIC.iter().find(|(_, magic)| start.starts_with(magic)).map(|(kind, _)| *kind);
        let has_nul = start.contains(&0) && !is_nul_list(start);
        let binary = kind.is_some() || has_nul || is_mostly_garbage(start);
        binary.then(|| Self {
            kind,
            detail: kind.map(|kind| detail(kind, start)).unwrap_or_default(),
        })
    }

    /// Returns the line that replaces `bytes` bytes of data.
    pub(crate) fn describe(&self, bytes: u64, hash: &str) -> String {
        let kind = self.kind.map(|kind| format!(" ({kind}{})", self.detail)).unwrap_or_default();
        format!("binary data, {} bytes{kind}, sha256 {hash}", grouped(bytes))
    }
}

/// Returns what the header of this kind says, with its leading separator.
fn detail(kind: &str, start: &[u8]) -> String {
    match kind {
        "png" => png(start),
        "jpeg" | "gif" => Some(" image".to_owned()),
        "elf" => elf(start),
        _ => None,
    }
    .unwrap_or_default()
}

/// Reads size and color type from the first chunk.
fn png(start: &[u8]) -> Option<String> {
    let header = start.get(16..26).filter(|_| start[12..16] == *b"IHDR")?;
    let number = |at: usize| {
        header[at..at + 4].iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
    };
    let colours = match header[9] {
        0 => "grey",
        2 => "RGB",
        3 => "palette",
        4 => "grey with alpha",
        _ => "RGBA",
    };
    Some(format!(" image, {}x{}, {}-bit {colours}", number(0), number(4), header[8]))
}

fn elf(start: &[u8]) -> Option<String> {
    let bits = if *start.get(4)? == 2 { "64-bit" } else { "32-bit" };
    let machine = match start.get(18)? {
        0x3e => "x86-64",
        0xb7 => "aarch64",
        0x28 => "arm",
        0x03 => "x86",
        0xf3 => "riscv",
        _ => "other architecture",
    };
    let interpreted = memchr::memmem::find(start, b"/ld-").is_some();
    let what = match (start.get(16)?, interpreted) {
        (2, _) | (3, true) => "executable",
        (3, false) => "shared object",
        (1, _) => "relocatable",
        _ => "core or other",
    };
    let linked = if interpreted { ", dynamically linked" } else { "" };
    Some(format!(" {bits} {machine} {what}{linked}"))
}

/// Minimum number of complete items in a list, and their mean length in bytes.
///
/// Shorter ones are UTF-16 or tables of numbers.
const MIN_ITEMS: usize = 3;
const MIN_MEAN_BYTES: usize = 4;

/// Returns true for names that end with NUL, as `find -print0`, `git ls-files -z` and `env -0` print them.
pub(crate) fn is_nul_list(start: &[u8]) -> bool {
    let start = &start[..start.len().min(PROBE_BYTES)];
    let Some(end) = memchr::memrchr(0, start) else { return false };
    // The last item may be cut off by the end of the probe, within a character.
    let is_cut = start.len() == PROBE_BYTES;
    let rest = &start[end + 1..];
    let rest_is_text = match std::str::from_utf8(rest) {
        Ok(text) => is_item(text) || text.is_empty(),
        Err(error) => is_cut && error.error_len().is_none(),
    };
    let mut items = 0;
    let mut names = start[..end].split(|byte| *byte == 0);
    let all_are_items = names.all(|item| {
        items += 1;
        std::str::from_utf8(item).is_ok_and(is_item)
    });
    all_are_items && rest_is_text && items >= MIN_ITEMS && end + 1 >= items * (MIN_MEAN_BYTES + 1)
}

/// Ends each item of a NUL-separated list as a line.
pub(crate) fn items_as_lines(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if *byte == 0 { b'\n' } else { *byte }).collect()
}

fn is_item(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_control() && !"\t\n".contains(c))
}

/// Returns true if more than 30 % of the bytes are control characters or invalid UTF-8.
fn is_mostly_garbage(start: &[u8]) -> bool {
    let garbage: usize = start
        .utf8_chunks()
        .map(|chunk| {
            chunk.invalid().len()
                + chunk.valid().bytes().filter(|byte| is_unusual_control(*byte)).count()
        })
        .sum();
    garbage * 10 > start.len() * 3
}

/// Control characters that terminal programs do not print.
fn is_unusual_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x07 | 0x08 | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(start: &[u8], expect: Option<&str>) {
        let described = Binary::recognize(start).map(|binary| binary.describe(12_345, "0"));
        assert_eq!(described.as_deref(), expect, "{start:?}");
    }

    #[test]
    fn distinguishes_binary_data_from_text() {
        check(b"", None);
        check(b"plain\ttext\r\n", None);
        check(b"\x1b[31mred\x1b[0m \x08\x08\x08\x08", None);
        check("größer".as_bytes(), None);
        check(b"caf\xe9 au lait in latin-1", None);
        check(b"\x01\x02\x03\x04abcd", Some("binary data, 12,345 bytes, sha256 0"));
        check(b"src/a.rs\0src/b.rs\0README.md\0", None);
        check("src/a.rs\0grün/b c.rs\0README.md\0cut".as_bytes(), None);
        check(b"a\0b\0c\0d\0e\0", Some("binary data, 12,345 bytes, sha256 0"));
        check(b"name\0\0\0\0other\0third\0", Some("binary data, 12,345 bytes, sha256 0"));
        check(b"abc\0def", Some("binary data, 12,345 bytes, sha256 0"));
        check(b"\x89PNG\r\n\x1a\n....", Some("binary data, 12,345 bytes (png), sha256 0"));
        check(b"\x1f\x8b\x08..", Some("binary data, 12,345 bytes (gzip), sha256 0"));
        check(b"\xff\xfea\0b\0", Some("binary data, 12,345 bytes (utf-16 text), sha256 0"));
    }
}
