//! Token estimates, in one place.

/// Bytes of UTF-8 that count as one token; no tokenizer runs on the hot path.
pub const BYTES_PER_TOKEN: u64 = 4;

/// Estimated tokens of `bytes` bytes of UTF-8.
pub const fn estimate_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Estimated tokens of a text.
pub const fn estimate(text: &str) -> u64 {
    estimate_bytes(text.len() as u64)
}

/// Bytes that fit into a token budget.
pub const fn to_bytes(tokens: u64) -> usize {
    tokens.saturating_mul(BYTES_PER_TOKEN) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up() {
        assert_eq!(
            [estimate(""), estimate("a"), estimate("abcd"), estimate("abcde")],
            [0, 1, 1, 2]
        );
        assert_eq!(estimate(&"x".repeat(to_bytes(300))), 300);
    }
}
