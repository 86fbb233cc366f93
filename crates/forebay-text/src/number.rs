//! Numbers formatted for people.

/// Thousands separators: `9012` is `9,012`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Abbreviated: `61234` is `61k`, `1_250_000` is `1.3M`; exact below ten thousand.
pub fn rough(number: u64) -> String {
    match number {
        0..10_000 => grouped(number),
        10_000..999_500 => format!("{}k", (number + 500) / 1_000),
        _ => format!("{:.1}M", number as f64 / 1_000_000.0),
    }
}

/// A size in bytes: `512 B`, `1.4 MB`.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} KB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// A count with its noun: `1 line`, `2 lines`.
pub fn counted(count: u64, noun: &str) -> String {
    let count_text = grouped(count);
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("{count_text} {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count_text} {stem}ies"),
        _ => format!("{count_text} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(rough(9_999), "9,999");
        assert_eq!(rough(61_234), "61k");
        assert_eq!(rough(999_600), "1.0M");
        assert_eq!(bytes(1_400_000), "1.4 MB");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(counted(2_000, "line"), "2,000 lines");
        assert_eq!(
            (counted(1, "entry"), counted(2, "entry")),
            ("1 entry".into(), "2 entries".into())
        );
        assert_eq!(counted(0, "key"), "0 keys");
    }
}
