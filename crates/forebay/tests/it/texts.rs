//! Deterministic outputs for tests, and their token count.

/// Counts tokens as Forebay does: 4 bytes of UTF-8 each.
pub(crate) fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Returns a log whose lines all differ.
pub(crate) fn varied_log(lines: usize) -> String {
    const WORDS: [&str; 12] = [
        "alpha", "bridge", "copper", "delta", "ember", "fjord", "granite", "harbour", "iris",
        "juniper", "kelp", "lagoon",
    ];
    let mut random = 12_345_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
        (random >> 33) as usize % below
    };
    let mut log = String::new();
    for number in 1..=lines {
        let count = 2 + next(5);
        let words: Vec<&str> = (0..count).map(|_| WORDS[next(WORDS.len())]).collect();
        log.push_str(&format!("{number} {} {:x}\n", words.join(" "), next(1 << 30)));
    }
    log
}

/// Returns one line of `bytes` bytes that never repeats within a page.
pub(crate) fn long_line(bytes: usize) -> String {
    let mut line: String = (0..=bytes / 7).map(|number| format!("{number:06}.")).collect();
    line.truncate(bytes);
    line
}

/// Returns bytes that are not valid text and contain every value.
pub(crate) fn binary(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index * 31 % 256) as u8 ^ (index / 256) as u8).collect()
}

/// A word of its own for each number, so that no line repeats another.
pub(crate) fn word(number: u32) -> String {
    let letter = |place: u32| char::from(b'a' + (number.wrapping_mul(7_919) >> place & 15) as u8);
    (0..number % 5 + 4).map(|place| letter(3 * place)).collect()
}
