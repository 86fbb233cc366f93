//! How model providers, and the hosts that repeat them, count the tokens of a request.

use forebay_domain::usage::BilledTokens;
use serde_json::Value;

/// No request has more tokens: a larger number is a mistake, and would make all sums useless.
const MAX_TOKENS: u64 = 1_000_000_000;

/// Anthropic's `usage`, in which no token is counted twice.
pub(crate) fn anthropic(usage: &Value) -> Option<BilledTokens> {
    let written = optional(&usage["cache_creation_input_tokens"])?;
    let for_an_hour = optional(&usage["cache_creation"]["ephemeral_1h_input_tokens"])?;
    Some(BilledTokens {
        input: count(&usage["input_tokens"])?,
        cache_read: optional(&usage["cache_read_input_tokens"])?,
        cache_write: written.checked_sub(for_an_hour)?,
        cache_write_1h: for_an_hour,
        output: count(&usage["output_tokens"])?,
    })
}

/// The counts of a provider whose input includes what was read from its cache and written to it.
pub(crate) fn inclusive(
    input: &Value,
    cache_read: &Value,
    cache_write: &Value,
    output: u64,
) -> Option<BilledTokens> {
    let (cache_read, cache_write) = (optional(cache_read)?, optional(cache_write)?);
    Some(BilledTokens {
        input: count(input)?.checked_sub(cache_read)?.checked_sub(cache_write)?,
        cache_read,
        cache_write,
        cache_write_1h: 0,
        output: Some(output).filter(|tokens| *tokens <= MAX_TOKENS)?,
    })
}

/// A number that must be there.
pub(crate) fn count(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| *tokens <= MAX_TOKENS)
}

/// A number that a provider without a cache, or a model that does not reason, leaves out.
pub(crate) fn optional(value: &Value) -> Option<u64> {
    if value.is_null() { Some(0) } else { count(value) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn writes_for_an_hour_are_part_of_all_writes() {
        let usage = json!({
            "input_tokens": 3, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 10,
            "cache_creation": { "ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 6 },
            "output_tokens": 2,
        });
        let tokens =
            BilledTokens { input: 3, cache_read: 9, cache_write: 4, cache_write_1h: 6, output: 2 };
        assert_eq!(anthropic(&usage), Some(tokens));
    }

    #[test]
    fn what_cannot_be_right_is_not_counted() {
        assert_eq!(anthropic(&json!({ "input_tokens": 3 })), None);
        let more_for_an_hour = json!({
            "input_tokens": 3, "output_tokens": 1, "cache_creation_input_tokens": 1,
            "cache_creation": { "ephemeral_1h_input_tokens": 2 },
        });
        assert_eq!(anthropic(&more_for_an_hour), None);
        assert_eq!(inclusive(&json!(10), &json!(11), &Value::Null, 1), None);
        assert_eq!(inclusive(&json!(10), &json!(-1), &Value::Null, 1), None);
        assert_eq!(inclusive(&json!(10), &Value::Null, &Value::Null, u64::MAX), None);
        let all = inclusive(&json!(10), &json!(7), &json!(2), 5);
        let expect =
            BilledTokens { input: 1, cache_read: 7, cache_write: 2, cache_write_1h: 0, output: 5 };
        assert_eq!(all, Some(expect));
    }
}
