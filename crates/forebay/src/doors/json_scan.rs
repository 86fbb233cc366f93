//! Measures a JSON message without decoding it, and finds its id.
//!
//! Decoding costs many times the bytes of a message with a million keys. The scan keeps a few bytes, whatever the
//! message's length, so it also yields the id of a message that is too long to keep.

use forebay_app::bounds::{MAX_ID_BYTES, MAX_JSON_DEPTH, MAX_JSON_VALUES};

/// Bytes kept of a top-level key: one more than `id` has, to tell it from longer ones.
const KEY_BYTES: usize = 3;

/// The structure of a JSON text seen so far. A text that is not JSON gives numbers without meaning.
#[derive(Debug, Default)]
pub(crate) struct JsonScan {
    depth: usize,
    deepest: usize,
    values: usize,
    string: Position,
    /// The last string at the top level, which is a key if a colon follows.
    key: Vec<u8>,
    is_key_escaped: bool,
    has_escaped_key: bool,
    /// Whether the bytes belong to the value of the top-level `id`.
    is_in_id: bool,
    /// One byte more than an id may have, to tell a longer one.
    id: Vec<u8>,
    ids: usize,
}

/// Where a byte is with respect to strings.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Position {
    #[default]
    Outside,
    Inside,
    /// Behind a backslash.
    Escaped,
}

impl JsonScan {
    pub(crate) fn whole(text: &[u8]) -> Self {
        let mut scan = Self::default();
        scan.feed(text);
        scan
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Says why the message is not decoded.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.deepest > MAX_JSON_DEPTH {
            return Err(format!("the message is nested deeper than {MAX_JSON_DEPTH}"));
        }
        if self.values > MAX_JSON_VALUES {
            return Err(format!("the message has more than {MAX_JSON_VALUES} keys and items"));
        }
        if self.ids > 1 {
            return Err("`id` is given more than once".to_owned());
        }
        if self.id().len() > MAX_ID_BYTES {
            return Err(format!("`id` is longer than {MAX_ID_BYTES} bytes"));
        }
        if self.has_escaped_key {
            // The decoder could read another key there than this scan.
            return Err("a key of the message contains an escape".to_owned());
        }
        Ok(())
    }

    /// The text of the top-level `id`; none if there may be several.
    pub(crate) fn id(&self) -> &[u8] {
        let is_ambiguous = self.ids > 1 || self.has_escaped_key;
        if is_ambiguous { b"" } else { self.id.trim_ascii() }
    }

    fn step(&mut self, byte: u8) {
        if self.string != Position::Outside {
            return self.step_in_string(byte);
        }
        match byte {
            b'"' => {
                self.string = Position::Inside;
                self.key.clear();
                self.is_key_escaped = false;
                self.extend_id(byte);
            }
            b'{' | b'[' => {
                self.extend_id(byte);
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                self.values += 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_in_id &= self.depth > 0;
                self.extend_id(byte);
            }
            b',' => {
                self.values += 1;
                self.is_in_id &= self.depth > 1;
                self.extend_id(byte);
            }
            b':' if self.depth == 1 && !self.is_in_id => {
                self.has_escaped_key |= self.is_key_escaped;
                self.is_in_id = self.key == b"id";
                if self.is_in_id {
                    self.id.clear();
                    self.ids += 1;
                }
            }
            _ => self.extend_id(byte),
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        self.extend_id(byte);
        match (self.string, byte) {
            (Position::Escaped, _) => self.string = Position::Inside,
            (_, b'\\') => {
                self.string = Position::Escaped;
                self.is_key_escaped |= self.depth == 1;
            }
            (_, b'"') => self.string = Position::Outside,
            _ if self.depth == 1 && self.key.len() < KEY_BYTES => self.key.push(byte),
            _ => {}
        }
    }

    fn extend_id(&mut self, byte: u8) {
        let is_leading_space = self.id.is_empty() && byte.is_ascii_whitespace();
        if self.is_in_id && !is_leading_space && self.id.len() <= MAX_ID_BYTES {
            self.id.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_id(text: &str, id: &str) {
        assert_eq!(JsonScan::whole(text.as_bytes()).id(), id.as_bytes(), "{text}");
        let mut pieces = JsonScan::default();
        text.as_bytes().chunks(1).for_each(|piece| pieces.feed(piece));
        assert_eq!(pieces.id(), id.as_bytes(), "{text}");
    }

    #[test]
    fn finds_the_top_level_id_wherever_it_is() {
        check_id(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, "7");
        check_id(r#"{"method":"m","params":{"id":3,"x":["id",{"id":4}]},"id": 12 }"#, "12");
        check_id(r#"{"id":"a\"b,}","method":"m"}"#, r#""a\"b,}""#);
        check_id(r#"{"method":"id","params":{"id":1}}"#, "");
        check_id(r#"{"idx":1,"i":2}"#, "");
        check_id(r#"{"id":{"a":[1,2]},"x":1}"#, r#"{"a":[1,2]}"#);
        check_id(r#"{"id":5"#, "5");
        check_id("not json", "");
        check_id(r#"{"id":1,"method":"m","id":2}"#, "");
        check_id(&format!(r#"{{"id":{}7}}"#, " ".repeat(1_000)), "7");
    }

    #[test]
    fn an_ambiguous_or_long_id_is_told() {
        for (text, why) in [
            (r#"{"id":1,"id":1}"#.to_owned(), "more than once"),
            (format!(r#"{{"id":"{}"}}"#, "x".repeat(MAX_ID_BYTES)), "longer than"),
            (r#"{"id":1,"\u0069d":2}"#.to_owned(), "escape"),
        ] {
            let told = JsonScan::whole(text.as_bytes()).check().unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
        let fine = r#"{"id":"a\"b","params":{"\u0069d":1,"id":2},"result":"\n"}"#;
        assert_eq!(JsonScan::whole(fine.as_bytes()).check(), Ok(()));
    }

    #[test]
    fn counts_values_and_depth() {
        let scan = JsonScan::whole(br#"{"a":[1,2,{"b":"x,y[{"}]}"#);
        assert_eq!((scan.values, scan.deepest), (5, 3));
        let many = format!("[{}]", "1,".repeat(MAX_JSON_VALUES + 1));
        assert!(JsonScan::whole(many.as_bytes()).check().unwrap_err().contains("keys and items"));
        let deep = "[".repeat(MAX_JSON_DEPTH + 1);
        assert!(JsonScan::whole(deep.as_bytes()).check().unwrap_err().contains("deeper"));
        assert!(JsonScan::whole(b"{}").check().is_ok());
    }
}
