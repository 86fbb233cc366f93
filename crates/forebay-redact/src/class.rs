//! Byte classes that tokens consist of.

/// A set of bytes.
#[derive(Debug)]
pub(super) struct Class([bool; 256]);

pub(super) static DIGITS: Class = Class::new("", DIGIT);
pub(super) static HEX: Class = Class::new("abcdefABCDEF", DIGIT);
pub(super) static UPPER_DIGITS: Class = Class::new("", UPPER | DIGIT);
pub(super) static ALNUM: Class = Class::new("", LETTER | DIGIT);
/// Characters of names in code, settings and headers.
pub(super) static NAME: Class = Class::new("_-.", LETTER | DIGIT);
pub(super) static WORD: Class = Class::new("_-", LETTER | DIGIT);
pub(super) static DOTTED: Class = Class::new("_-.", LETTER | DIGIT);
pub(super) static PADDED: Class = Class::new("_-=", LETTER | DIGIT);
pub(super) static BASE64: Class = Class::new("+/=", LETTER | DIGIT);
/// Both alphabets of base64.
pub(super) static ANY_BASE64: Class = Class::new("+/=_-", LETTER | DIGIT);
/// Characters of an unquoted value, without trailing padding.
pub(super) static BARE: Class = Class::but("= \t\r\"'`,;&<>|)]}\\");
/// Characters of a URL authority.
pub(super) static AUTHORITY: Class = Class::but("/?# \t\r\"'`<>()|\\,;");
/// Characters of an HTTP credential.
pub(super) static CREDENTIAL: Class = Class::new("-._~+/=:|%", LETTER | DIGIT);

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const LETTER: u8 = LOWER | UPPER;
const DIGIT: u8 = 4;

impl Class {
    /// The bytes of `more` and the ASCII ranges that `ranges` names.
    const fn new(more: &str, ranges: u8) -> Self {
        let mut set = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            let kind = match byte as u8 {
                b'a'..=b'z' => LOWER,
                b'A'..=b'Z' => UPPER,
                b'0'..=b'9' => DIGIT,
                _ => 0,
            };
            set[byte] = kind & ranges != 0;
            byte += 1;
        }
        let more = more.as_bytes();
        let mut at = 0;
        while at < more.len() {
            set[more[at] as usize] = true;
            at += 1;
        }
        Self(set)
    }

    /// Every byte but these.
    const fn but(these: &str) -> Self {
        let mut set = Self::new(these, 0).0;
        let mut byte = 0;
        while byte < set.len() {
            set[byte] = !set[byte];
            byte += 1;
        }
        Self(set)
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// Length of the longest prefix of class bytes.
    pub(super) fn run(&self, bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| !self.has(*byte)).unwrap_or(bytes.len())
    }

    /// Like the prefix length, but stops at `max + 1`.
    pub(super) fn run_up_to(&self, bytes: &[u8], max: usize) -> usize {
        self.run(&bytes[..bytes.len().min(max.saturating_add(1))])
    }

    /// Length of the longest suffix of class bytes.
    pub(super) fn run_back(&self, bytes: &[u8]) -> usize {
        bytes.iter().rev().position(|byte| !self.has(*byte)).unwrap_or(bytes.len())
    }

    pub(super) fn is_all(&self, bytes: &[u8]) -> bool {
        self.run(bytes) == bytes.len()
    }
}
