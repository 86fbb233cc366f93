//! Reading base64, to see whether a name and a password stand in it.

/// Whether `text` is the base64 of `name:password`, as HTTP and Docker write credentials.
pub(super) fn is_login(text: &[u8]) -> bool {
    let decoded = decode(text);
    let readable = decoded.iter().all(|byte| (b' '..0x7f).contains(byte));
    readable
        && decoded.iter().position(|byte| *byte == b':').is_some_and(|at| at + 1 < decoded.len())
}

/// What `text` encodes; nothing when it is no base64.
fn decode(text: &[u8]) -> Vec<u8> {
    let padding = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let unpadded = &text[..text.len() - padding];
    let mut decoded = Vec::with_capacity(unpadded.len() * 3 / 4);
    for group in unpadded.chunks(4) {
        let Some(bits) = bits(group) else { return Vec::new() };
        decoded.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    decoded
}

/// The 24 bits of up to four characters.
fn bits(group: &[u8]) -> Option<u32> {
    let mut bits = 0;
    for (index, character) in group.iter().enumerate() {
        bits |= u32::from(value(*character)?) << (18 - 6 * index);
    }
    Some(bits)
}

fn value(character: u8) -> Option<u8> {
    Some(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_told_from_other_base64() {
        for login in ["dXNlcjpwYXNzd29yZA==", "YTpiYw", "YTpi"] {
            assert!(is_login(login.as_bytes()), "{login}");
        }
        for other in ["", "dXNlcg==", "authentication", "iVBORw0KGgo=", "dXNlcjo=", "a!b:c"] {
            assert!(!is_login(other.as_bytes()), "{other}");
        }
    }
}
