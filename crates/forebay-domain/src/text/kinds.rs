//! Kinds of characters by their first byte, for who walks a text word by word.

/// What kind of character a byte is, or that it is none of ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Other,
    Small,
    Digit,
    Capital,
    Foreign,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => Kind::Small,
            b'0'..=b'9' => Kind::Digit,
            b'A'..=b'Z' => Kind::Capital,
            0x80.. => Kind::Foreign,
            _ => Kind::Other,
        };
        byte += 1;
    }
    kinds
};

#[inline]
pub fn of(byte: u8) -> Kind {
    KINDS[usize::from(byte)]
}
