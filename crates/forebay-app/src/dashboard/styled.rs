//! Terminal colours of stored text as styles: a line becomes pieces of text, each with the names of its styles.
//!
//! Only colours and emphasis (SGR) are interpreted. Every other control sequence is shown as an escape, because it
//! would have moved the cursor or changed what is shown.

use forebay_text::invisible::escape;
use serde_json::{Value, json};

/// The styles in force; they last from one line to the next, as in a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    foreground: Option<u8>,
    background: Option<u8>,
    emphasis: u8,
}

/// Emphasis by SGR code: a bit each, and its name.
const EMPHASIS: [(u16, u8, &str); 6] = [
    (1, 1, "bold"),
    (2, 2, "dim"),
    (3, 4, "italic"),
    (4, 8, "underline"),
    (7, 16, "inverse"),
    (9, 32, "strike"),
];

/// Returns a line as `[text, styles]` pieces; what is visible of it, without its line end.
pub(super) fn pieces(line: &[u8], style: &mut Style) -> Vec<Value> {
    let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    let mut pieces = Vec::new();
    let mut rest: &str = &text;
    let mut plain = String::new();
    while let Some((before, codes, after)) = next_colour(rest) {
        plain.push_str(before);
        push(&mut pieces, &mut plain, *style);
        style.apply(codes);
        rest = after;
    }
    plain.push_str(rest);
    push(&mut pieces, &mut plain, *style);
    pieces
}

fn push(pieces: &mut Vec<Value>, plain: &mut String, style: Style) {
    if !plain.is_empty() {
        pieces.push(json!([escape(plain), style.names()]));
        plain.clear();
    }
}

/// Splits at the first colour sequence, `ESC [ numbers m`: what is before, its numbers, what is after.
fn next_colour(text: &str) -> Option<(&str, &str, &str)> {
    const START: &str = "\u{1b}[";
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(START) {
        let start = from + at;
        let codes = &text[start + START.len()..];
        let length =
            codes.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
        if codes.as_bytes().get(length) == Some(&b'm') {
            return Some((&text[..start], &codes[..length], &codes[length + 1..]));
        }
        from = start + START.len();
    }
    None
}

impl Style {
    fn apply(&mut self, codes: &str) {
        let mut codes = codes.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Self::default(),
                30..=37 => self.foreground = Some((code - 30) as u8),
                90..=97 => self.foreground = Some((code - 82) as u8),
                40..=47 => self.background = Some((code - 40) as u8),
                100..=107 => self.background = Some((code - 92) as u8),
                38 => self.foreground = extended(&mut codes).or(self.foreground),
                48 => self.background = extended(&mut codes).or(self.background),
                39 => self.foreground = None,
                49 => self.background = None,
                22 => self.emphasis &= !3,
                23 | 24 | 27 | 29 => self.remove(code - 20),
                _ => self.add(code),
            }
        }
    }

    fn add(&mut self, code: u16) {
        self.emphasis |= bits(code);
    }

    fn remove(&mut self, code: u16) {
        self.emphasis &= !bits(code);
    }

    /// `f1 g4 bold`: foreground and background among 16 colours, and emphasis.
    fn names(self) -> String {
        let foreground = self.foreground.map(|colour| format!("f{colour}"));
        let background = self.background.map(|colour| format!("g{colour}"));
        let emphasis = EMPHASIS.iter().filter(|row| self.emphasis & row.1 != 0);
        let emphasis = emphasis.map(|row| row.2.to_owned());
        let names: Vec<String> = foreground.into_iter().chain(background).chain(emphasis).collect();
        names.join(" ")
    }
}

fn bits(code: u16) -> u8 {
    EMPHASIS.iter().find(|row| row.0 == code).map_or(0, |row| row.1)
}

/// Reads the rest of an extended colour (`5;N` or `2;R;G;B`) and returns the nearest of the 16.
fn extended(codes: &mut impl Iterator<Item = u16>) -> Option<u8> {
    match codes.next()? {
        5 => {
            let number = u8::try_from(codes.next()?).ok()?;
            Some(match number {
                0..=15 => number,
                16..=231 => {
                    let level = |step: u8| if step == 0 { 0 } else { 55 + u16::from(step) * 40 };
                    let cube = number - 16;
                    nearest([level(cube / 36), level(cube / 6 % 6), level(cube % 6)])
                }
                232..=255 => nearest([8 + u16::from(number - 232) * 10; 3]),
            })
        }
        2 => Some(nearest([codes.next()?, codes.next()?, codes.next()?])),
        _ => None,
    }
}

/// Returns the colour among the 16 that has the same hue, bright if the colour is.
fn nearest(rgb: [u16; 3]) -> u8 {
    let brightest = rgb.into_iter().max().unwrap_or(0);
    let darkest = rgb.into_iter().min().unwrap_or(0);
    if brightest - darkest < 32 {
        return match brightest {
            0..64 => 0,
            64..128 => 8,
            128..208 => 7,
            _ => 15,
        };
    }
    let is_on = |part: u16| u8::from(part > u16::midpoint(brightest, darkest));
    let hue = is_on(rgb[0]) | is_on(rgb[1]) << 1 | is_on(rgb[2]) << 2;
    if brightest > 208 { hue + 8 } else { hue }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Value) {
        assert_eq!(Value::Array(pieces(line.as_bytes(), &mut Style::default())), expected);
    }

    #[test]
    fn colours_are_styles() {
        check("\u{1b}[31mred\u{1b}[0m plain", json!([["red", "f1"], [" plain", ""]]));
        check(
            "\u{1b}[1;4;92mgo\u{1b}[22mx",
            json!([["go", "f10 bold underline"], ["x", "f10 underline"]]),
        );
        check("\u{1b}[38;5;196mx\u{1b}[48;2;0;0;120my", json!([["x", "f9"], ["y", "f9 g4"]]));
        check("\u{1b}[mx\r", json!([["x", ""]]));
    }

    #[test]
    fn other_sequences_are_escapes() {
        check("a\u{1b}[2Jb\u{1b}[31", json!([["a\\u{1b}[2Jb\\u{1b}[31", ""]]));
        check("<script>\u{202e}", json!([["<script>\\u{202e}", ""]]));
    }

    #[test]
    fn numbers_out_of_range_are_harmless() {
        check("\u{1b}[38;2;65535;65535;65534mx", json!([["x", "f15"]]));
        check("\u{1b}[38;5;999;99999999mx", json!([["x", ""]]));
    }

    #[test]
    fn a_style_lasts_until_it_is_reset() {
        let mut style = Style::default();
        pieces(b"\x1b[31mone", &mut style);
        assert_eq!(pieces(b"two\xff", &mut style), [json!(["two\u{fffd}", "f1"])]);
    }
}
