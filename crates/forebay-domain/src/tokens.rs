//! Tokens: what an answer costs, estimated in one place.

/// Bytes of UTF-8 that count as one token on the hot path, where no tokenizer runs.
pub const BYTES_PER_TOKEN: u64 = 4;

/// The estimated cost of `bytes` bytes of UTF-8.
pub const fn of_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The estimated cost of a text.
pub const fn of(text: &str) -> u64 {
    of_bytes(text.len() as u64)
}

/// The number of bytes that fit in a budget of tokens.
pub const fn to_bytes(tokens: u64) -> usize {
    tokens.saturating_mul(BYTES_PER_TOKEN) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_token_counts_whole() {
        assert_eq!([of(""), of("a"), of("abcd"), of("abcde")], [0, 1, 1, 2]);
        assert_eq!(of(&"x".repeat(to_bytes(300))), 300);
    }
}
