//! Parses JSON with escapes of lone surrogates, which become U+FFFD.

use serde_json::Value;

/// The length of an escape like `\ud800`.
const ESCAPE_BYTES: usize = 6;

/// Parses JSON; only if that fails, again without lone surrogates.
pub(super) fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes)
        .or_else(|error| serde_json::from_slice(&replace_lone_surrogates(bytes)).map_err(|_| error))
}

fn replace_lone_surrogates(json: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(&first) = rest.first() {
        let (written, taken): (&[u8], usize) =
            match (unit(rest), rest.get(ESCAPE_BYTES..).and_then(unit)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                    (&rest[..2 * ESCAPE_BYTES], 2 * ESCAPE_BYTES)
                }
                (Some(0xd800..=0xdfff), _) => (br"\ufffd", ESCAPE_BYTES),
                // An escaped backslash starts no other escape.
                _ if first == b'\\' && rest.len() > 1 => (&rest[..2], 2),
                _ => (&rest[..1], 1),
            };
        replaced.extend_from_slice(written);
        rest = &rest[taken..];
    }
    replaced
}

/// Returns the code unit of an escape at the start.
fn unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced() {
        for (json, text) in [
            (br#""\ud800 do it""#.as_slice(), "\u{fffd} do it"),
            (br#""\udc00\ud83d\ude00\ud83d""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (br#""\\ud800 \ud800""#, "\\ud800 \u{fffd}"),
            (br#""plain""#, "plain"),
        ] {
            assert_eq!(parse(json).unwrap(), Value::from(text));
        }
        assert!(parse(br#""\ud800"#).is_err() && parse(b"\"\xff\"").is_err());
    }
}
