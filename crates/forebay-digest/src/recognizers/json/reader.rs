//! Streaming JSON reader, line by line; strings never span lines.

use super::shape::{FieldId, Shape};

/// Maximum nesting depth.
const MAX_DEPTH: usize = 512;

/// Position within the document.
#[derive(Debug)]
pub(in crate::recognizers) struct JsonReader {
    stack: Vec<Level>,
    /// True once the input turned out not to be JSON.
    pub(in crate::recognizers) is_invalid: bool,
    /// Number of complete top-level values.
    pub(in crate::recognizers) documents: u64,
}

#[derive(Debug)]
struct Level {
    field_id: FieldId,
    is_object: bool,
    /// The key whose value comes next.
    key: Option<FieldId>,
    items: u64,
    /// A value is complete, so a comma or the end must follow.
    needs_comma: bool,
}

impl JsonReader {
    pub(in crate::recognizers) fn new() -> Self {
        Self { stack: Vec::new(), is_invalid: false, documents: 0 }
    }

    /// Forgets the current document.
    pub(in crate::recognizers) fn reset(&mut self) {
        self.stack.clear();
        (self.is_invalid, self.documents) = (false, 0);
    }

    pub(in crate::recognizers) fn is_open(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Reads a line; what was read before an error is kept.
    pub(in crate::recognizers) fn read(&mut self, line: &str, shape: &mut Shape) {
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.is_invalid {
            at = match bytes[at] {
                b' ' | b'\t' => at + 1,
                b':' if self.stack.last().is_some_and(|level| level.key.is_some()) => at + 1,
                b',' => self.comma(at),
                b'{' => self.open(true, shape, at),
                b'[' => self.open(false, shape, at),
                b'}' => self.close(true, shape, at),
                b']' => self.close(false, shape, at),
                b'"' => self.string(line, shape, at),
                _ => self.scalar(line, shape, at),
            };
        }
    }

    fn open(&mut self, is_object: bool, shape: &mut Shape, at: usize) -> usize {
        let Some(field_id) = self.value_field(shape).filter(|_| self.stack.len() < MAX_DEPTH)
        else {
            self.is_invalid = true;
            return at;
        };
        shape.open_container(field_id, is_object);
        self.stack.push(Level { field_id, is_object, key: None, items: 0, needs_comma: false });
        at + 1
    }

    fn close(&mut self, is_object: bool, shape: &mut Shape, at: usize) -> usize {
        match self.stack.pop() {
            Some(level) if level.is_object == is_object && level.key.is_none() => {
                shape.close_container(level.field_id, is_object, level.items);
                self.end_value();
            }
            _ => self.is_invalid = true,
        }
        at + 1
    }

    fn string(&mut self, line: &str, shape: &mut Shape, at: usize) -> usize {
        let Some(length) = string_length(&line.as_bytes()[at + 1..]) else {
            self.is_invalid = true;
            return at;
        };
        let (text, after) = (&line[at + 1..at + 1 + length], at + length + 2);
        if let Some(level) =
            self.stack.last_mut().filter(|level| level.is_object && level.key.is_none())
        {
            self.is_invalid |= level.needs_comma;
            level.key = Some(shape.child(level.field_id, text));
            level.items += 1;
            self.is_invalid |= !is_before_colon(&line[after..]);
            return after;
        }
        if !self.is_followed_well(&line[after..]) {
            self.is_invalid = true;
            return after;
        }
        match self.value_field(shape) {
            Some(field_id) => shape.string(field_id, text),
            None => self.is_invalid = true,
        }
        self.end_value();
        after
    }

    fn scalar(&mut self, line: &str, shape: &mut Shape, at: usize) -> usize {
        let rest = &line[at..];
        let end = rest.bytes().position(ends_scalar).unwrap_or(rest.len());
        let text = &rest[..end];
        let known = matches!(text, "true" | "false" | "null")
            || is_plain_number(text)
            || text.parse::<f64>().is_ok();
        let known = known && self.is_followed_well(&rest[end..]);
        match self.value_field(shape).filter(|_| known && text.is_ascii()) {
            Some(field_id) => shape.scalar(field_id, text),
            None => self.is_invalid = true,
        }
        self.end_value();
        at + end.max(1)
    }

    /// Returns true if a value in a container may be followed by this; else the line is not JSON, and nothing of it
    /// counts.
    fn is_followed_well(&self, rest: &str) -> bool {
        let rest = rest.trim_start_matches([' ', '\t']);
        !self.is_open() || rest.is_empty() || rest.starts_with([',', '}', ']'])
    }

    /// Returns the field of the value that starts here.
    fn value_field(&mut self, shape: &mut Shape) -> Option<FieldId> {
        match self.stack.last_mut() {
            None => Some(shape.root()),
            Some(level) if level.needs_comma => None,
            Some(level) if level.is_object => level.key.take(),
            Some(level) => {
                level.items += 1;
                Some(shape.item(level.field_id))
            }
        }
    }

    fn comma(&mut self, at: usize) -> usize {
        match self.stack.last_mut() {
            Some(level) if level.needs_comma => level.needs_comma = false,
            _ => self.is_invalid = true,
        }
        at + 1
    }

    fn end_value(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.needs_comma = true;
        }
        self.documents += u64::from(self.stack.is_empty() && !self.is_invalid);
    }
}

fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t')
}

fn is_before_colon(text: &str) -> bool {
    text.starts_with(':') || text.trim_start().starts_with(':')
}

/// Fast path: most numbers are plain decimals such as `12` or `-3.25`.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut points = 0;
    let is_part = |byte: u8| {
        points += u32::from(byte == b'.');
        byte.is_ascii_digit() || byte == b'.' && points == 1
    };
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(is_part)
}

/// Returns the length of a string up to its closing quote.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}
