//! Size-bounded diffs of two texts.

use similar::{DiffTag, TextDiff};

/// A diff, and whether it is complete.
pub(crate) struct Difference {
    pub(crate) text: String,
    pub(crate) is_whole: bool,
}

/// Lines of context around a change.
const CONTEXT_LINES: usize = 2;

/// Returns the diff of `old` and `new` in at most about `bytes` bytes, truncated at a line.
pub(crate) fn between(old: &str, new: &str, bytes: usize) -> Difference {
    let diff = TextDiff::from_lines(old, new);
    let whole =
        diff.unified_diff().context_radius(CONTEXT_LINES).missing_newline_hint(false).to_string();
    let whole = whole.trim_end();
    if whole.len() <= bytes {
        return Difference { text: whole.to_owned(), is_whole: true };
    }
    let kept = &whole[..whole.floor_char_boundary(bytes)];
    let kept = kept.rfind('\n').map_or("", |end| &kept[..end]);
    let left_out = whole.lines().count() - kept.lines().count();
    Difference { text: format!("{kept}\n... {left_out} more changed lines"), is_whole: false }
}

/// Returns the lines of `new` that `old` does not have, as ranges counted from 1; for a pure deletion, the
/// line before it.
pub(crate) fn changed_lines(old: &str, new: &str) -> Vec<(usize, usize)> {
    let diff = TextDiff::from_lines(old, new);
    let changes = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changes.map(|op| (op.new_range().start + 1, op.new_range().end)).map(at_least_one).collect()
}

fn at_least_one((first, last): (usize, usize)) -> (usize, usize) {
    if first <= last { (first, last) } else { (last.max(1), last.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changes_with_line_numbers() {
        let old = "a\nb\nc\nd\ne\nf\n";
        insta::assert_snapshot!(between(old, "a\nb\nc\nD\ne\nf\n", 1_000).text, @r"
        @@ -2,5 +2,5 @@
         b
         c
        -d
        +D
         e
         f
        ");
    }

    #[test]
    fn counts_lines_that_do_not_fit() {
        let new = "x\n".repeat(500);
        let short = between("", &new, 40);
        assert!(!short.is_whole && short.text.len() < 100, "{}", short.text);
        assert!(short.text.ends_with("more changed lines"));
    }
}
